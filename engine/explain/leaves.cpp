// Stale, copied and untold tensors.
#include "engine/explain/leaves.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "engine/explain/calls.h"
#include "engine/explain/python_words.h"
#include "engine/explain/words.h"

namespace tapescope {
namespace {

// Ops whose result a program takes for its argument: copies, slices, new shapes.
constexpr std::array<std::string_view, 22> kCopies = {
    "Identity",     "ReadVariableOp", "Cast",        "Reshape",  "ExpandDims", "Squeeze",
    "StridedSlice", "Slice",          "GatherV2",    "GatherNd", "Transpose",  "Split",
    "SplitV",       "Unpack",         "BroadcastTo", "Tile",     "ConcatV2",   "Pack",
    "StopGradient", "Snapshot",       "DeepCopy",    "ReverseV2"};

bool is_copy(const HistoryOp& op) {
  const std::string_view name = op_name_text(op.op);
  return std::find(kCopies.begin(), kCopies.end(), name) != kCopies.end();
}

}  // namespace

Stale stale_tensor(const Asked& asked, Reason reason, const std::vector<PathStep>& steps, std::size_t at) {
  const History& history = asked.history;
  const std::string_view name = history.given_name(asked.source);
  const HistoryVariable* variable = history.variable(asked.source);
  if (reason == Reason::not_watched && !name.empty()) {
    // A variable's name that now stands for a tensor: v = v + 1.
    const HistoryOp* made = history.producer(asked.source);
    if (!made) return {};
    for (const TensorId input : history.inputs(*made)) {
      const HistoryOp* read = history.producer(input);
      if (!read || !(read->flags & OpRecord::kHandle)) continue;
      const TensorId handle = history.inputs(*read)[0];
      if (history.given_name(handle) == name) return {asked.source, handle};
    }
    return {};
  }
  if (reason != Reason::outside_tape_before) return {};
  if (!name.empty()) {
    for (std::size_t i = 0; i < at; ++i) {
      if (steps[i].kind != PathStep::Kind::op) continue;
      const TensorId output = history.ops()[steps[i].index].output;
      if (history.given_name(output) == name) return {output, asked.source};
    }
  }
  const PathStep& first = steps.back();
  if (!variable || variable->assigns.empty() || first.kind != PathStep::Kind::op || at != steps.size())
    return {};
  const HistoryOp& read = history.ops()[first.index];
  const HistoryAssign& last = history.assigns()[variable->assigns.back()];
  return last.stamp > read.output ? Stale{read.output, asked.source} : Stale{};
}

namespace {

// Whether the two are makings of one thing, one after the other: the program had used the earlier one when it
// made the later one. Leaves that one line makes side by side are several things.
bool is_made_again(const History& history, TensorId one, TensorId other) {
  const TensorId earlier = std::min(one, other), later = std::max(one, other);
  const std::vector<std::uint32_t> uses = history.consumers(earlier);
  return std::any_of(uses.begin(), uses.end(),
                     [&](std::uint32_t use) { return history.ops()[use].output < later; });
}

// A name that the program gave, not one that stands for a line.
bool is_named(const History& history, TensorId tensor) {
  const std::string_view name = history.given_name(tensor);
  return !name.empty() && name.find(':') == std::string_view::npos;
}

}  // namespace

TensorId original_of(const Asked& asked, const PathSearch& search) {
  const History& history = asked.history;
  // Back through copies; every ancestor may be what the target used. Makers come before uses: a record that
  // says otherwise ends the search.
  std::uint32_t before = kNoIndex;
  for (std::uint32_t at = history.producer_index(asked.source); at < before;) {
    const HistoryOp& op = history.ops()[at];
    if (!is_copy(op) || op.inputs == 0) break;
    for (const TensorId input : history.inputs(op)) {
      if (search.passes(input)) return input;
    }
    before = std::exchange(at, history.producer_index(history.inputs(op)[0]));
  }
  // A second making of the same thing: the same name, or the same line.
  const HistoryVariable* variable = history.variable(asked.source);
  const std::string_view name = history.given_name(asked.source);
  if (!name.empty()) {
    const NameId id = variable ? variable->name : intern_name(name);
    for (const TensorId other : history.tensors_named(id)) {
      if (other == asked.source || !search.passes(other)) continue;
      // Variables of one name that are in use side by side are those of two layers.
      const bool two = variable && history.has_consumer(asked.source);
      if ((is_named(history, other) && !two) || is_made_again(history, asked.source, other)) return other;
    }
  }
  const HistoryCreate* create = history.create(asked.source);
  if (!create || create->site == 0) return 0;
  for (const std::uint32_t index : search.visited()) {
    for (const TensorId input : history.inputs(history.ops()[index])) {
      const HistoryCreate* other = history.create(input);
      if (other && input != asked.source && other->site == create->site && other->type == create->type &&
          is_made_again(history, asked.source, input))
        return input;
    }
  }
  return 0;
}

TensorId replaced_by(const Asked& asked, const PathSearch& search) {
  const History& history = asked.history;
  const std::uint32_t made = history.producer_index(asked.source),
                      target = history.producer_index(asked.target);
  const std::uint32_t type = history.type_of(asked.source);
  if (made == kNoIndex || target == kNoIndex || type == kNoType) return 0;
  const std::span<const TensorId> inputs = history.inputs(history.ops()[made]);
  for (const TensorId input : inputs) {
    if (made > target && history.type_of(input) == type && search.passes(input)) return input;
  }
  // Before the target: one tensor with a number added or as a factor, read from a variable that the target
  // read again. What another op computed of it stands for itself, and is unused.
  if (inputs.size() != 2) return 0;
  TensorId from = 0;
  for (const TensorId input : inputs) {
    const HistoryOp* maker = history.producer(input);
    if (!maker && !history.variable(input) && !search.passes(input)) continue;
    if (from != 0 || history.type_of(input) != type) return 0;
    from = maker && (maker->flags & OpRecord::kHandle) ? history.inputs(*maker)[0] : input;
  }
  return from != 0 && search.passes(from) ? from : 0;
}

std::uint32_t host_end(const Asked& asked) {
  constexpr std::size_t kMostTensors = 1024;
  const History& history = asked.history;
  std::unordered_map<TensorId, std::uint32_t> read;
  for (std::uint32_t r = 0; r < history.host_reads().size(); ++r) {
    const HistoryRead& known = history.host_reads()[r];
    if (known.stamp >= asked.target) continue;
    const auto entry = read.try_emplace(known.tensor, r).first;
    if (!known.printed) entry->second = r;
  }
  if (read.empty()) return kNoIndex;
  std::vector<TensorId> open{asked.source};
  std::unordered_set<TensorId> seen;
  std::uint32_t last = kNoIndex;
  while (!open.empty()) {
    const TensorId tensor = open.back();
    open.pop_back();
    if (!seen.insert(tensor).second) continue;
    if (seen.size() > kMostTensors) return kNoIndex;
    const auto end = read.find(tensor);
    if (end != read.end() && !history.host_reads()[end->second].printed &&
        (last == kNoIndex || end->second > last))
      last = end->second;
    bool used = end != read.end();
    for (const std::uint32_t use : history.consumers(tensor)) {
      const HistoryOp& op = history.ops()[use];
      // An optimizer's update uses a variable as well.
      if (op.flags & (OpRecord::kBackward | OpRecord::kTraced | OpRecord::kSilenced)) continue;
      used = true;
      for (std::uint32_t k = 0; k < op.outputs; ++k) open.push_back(op.output + k);
    }
    // What it is the target of goes on as gradients, as in a derivative that the loss is made of.
    for (const Question& question : history.questions()) {
      if (question.tape == asked.tape_id ||
          std::ranges::find(question.targets, tensor) == question.targets.end())
        continue;
      for (const Question::Source& source : question.sources) {
        if (source.gradient == 0 || source.gradient >= asked.target) continue;
        used = true;
        open.push_back(source.gradient);
      }
    }
    if (!used) return kNoIndex;
  }
  const bool checks = last != kNoIndex && is_single_truth(history, history.host_reads()[last].tensor);
  return checks ? kNoIndex : last;
}

std::uint32_t dropped_result(const Asked& asked, SiteId asked_at) {
  constexpr std::size_t kMostTensors = 4096;
  const History& history = asked.history;
  const HistoryOp* made = history.producer(asked.target);
  const std::string line = place_text(asked_at);
  if (!made || !is_python(line) || place_text(made->site) != line) return kNoIndex;
  std::vector<TensorId> open{asked.source};
  std::unordered_set<TensorId> seen;
  std::uint32_t last = kNoIndex;
  while (!open.empty()) {
    const TensorId tensor = open.back();
    open.pop_back();
    if (!seen.insert(tensor).second) continue;
    if (seen.size() > kMostTensors) return kNoIndex;
    for (const std::uint32_t use : history.consumers(tensor)) {
      const HistoryOp& op = history.ops()[use];
      if ((op.flags & OpRecord::kBackward) != 0 || place_text(op.site) == line) continue;
      if (last == kNoIndex || use > last) last = use;
      for (std::uint32_t k = 0; k < op.outputs; ++k) open.push_back(op.output + k);
    }
  }
  return last;
}

namespace {

// Whether the function took the tensor before the other one was there to be taken.
bool was_traced_before(const History& history, TensorId captured, TensorId other) {
  const std::vector<std::uint32_t> uses = history.consumers(captured);
  return std::ranges::any_of(uses, [&](std::uint32_t use) {
    const HistoryOp& op = history.ops()[use];
    return (op.flags & OpRecord::kTraced) != 0 && op.output < other;
  });
}

}  // namespace

Captured captured_instead(const Asked& asked, const PathSearch& search) {
  const History& history = asked.history;
  const std::string_view name = is_named(history, asked.source) ? history.given_name(asked.source) : "";
  const bool made_here = !history.producer(asked.source) && !history.has_consumer(asked.source);
  if (name.empty() && !made_here) return {};
  const bool variable = history.variable(asked.source) != nullptr;
  Captured other;
  int others = 0;
  for (const std::uint32_t index : search.visited()) {
    const HistoryOp& call = history.ops()[index];
    for (const TensorId input : history.inputs(call)) {
      // A trace that began when the source was there would have taken it.
      if (input >= asked.source || history.type_of(input) != history.type_of(asked.source)) continue;
      if (!is_captured(history, call, input)) continue;
      const std::string_view known = history.given_name(input);
      const bool leaf = !variable && !history.variable(input) && history.create(input);
      const bool alike = name.empty() ? leaf && known.empty()
                                      : known == name && (history.variable(input) != nullptr) == variable;
      if (alike) return {index, input};
      if (!made_here || !leaf || input == other.tensor || !was_traced_before(history, input, asked.source))
        continue;
      ++others;
      other = {index, input, true};
    }
  }
  return others == 1 ? other : Captured{};
}

namespace {

bool is_untold(const History& history, TensorId tensor) {
  return tensor != 0 && !history.producer(tensor) && !history.create(tensor) && !history.variable(tensor);
}

// Numbers in an expression become tensors just before the op, after its other operands were read.
bool is_number(const History& history, const HistoryOp& op, TensorId tensor) {
  if (op.inputs < 2 || tensor >= op.output || op.output - tensor > op.inputs) return false;
  for (TensorId between = tensor + 1; between < op.output; ++between) {
    if (history.producer(between)) return false;
  }
  return history.thread_of(op.output) == op.thread;
}

Break of_untold(const Asked& asked, TensorId tensor) {
  const History& history = asked.history;
  if (!asked.tape || asked.tape->threads.empty()) return {};
  const std::uint32_t thread = history.thread_of(tensor);
  if (thread == 0) {
    // A block of ids that no record of the tape's thread has: taken since by another thread.
    for (const auto& on : asked.tape->threads) {
      if (!on.events.empty() && tensor > on.events.front().stamp) return {Reason::other_thread};
    }
    return {};
  }
  const TapeEvent* moment = history.tape_event(*asked.tape, thread, tensor);
  if (moment && moment->phase == TapePhase::recording) {
    if (moment->generation == asked.tape->generation || moment->generation == 0) return {};
    const RecordingEnd& end = asked.tape->ends[moment->generation - 1];
    return {end.kind == TapeRecord::kReset ? Reason::reset : Reason::consumed, end.site};
  }
  // Every op that some tape does not record leaves a record: this one was recorded by all that were active.
  // One that the same line opened in an earlier round could not have been asked.
  for (const auto& [id, other] : history.tapes()) {
    if (id == asked.tape_id || is_round_before(asked, thread, tensor, id)) continue;
    const TapeEvent* then = history.tape_event(other, thread, tensor);
    if (then && then->phase == TapePhase::recording) return {Reason::other_tape, then->site, id};
  }
  for (const auto& on : asked.tape->threads) {
    if (on.thread == thread) return {};
  }
  return {Reason::other_thread};
}

}  // namespace

Untold untold_break(const Asked& asked, const PathSearch& search) {
  const History& history = asked.history;
  if (is_untold(history, asked.target)) return {asked.target, of_untold(asked, asked.target)};
  const std::vector<std::uint32_t> ops = search.visited();
  for (auto index = ops.rbegin(); index != ops.rend(); ++index) {
    const HistoryOp& op = history.ops()[*index];
    // An assignment's sum takes the variable's value without a read, so its input is untold by design.
    if (op.flags & OpRecord::kSilenced) continue;
    for (const TensorId input : history.inputs(op)) {
      if (!is_untold(history, input) || is_number(history, op, input)) continue;
      const Break cut = of_untold(asked, input);
      if (cut.reason != Reason::none) return {input, cut, &op};
    }
  }
  return {};
}

}  // namespace tapescope
