// Puts the pieces together: the best way from target to source, its break nearest the source, and what to
// say when there is no way at all.
#include "engine/explain/explain_none.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/explain/branches.h"
#include "engine/explain/calls.h"
#include "engine/explain/equal_tensors.h"
#include "engine/explain/explain_zero.h"
#include "engine/explain/handed_over.h"
#include "engine/explain/leaves.h"
#include "engine/explain/path.h"
#include "engine/explain/python_words.h"
#include "engine/explain/words.h"

namespace tapescope {
namespace {

struct ReasonRow {
  std::string_view name, words;
};
constexpr ReasonRow kReasons[] = {{"none", ""},
#define TAPESCOPE_REASON(name, words) {#name, words},
                                  TAPESCOPE_REASONS(TAPESCOPE_REASON)
#undef TAPESCOPE_REASON
};

// Longer ways are shown by their ends: a reader looks at the target and at the break.
constexpr std::size_t kMaxPath = 200;

// An edge that is a call, not an op.
PathItem call_item(std::string_view what, SiteId site) {
  PathItem item;
  item.op = what;
  item.name = what;
  item.location = place_text(site);
  return item;
}

PathItem item_of_step(const History& history, const PathStep& step) {
  switch (step.kind) {
    case PathStep::Kind::op: return item_of(history, history.ops()[step.index]);
    case PathStep::Kind::host_read: {
      const HistoryRead& read = history.host_reads()[step.index];
      PathItem item = call_item("host_read", read.site);
      const std::string_view name = history.given_name(read.tensor);
      if (!name.empty()) item.name = name;
      item.output = read.tensor;
      return item;
    }
    case PathStep::Kind::assign: {
      const HistoryAssign& assign = history.assigns()[step.index];
      PathItem item = call_item("AssignVariableOp", assign.site);
      item.name = history.given_name(assign.variable);
      item.output = assign.variable;
      return item;
    }
  }
  return {};
}

// The op of a function's graph that takes the constant: "scaled/Mul".
PathItem item_of_constant(const History& history, const HistoryOp& call, TensorId constant) {
  const auto constants = history.traced_constants(call);
  const auto known =
      std::find_if(constants.begin(), constants.end(), [&](const auto& c) { return c.tensor == constant; });
  if (known == constants.end()) return item_of(history, call);
  PathItem item = call_item(op_name_text(known->op), known->site);
  if (const std::string_view function = history.traced_function(call.trace); !function.empty()) {
    item.name = fmt::format("{}/{}", function, item.op);
  }
  item.output = constant;
  return item;
}

// The op of a function's graph that takes a tensor which the trace captured.
PathItem item_of_capture(const History& history, const HistoryOp& call, TensorId captured) {
  const std::string_view function = history.traced_function(call.trace);
  for (const std::uint32_t use : history.consumers(captured)) {
    const HistoryOp& op = history.ops()[use];
    if (!(op.flags & OpRecord::kTraced)) continue;
    PathItem item = item_of(history, op);
    if (!function.empty()) item.name = fmt::format("{}/{}", function, item.op);
    return item;
  }
  PathItem item = item_of(history, call);
  if (!function.empty()) item.name = fmt::format("{}/{}", function, item.op);
  return item;
}

std::vector<PathItem> path_items(const History& history, const std::vector<PathStep>& steps,
                                 std::size_t count) {
  std::vector<PathItem> items;
  for (std::size_t i = 0; i < count; ++i) {
    if (count > kMaxPath && i == kMaxPath / 2) {
      items.push_back(call_item("…", 0));
      items.back().name = std::to_string(count - kMaxPath) + " more";
      i = count - kMaxPath / 2;
    }
    items.push_back(item_of_step(history, steps[i]));
  }
  return items;
}

std::vector<PathItem> only_target(const History& history, TensorId target) {
  const HistoryOp* op = history.producer(target);
  return {op ? item_of(history, *op) : item_of_leaf(history, target)};
}

Explanation finish(const Asked& asked, const Break& cut, PathItem edge, std::vector<PathItem> path) {
  Explanation e;
  e.reason = cut.reason;
  e.guess = cut.guess;
  e.location = edge.location;
  e.edge = std::move(edge);
  e.path = std::move(path);
  describe(asked, cut, e);
  // Each use of the variable is as it should be: what the program says about the tape is to be changed.
  if (cut.reason == Reason::watch_disabled && asked.tape && asked.tape->site != 0 && is_python(e.location)) {
    e.edge = call_item("GradientTape", asked.tape->site);
    e.location = e.edge.location;
  }
  // So is each use of a plain tensor, which is watched, or made a variable, where it is made, and of a
  // variable that is not trainable.
  const bool unmarked = cut.reason == Reason::not_watched || cut.reason == Reason::not_trainable;
  if (unmarked && cut.site == 0 && is_python(e.location)) {
    const HistoryOp* op = asked.history.producer(asked.source);
    PathItem made = op ? item_of(asked.history, *op) : item_of_leaf(asked.history, asked.source);
    made.output = asked.source;
    if (is_python(made.location)) {
      e.location = made.location;
      e.edge = std::move(made);
    }
  }
  if (cut.reason == Reason::traced_constant && cut.back != 0) {
    e.edge = call_item("host_read", cut.back);
    e.location = e.edge.location;
  }
  return e;
}

// The tape had been used up when the question was put, or had never been entered: gradient() raised.
const Question* unanswerable(const Asked& asked, const Question* question) {
  if (!question) return nullptr;
  if (!asked.tape || asked.tape->generation == 0) return question;
  return asked.tape->consumed_order != 0 && question->order > asked.tape->consumed_order ? question : nullptr;
}

// The call of gradient() whose own op breaks the way: the line to change is the call's, not that of the
// forward op whose step ran.
const Question* inner_question(const Asked& asked, const Break& cut, const PathStep& step) {
  if (cut.reason != Reason::inner_gradient_outside_outer_tape && cut.reason != Reason::paused) return nullptr;
  if (step.kind != PathStep::Kind::op) return nullptr;
  const HistoryOp& op = asked.history.ops()[step.index];
  return op.flags & OpRecord::kBackward ? asked.history.question(op.call) : nullptr;
}

// Of a call of gradient(): the line of what it made is the forward op's.
PathItem item_of_gradient(const History& history, const HistoryOp& op) {
  const Question* question = op.flags & OpRecord::kBackward ? history.question(op.call) : nullptr;
  PathItem item = item_of(history, op);
  if (question) item.location = place_text(question->site);
  return item;
}

// A gradient that was taken where the tape was not recording is what the program does wrong, although the ops
// that it was taken of were unseen, too.
std::size_t outermost_of_same_cause(const std::vector<PathStep>& steps, std::size_t at) {
  const Reason reason = steps[at - 1].cut.reason;
  if (reason != Reason::other_tape && reason != Reason::outside_tape_before &&
      reason != Reason::outside_tape_after)
    return at;
  for (std::size_t i = at - 1; i > 0; --i) {
    if (steps[i - 1].cut.reason == Reason::inner_gradient_outside_outer_tape) return i;
  }
  return at;
}

// Everything on the way passes gradients on as far as records show, and there is none: which op gave none.
struct Withheld {
  std::size_t step = 0;
  const HistoryOp* inside = nullptr;  // the op of a call's graph
  Reason reason = Reason::custom_gradient_none;
  SiteId site = 0;
};

// In a graph no walk shows which op has a gradient that the program gave; one has a handle of the function
// for its second input, which nothing else names, and passes its first one on.
bool looks_custom(const History& history, const HistoryOp& op) {
  if (op.inputs < 3 || op.flags & OpRecord::kHandle || history.is_call(op)) return false;
  const TensorId handle = history.inputs(op)[1];
  const bool untold = !history.producer(handle) && !history.create(handle) && !history.variable(handle) &&
                      !history.parameter(handle);
  const std::string_view name = op_name_text(op.op);
  return untold && history.type_of(history.inputs(op)[0]) == op.type && name != "ClipByValue" &&
         !name.starts_with("Select");
}

// In a TensorFlow program, an op with a gradient that the program gave is named as that function is, in small
// letters.
bool is_framework_op(const HistoryOp& op) {
  const std::string_view name = op_name_text(op.op);
  return !op.custom && !name.empty() && name.front() >= 'A' && name.front() <= 'Z' &&
         is_python(place_text(op.site));
}

Withheld withheld(const Asked& asked, const std::vector<PathStep>& steps, const Question& question) {
  const History& history = asked.history;
  Withheld last;
  bool found = false;
  for (std::size_t i = steps.size(); i-- > 0;) {
    if (steps[i].kind != PathStep::Kind::op) continue;
    const HistoryOp& op = history.ops()[steps[i].index];
    if (op.custom && op.walked == question.call) return {.step = i};
    if (op.flags & OpRecord::kTraced && looks_custom(history, op)) return {.step = i};
    if (history.is_call(op)) {
      InsideCalls calls(history);
      for (const PathStep& step : calls.of(op, steps[i].output, steps[i].slot, false).steps) {
        const HistoryOp& inner = history.ops()[step.index];
        if (step.kind == PathStep::Kind::op && looks_custom(history, inner))
          return {.step = i, .inside = &inner};
      }
      // What a call gives is decided when it is made.
      const Break late = unfollowed_then(asked, op, steps[i].input);
      if (late.reason == Reason::watched_too_late)
        return {.step = i, .reason = late.reason, .site = late.site};
    }
    // A read hands on what it is given.
    if (!found && op.walked == question.call && !(op.flags & OpRecord::kHandle)) {
      found = true;
      last.step = i;
      last.reason = is_framework_op(op) ? Reason::argument_not_differentiable : Reason::custom_gradient_none;
    }
  }
  return last;
}

// A function's body reads the variable itself: its line says more than the call's.
bool reads_in_body(const Asked& asked, const Break& cut, const PathStep& step) {
  if (cut.reason != Reason::not_trainable && cut.reason != Reason::watch_disabled) return false;
  return step.kind == PathStep::Kind::op &&
         is_captured(asked.history, asked.history.ops()[step.index], asked.source);
}

// Where the values of the host read at step `at` became a tensor again.
SiteId back_from_host(const History& history, const std::vector<PathStep>& steps, std::size_t at) {
  while (at > 0 && steps[at - 1].kind != PathStep::Kind::op) --at;
  if (at == 0) return 0;
  const PathStep& taken = steps[at - 1];
  const HistoryCreate* create = history.create(taken.input);
  return create && create->site != 0 ? create->site : history.ops()[taken.index].site;
}

Explanation on_the_way(const Asked& asked, const std::vector<PathStep>& steps, const Question* question,
                       bool weak) {
  const History& history = asked.history;
  Break source = break_at_source(asked);
  std::size_t at = steps.size();
  while (at > 0 && steps[at - 1].cut.reason == Reason::none) --at;
  // What the host did with a value before it became a constant of a graph breaks nothing that was not broken
  // there.
  for (std::size_t i = at; i-- > 0;) {
    if (steps[i].cut.reason == Reason::traced_constant) at = i + 1;
  }
  if (source.reason != Reason::none) at = steps.size();
  if (at == 0) {
    // Everything passes. A gradient that is None all the same was not given by the op where the walk ended.
    const bool none =
        question && std::any_of(question->sources.begin(), question->sources.end(), [&](const auto& s) {
          return s.id == asked.source && s.answered && s.result != ResultKind::value;
        });
    if (!none) return finish(asked, {}, {}, {});
    const Withheld by = withheld(asked, steps, *question);
    std::vector<PathItem> path = path_items(history, steps, by.step + 1);
    if (by.inside) path.push_back(item_of(history, *by.inside));
    PathItem edge = path.back();
    return finish(asked, {by.reason, by.site}, std::move(edge), std::move(path));
  }
  if (source.reason == Reason::none) at = outermost_of_same_cause(steps, at);
  // The framework reads what a new variable starts from where nothing records: the assignment is the break.
  if (at > 1 && source.reason == Reason::none && steps[at - 1].cut.reason == Reason::paused &&
      steps[at - 1].cut.site == 0 && steps[at - 2].kind == PathStep::Kind::assign)
    --at;
  const PathStep& step = steps[at - 1];
  std::vector<PathItem> path = path_items(history, steps, at);
  PathItem edge = item_of_step(history, step);
  Break cut = source.reason != Reason::none ? source : step.cut;
  if (source.reason == Reason::none && step.inside) {
    InsideCalls calls(history);
    const InsideCall& call = calls.of(history.ops()[step.index], step.output, step.slot, weak);
    for (const PathStep& inner : call.steps) path.push_back(item_of_step(history, inner));
    if (!call.steps.empty()) edge = path.back();
  } else if (source.reason == Reason::none && step.kind == PathStep::Kind::op && step.cut_op != step.index) {
    edge = item_of(history, history.ops()[step.cut_op]);
    path.push_back(edge);
  }
  if (const Stale stale = stale_tensor(asked, cut.reason, steps, at); stale.tensor != 0 && cut.other == 0) {
    cut = {.reason = Reason::overwritten, .tensor = stale.made_from};
    const HistoryOp* op = history.producer(stale.tensor);
    edge = op ? item_of(history, *op) : item_of_leaf(history, stale.tensor);
  } else if (cut.reason == Reason::host_round_trip) {
    cut.back = back_from_host(history, steps, at - 1);
  } else if (const Question* inner = inner_question(asked, cut, step)) {
    edge = call_item("gradient", inner->site);
  } else if (cut.reason == Reason::traced_constant) {
    const HistoryOp& call = history.ops()[step.index];
    edge = item_of_constant(history, call, cut.tensor);
    path.push_back(edge);
    // Read in the function's body or on the way to its call: there the program is to be changed.
    if (is_python(edge.location) && cut.site != 0 &&
        site_with_id(cut.site).function != site_with_id(call.site).function)
      cut.back = cut.site;
  } else if (cut.reason == Reason::reset) {
    edge = call_item("reset", cut.site);
  } else if (cut.reason == Reason::consumed) {
    edge = call_item("gradient", cut.site);
  } else if (cut.reason == Reason::not_trainable && cut.site != 0) {
    edge = call_item("set_trainable", cut.site);
  } else if (reads_in_body(asked, cut, step)) {
    edge = item_of_capture(history, history.ops()[step.index], asked.source);
    path.push_back(edge);
  }
  return finish(asked, cut, std::move(edge), std::move(path));
}

// Whether the variable was made with what the program read from the other one.
bool starts_from(const History& history, TensorId variable, TensorId other) {
  const HistoryVariable* made = history.variable(variable);
  if (!made || made->assigns.empty()) return false;
  const HistoryAssign& first = history.assigns()[made->assigns.front()];
  const HistoryOp* read = first.value != 0 ? history.producer(first.value) : nullptr;
  return read && (read->flags & OpRecord::kHandle) && history.inputs(*read)[0] == other;
}

// The target was computed from `original`, of which the source is a copy, a slice or a second making.
Explanation asked_for_another(const Asked& asked, TensorId original) {
  const History& history = asked.history;
  PathSearch to_original({history, asked.tape, asked.tape_id, asked.target, original}, false);
  const std::vector<PathStep> steps = to_original.run();
  const HistoryOp* op = history.producer(asked.source);
  PathItem edge = op ? item_of(history, *op) : item_of_leaf(history, asked.source);
  // A program that replaced its variables, and kept the former ones as sources, did so where the new ones
  // were made.
  if (history.variable(asked.source) && history.variable(original) && original > asked.source &&
      (is_python(edge.location) || starts_from(history, original, asked.source)))
    edge = item_of_leaf(history, original);
  return finish(
      asked, {.reason = Reason::recreated_tensor, .tensor = original}, std::move(edge),
      steps.empty() ? only_target(history, asked.target) : path_items(history, steps, steps.size()));
}

// The variable that took the source's place: it has the same name, or neither has one, and its first value is
// what the program read from the source before the tape recorded. 0 where the way to the source is another.
TensorId clone_of(const Asked& asked, const std::vector<PathStep>& steps) {
  const History& history = asked.history;
  if (steps.size() < 2 || steps.back().cut.reason != Reason::outside_tape_before ||
      steps[steps.size() - 2].kind != PathStep::Kind::assign)
    return 0;
  const TensorId clone = history.assigns()[steps[steps.size() - 2].index].variable;
  if (!starts_from(history, clone, asked.source)) return 0;
  const std::string_view name = history.given_name(asked.source), other = history.given_name(clone);
  const auto is_line = [](std::string_view text) { return text.find(':') != std::string_view::npos; };
  return name == other || (is_line(name) && is_line(other)) ? clone : 0;
}

Explanation no_way(const Asked& asked, const PathSearch& search, const Question* question) {
  const History& history = asked.history;
  std::vector<PathItem> path = only_target(history, asked.target);
  const Captured captured = captured_instead(asked, search);
  const auto was_captured = [&] {
    const HistoryOp& call = history.ops()[captured.call];
    path.push_back(item_of_capture(history, call, captured.tensor));
    // The call was not given the source; what the body did with the other tensor may stand in a helper.
    PathItem edge = path.back();
    if (!is_python(edge.location)) edge = call_item(history.traced_function(call.trace), call.site);
    return finish(asked,
                  {.reason = Reason::traced_constant, .tensor = captured.tensor, .guess = captured.guess},
                  std::move(edge), std::move(path));
  };
  if (captured.call != kNoIndex && !captured.guess) return was_captured();
  const auto recreated = [&](TensorId original) { return asked_for_another(asked, original); };
  if (const TensorId original = original_of(asked, search)) return recreated(original);
  if (const Handed handed = handed_over(asked, search); !handed.steps.empty()) {
    for (const PathItem& item : path_items(history, handed.steps, handed.steps.size())) path.push_back(item);
    PathItem edge = path.back();
    return finish(asked, {.reason = Reason::outside_tape_before}, std::move(edge), std::move(path));
  }
  const Untold untold = untold_break(asked, search);
  if (untold.cut.reason != Reason::none) {
    PathItem edge = item_of_leaf(history, untold.tensor);
    if (untold.cut.reason == Reason::reset || untold.cut.reason == Reason::consumed) {
      edge = call_item(untold.cut.reason == Reason::reset ? "reset" : "gradient", untold.cut.site);
    } else if (untold.cut.site != 0) {
      edge.op = edge.name = "an op";
      edge.location = place_text(untold.cut.site);
    } else if (untold.used_by) {
      edge.op = edge.name = fmt::format("what made an input of {}", op_name_text(untold.used_by->op));
      edge.location = place_text(untold.used_by->site);
    } else {
      edge.op = edge.name = "what made the target of gradient()";
      edge.location = question ? place_text(question->site) : std::string();
    }
    return finish(asked, untold.cut, std::move(edge), std::move(path));
  }
  if (const std::uint32_t end = host_end(asked); end != kNoIndex) {
    PathStep read{.kind = PathStep::Kind::host_read, .index = end};
    Break cut{.reason = Reason::host_round_trip, .site = history.host_reads()[end].site, .guess = true};
    path.push_back(item_of_step(history, read));
    PathItem edge = path.back();
    return finish(asked, cut, std::move(edge), std::move(path));
  }
  if (const Choice choice = choice_on_the_way(asked, search); choice.site != 0) {
    return finish(asked, {.reason = Reason::branch_not_taken, .site = choice.site, .guess = true},
                  call_item(choice.by_cond ? "cond" : "the value read", choice.site), std::move(path));
  }
  const auto not_taken = [&](const UntakenRecord& untaken) {
    Break cut{.reason = Reason::branch_not_taken, .site = untaken.site};
    cut.use = untaken.use;
    cut.condition = untaken.condition;
    return finish(asked, cut, call_item("if", untaken.site), std::move(path));
  };
  if (only_its_shape_was_taken(history, asked.source) || only_ignored_by_functions(history, asked.source)) {
    if (const TensorId original = replaced_by(asked, search)) return recreated(original);
    if (const TensorId original = equal_to(asked, search)) return recreated(original);
    if (captured.call != kNoIndex) return was_captured();
    const HistoryOp* op = history.producer(asked.source);
    if (const UntakenRecord* untaken = op ? nullptr : history.untaken(asked.source))
      return not_taken(*untaken);
    return finish(asked, {Reason::unused}, op ? item_of(history, *op) : item_of_leaf(history, asked.source),
                  std::move(path));
  }
  if (const UncalledRead* read = only_read_uncalled(history, asked.source)) {
    path.push_back(call_item(op_name_text(read->op), read->site));
    PathItem edge = path.back();
    return finish(asked, {.reason = Reason::outside_tape_before, .uncalled = true}, std::move(edge),
                  std::move(path));
  }
  // Such as a head that the call which builds a model uses, and training does not.
  if (const UntakenRecord* untaken = history.untaken(asked.source);
      untaken && history.variable(asked.source) && !is_used_in_recording(asked))
    return not_taken(*untaken);
  const std::uint32_t dropped = question ? dropped_result(asked, question->site) : kNoIndex;
  if (dropped != kNoIndex) {
    const HistoryOp& op = history.ops()[dropped];
    return finish(asked, {.reason = Reason::independent, .tensor = op.output}, item_of(history, op),
                  std::move(path));
  }
  const HistoryOp* made = history.producer(asked.target);
  PathItem edge = made ? item_of_gradient(history, *made) : path.front();
  return finish(asked, {Reason::independent}, std::move(edge), std::move(path));
}

// The reason of a way that breaks once, for certain.
Reason only_break(const PathSearch& search, const std::vector<PathStep>& steps) {
  if (search.breaks() != 1) return Reason::none;
  for (const PathStep& step : steps) {
    if (step.cut.reason != Reason::none) return step.cut.reason;
  }
  return Reason::none;
}

}  // namespace

std::string_view name_of(Reason reason) { return kReasons[static_cast<std::size_t>(reason)].name; }

std::string_view short_words(std::string_view name) {
  const auto row = std::ranges::find(kReasons, name, &ReasonRow::name);
  return row == std::end(kReasons) ? std::string_view() : row->words;
}

Explanation explain_none(const History& history, TapeId tape, TensorId target, TensorId source) {
  const Question* question = nullptr;
  const Question* latest = nullptr;
  for (auto q = history.questions().rbegin(); q != history.questions().rend(); ++q) {
    if (tape != 0 && q->tape != tape) continue;
    if (!latest) latest = &*q;
    const bool same_target = std::find(q->targets.begin(), q->targets.end(), target) != q->targets.end();
    const bool same_source = source == 0 ? q->source_count == 0
                                         : std::any_of(q->sources.begin(), q->sources.end(),
                                                       [&](const auto& s) { return s.id == source; });
    if (!same_target || !same_source) continue;
    question = &*q;
    break;
  }
  if (tape == 0 && (question || latest)) tape = (question ? question : latest)->tape;
  const Asked asked{history, history.tape(tape), tape, target, source};
  if (source == 0) {
    const Break cut{Reason::empty_sources, question ? question->site : latest ? latest->site : 0};
    return finish(asked, cut, call_item("gradient", cut.site), only_target(history, target));
  }
  if (const Question* raised = unanswerable(asked, question)) {
    Break cut{Reason::consumed, asked.tape ? asked.tape->consumed_site : 0};
    if (cut.site == 0) cut.site = raised->site;
    return finish(asked, cut, call_item("gradient", cut.site), only_target(history, target));
  }
  if (target == source) return finish(asked, {}, {}, {});
  PathSearch search(asked, false);
  std::vector<PathStep> steps = search.run();
  if (!steps.empty() && only_break(search, steps) == Reason::stop_gradient) {
    // A program that stops one way on purpose wants to know of the one that it lost by chance.
    PathSearch weak(asked, true);
    std::vector<PathStep> other = weak.run();
    const Reason lost = other.empty() ? Reason::none : only_break(weak, other);
    if (lost == Reason::state_update || lost == Reason::host_round_trip || lost == Reason::traced_constant)
      return on_the_way(asked, other, question, true);
  }
  if (!steps.empty()) return on_the_way(asked, steps, question, false);
  if (is_known_type_without_gradient(history.type_of(source))) {
    const std::vector<std::uint32_t> uses = history.consumers(source);
    const HistoryOp* made = history.producer(source);
    PathItem edge = !uses.empty() ? item_of(history, history.ops()[uses.front()])
                    : made        ? item_of(history, *made)
                                  : item_of_leaf(history, source);
    return finish(asked, {Reason::integer_dtype}, std::move(edge), only_target(history, target));
  }
  if (const auto untaken = untaken_branch(asked, search)) {
    Break cut{.reason = Reason::branch_not_taken, .site = untaken->site};
    cut.taken = untaken->taken;
    cut.untaken = untaken->other;
    return finish(asked, cut, call_item("cond", untaken->site), only_target(history, target));
  }
  PathSearch weak(asked, true);
  steps = weak.run();
  if (const TensorId clone = clone_of(asked, steps)) return asked_for_another(asked, clone);
  if (!steps.empty()) return on_the_way(asked, steps, question, true);
  return no_way(asked, search, question);
}

Explanation explain_zero(const History& history, TapeId tape, TensorId target, TensorId source,
                         TensorId since, bool traced) {
  const auto untaken = untaken_in_graph(history, source, since, traced);
  if (!untaken) return {};
  const Asked asked{history, history.tape(tape), tape, target, source};
  Break cut{.reason = Reason::branch_not_taken, .site = untaken->site};
  cut.taken = untaken->taken;
  cut.untaken = untaken->other;
  cut.tensor = untaken->computed;
  Explanation found = finish(asked, cut, call_item("cond", untaken->site), only_target(history, target));
  found.fix = "nothing where the condition is meant; else compute both branches and choose with where()";
  return found;
}

}  // namespace tapescope
