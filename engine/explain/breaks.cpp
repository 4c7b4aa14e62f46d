// The conditions of each reason. An op's own nature counts before where the tape stood.
#include "engine/explain/breaks.h"

#include <algorithm>

#include "engine/core/type.h"
#include "engine/explain/calls.h"

namespace tapescope {
namespace {

bool effective(WatchKind kind) {
  return kind == WatchKind::by_hand || kind == WatchKind::by_read || kind == WatchKind::known;
}

// How an older recording of the tape ended.
Break ended(const Asked& asked, std::uint32_t generation) {
  if (!asked.tape || generation == 0 || generation > asked.tape->ends.size()) return {};
  const RecordingEnd& end = asked.tape->ends[generation - 1];
  return {end.kind == TapeRecord::kReset ? Reason::reset : Reason::consumed, end.site};
}

bool is_old(const Asked& asked, const TapeEvent* moment) {
  return asked.tape && moment && moment->generation != 0 && moment->generation != asked.tape->generation;
}

// The last event of one kind at or before a stamp; 0 if there was none.
SiteId last_site(const Asked& asked, std::uint32_t thread, TensorId stamp, RecordKind kind) {
  SiteId site = 0;
  for (const HistoryTape::OnThread& on : asked.tape->threads) {
    if (on.thread != thread) continue;
    for (const TapeEvent& event : on.events) {
      if (event.stamp > stamp) break;
      if (event.kind == kind) site = event.site;
    }
  }
  return site;
}

// What an op does to gradients whatever the tapes do.
Reason own_nature(const History& history, const HistoryOp& op, std::uint32_t slot) {
  const std::string_view name = op_name_text(op.op);
  if (name == "StopGradient" || name == "PreventGradient") return Reason::stop_gradient;
  if (name == "Cast" && is_known_type_without_gradient(op.type)) return Reason::integer_cast;
  if (op.flags & OpRecord::kNoGradient) return Reason::not_differentiable;
  const std::uint8_t never = slot == 0   ? OpRecord::kNeverFirst
                             : slot == 1 ? OpRecord::kNeverSecond
                                         : OpRecord::kNeverOthers;
  if (op.flags & never) return Reason::argument_not_differentiable;
  // Mean and variance, unlike the offset: an op record has one flag for all inputs from the third on.
  if (slot >= 3 && name.starts_with("FusedBatchNorm")) return Reason::argument_not_differentiable;
  const TensorId input = history.inputs(op)[slot];
  // Whole numbers out of floating ones: no such op has a gradient, whether or not the record says so.
  if (is_known_type_without_gradient(op.type) && is_floating_type(history.type_of(input))) {
    return Reason::not_differentiable;
  }
  if (op.silencer != 0) {
    if (name_text(op.silencer) == "stop_gradient") return Reason::stop_gradient;
  }
  return Reason::none;
}

// Whether asking that tape instead would help: an op that it recorded for another input says nothing of that.
bool follows_source(const Asked& asked, TapeId tape) {
  if (const HistoryOp* made = asked.history.producer(asked.source))
    return asked.history.answer(*made, tape) == TapeAnswer::recorded;
  const HistoryTape* other = asked.history.tape(tape);
  if (!other) return true;  // records of it are lost
  const auto watches = other->watches.find(asked.source);
  return watches != other->watches.end() &&
         std::any_of(watches->second.begin(), watches->second.end(),
                     [](const TapeWatch& watch) { return effective(watch.kind); });
}

Break where_tape_was_not(const Asked& asked, const HistoryOp& op, const TapeEvent* moment) {
  if (op.flags & OpRecord::kBackward || returns_gradient(asked.history, op))
    return {Reason::inner_gradient_outside_outer_tape};
  const TapeId other = asked.history.recorded_by_other(op, asked.tape_id);
  if (other != 0 && follows_source(asked, other))
    return {is_round_before(asked, op.thread, op.output, other) ? Reason::outside_tape_before
                                                                : Reason::other_tape,
            0, other};
  if (!asked.tape || asked.tape->threads.empty()) return {Reason::outside_tape_before};
  if (moment && moment->phase == TapePhase::used_up) return {Reason::consumed, moment->site};
  if (moment && moment->phase == TapePhase::exited) return {Reason::outside_tape_after};
  for (const HistoryTape::OnThread& on : asked.tape->threads) {
    if (on.thread == op.thread) return {Reason::outside_tape_before};
  }
  return {Reason::other_thread};
}

}  // namespace

bool is_round_before(const Asked& asked, std::uint32_t thread, TensorId made, TapeId other) {
  const HistoryTape* before = asked.history.tape(other);
  if (!asked.tape || !before || before->site != asked.tape->site || asked.tape->site == 0) return false;
  return std::any_of(asked.tape->threads.begin(), asked.tape->threads.end(), [&](const auto& on) {
    if (on.thread != thread || on.events.empty() || made >= on.events.front().stamp) return false;
    const TapeEvent* last = asked.history.tape_event(*before, on.thread, on.events.front().stamp);
    return last && last->kind == TapeRecord::kDestroyed;
  });
}

bool is_floating_type(std::uint32_t type) {
  const Type* known = type_with_id(type);
  return known && is_floating(known->dtype);
}

bool is_known_type_without_gradient(std::uint32_t type) {
  const Type* known = type == kNoType ? nullptr : type_with_id(type);
  return known && !is_trainable(known->dtype);
}

bool is_truth_value(const History& history, TensorId tensor) {
  const std::uint32_t id = history.type_of(tensor);
  const Type* type = id == kNoType ? nullptr : type_with_id(id);
  return type && type->dtype == DType::boolean;
}

bool is_single_truth(const History& history, TensorId tensor) {
  return is_truth_value(history, tensor) && type_with_id(history.type_of(tensor))->numel == 1;
}

Break break_at_source(const Asked& asked) {
  const History& history = asked.history;
  if (is_known_type_without_gradient(history.type_of(asked.source))) return {Reason::integer_dtype};
  SiteId ignored = 0;
  if (asked.tape) {
    const auto watches = asked.tape->watches.find(asked.source);
    if (watches != asked.tape->watches.end()) {
      for (const TapeWatch& watch : watches->second) {
        if (effective(watch.kind)) return {};
        ignored = watch.site;
      }
    }
  }
  if (const HistoryVariable* variable = history.variable(asked.source)) {
    if (!variable->trainable) return {Reason::not_trainable, variable->trainable_site};
    if (asked.tape && !asked.tape->watch_accessed) return {Reason::watch_disabled};
    return {};
  }
  if (const HistoryOp* op = history.producer(asked.source)) {
    if (history.answer(*op, asked.tape_id) == TapeAnswer::recorded) return {};
    // For an op without a record the tape answers only by its state.
    if (!history.answer(*op, asked.tape_id) && asked.tape) {
      const TapeEvent* moment = history.tape_event(*asked.tape, op->thread, op->output);
      if (moment && moment->phase == TapePhase::recording) return {};
    }
  }
  for (const auto& [id, other] : history.tapes()) {
    if (id == asked.tape_id) continue;
    const auto watches = other.watches.find(asked.source);
    if (watches == other.watches.end()) continue;
    for (const TapeWatch& watch : watches->second) {
      if (!effective(watch.kind)) continue;
      bool same_thread = !asked.tape || asked.tape->threads.empty();
      if (asked.tape) {
        for (const auto& on : asked.tape->threads) same_thread |= on.thread == watch.thread;
      }
      return {same_thread ? Reason::other_tape : Reason::other_thread, watch.site, id};
    }
  }
  return {Reason::not_watched, ignored};
}

Break break_at_op(const Asked& asked, const HistoryOp& op, std::uint32_t slot, bool live) {
  const Reason own = own_nature(asked.history, op, slot);
  const TensorId input = asked.history.inputs(op)[slot];
  const TapeEvent* moment =
      asked.tape ? asked.history.tape_event(*asked.tape, op.thread, op.output) : nullptr;
  const std::optional<TapeAnswer> answer = asked.history.answer(op, asked.tape_id);
  if (own != Reason::none) return {own};
  // The sum that an assignment computes: the assignment itself is the break.
  if (op.silencer != 0 && name_text(op.silencer).starts_with("assign")) return {};
  const bool here =
      answer ? *answer != TapeAnswer::absent
             : moment && (moment->phase == TapePhase::recording || moment->phase == TapePhase::paused);
  if (!here) return where_tape_was_not(asked, op, moment);
  if (answer == TapeAnswer::paused || (!answer && moment->phase == TapePhase::paused)) {
    return {Reason::paused, asked.tape ? last_site(asked, op.thread, op.output, TapeRecord::kPause) : 0};
  }
  if (answer == TapeAnswer::silenced || (!answer && op.flags & OpRecord::kSilenced)) return {Reason::paused};
  if (answer == TapeAnswer::no_watched_input) {
    if (!live) return {};
    if (input == asked.source && asked.tape) {
      const Break unfollowed = unfollowed_then(asked, op, input);
      if (unfollowed.reason != Reason::none) return unfollowed;
    }
    // Its producer belonged to an older recording, or the variable's watch did.
    const HistoryOp* made = asked.history.producer(input);
    if (made && asked.tape) {
      const TapeEvent* then = asked.history.tape_event(*asked.tape, made->thread, made->output);
      if (then && moment && then->generation < moment->generation) return ended(asked, then->generation);
    }
    return {};
  }
  if (answer == TapeAnswer::not_floating) return {};
  if ((answer || live) && is_old(asked, moment)) return ended(asked, moment->generation);
  return {};
}

Break unfollowed_then(const Asked& asked, const HistoryOp& op, TensorId input) {
  if (!asked.tape) return {};
  const auto watches = asked.tape->watches.find(input);
  if (watches == asked.tape->watches.end()) return {};
  const TapeEvent* now = asked.history.tape_event(*asked.tape, op.thread, op.output);
  Break late;
  for (const TapeWatch& watch : watches->second) {
    if (!effective(watch.kind)) continue;
    const bool before = watch.thread == op.thread && watch.stamp <= op.output;
    // The watch went with the recording it belonged to.
    if (before && now && watch.generation < now->generation) return ended(asked, watch.generation);
    if (!before && late.reason == Reason::none) late = {Reason::watched_too_late, watch.site};
  }
  return late;
}

Break break_of_op(const History& history, const HistoryOp& op, std::uint32_t slot) {
  return {own_nature(history, op, slot)};
}

}  // namespace tapescope
