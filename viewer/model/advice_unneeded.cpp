// Work that no gradient needs.
#include <algorithm>

#include <fmt/format.h>

#include "engine/explain/python_words.h"
#include "viewer/model/advice.h"
#include "viewer/model/report.h"
#include "viewer/model/units.h"

namespace tapescope::advice {
namespace {

// Keras calls its variables by their way through the model, and a layer's `trainable` says what the layer
// lists, not what a tape watches.
std::string python_fix(std::string_view variable) {
  if (variable.find('/') == std::string_view::npos)
    return fmt::format("make {} with trainable=False, or a constant", variable);
  return fmt::format(
      "compute what needs {} before the tape begins, or open the tape with "
      "watch_accessed_variables=False and watch what is asked for: a layer's trainable=False leaves its "
      "variables on the tape",
      variable);
}

// Marks the ops that lead to one of `tensors`, themselves included. All that a function's gradient runs leads
// to what its call gives: the rest was pruned before.
std::vector<bool> leading_to(const StepView& step, const std::vector<TensorId>& tensors) {
  std::vector<bool> leads(step.ops.size(), false);
  std::vector<std::uint32_t> open;
  const auto reach = [&](std::uint32_t op) {
    if (op == kNoOp || leads[op]) return;
    leads[op] = true;
    open.push_back(op);
  };
  for (const TensorId tensor : tensors) reach(step.op_of_tensor(tensor));
  while (!open.empty()) {
    const OpRow& op = step.ops[open.back()];
    open.pop_back();
    for (const std::uint32_t producer : step.producers_of(op)) reach(producer);
    if (!is_call(op) || op.direction != Direction::backward || op.backward_step == kNoOp) continue;
    const BackwardStep& whole = step.backward_steps[op.backward_step];
    for (std::uint32_t i = 0; i < whole.ops; ++i) reach(whole.first_op + i);
  }
  return leads;
}

// Elements and operations below which the work is that of a few scalars: not worth a person's time.
constexpr double kWorthwhile = 1000;
// Of the backward pass: a variable that costs less, such as the bias of a layer whose kernel alone is looked
// at, is left as it is.
constexpr double kShare = 0.2;

// Of what a tape records: where so many ops lead to no target they are written in the wrong place, however
// small their tensors are.
constexpr std::uint32_t kManyInVain = 8;
constexpr double kShareOfTape = 0.15;

double size_of(const OpRow& op) {
  return std::max(op.flops, op.type != nullptr ? static_cast<double>(op.type->numel) : 0.0);
}

bool is_among(const std::vector<TensorId>& list, TensorId tensor) {
  return std::find(list.begin(), list.end(), tensor) != list.end();
}

// A library's function with a custom gradient runs ops that the tape records as well as the function: those
// of one call of the program's, up to the op that a target follows from, are the library's to mend.
void add_insides_of_calls(const StepView& step, std::vector<bool>& differentiated) {
  for (std::size_t i = step.ops.size(); i > 1; --i) {
    const OpRow &op = step.ops[i - 2], &next = step.ops[i - 1];
    if (op.site != 0 && op.site == next.site && is_python(op.location) && next.direction == op.direction)
      differentiated[i - 2] = differentiated[i - 2] || differentiated[i - 1];
  }
}

struct Waste {
  std::uint32_t ops = 0;
  double us = 0, size = 0;
  std::string_view largest;  // name of the op that does most work
  double most = 0;
};

}  // namespace

void unneeded(const Snapshot& snapshot, const StepView& step, std::vector<AdviceRow>& to) {
  if (step.answers.empty()) return;
  std::vector<TensorId> wanted, targets, asked;
  for (const GradientAnswer& answer : step.answers) {
    if (!answer.answered) return;  // a call that raised: nothing can be said of what it would have needed
    if (answer.gradient != 0) wanted.push_back(answer.gradient);
    asked.push_back(answer.source);
  }
  for (const GradientCall& call : step.calls)
    targets.insert(targets.end(), call.targets.begin(), call.targets.end());
  // A gradient that later work used is as needed as one that was asked for: steps of updates, gradients of
  // gradients.
  for (const OpRow& op : step.ops) {
    if (op.direction == Direction::backward) continue;
    for (const TensorId input : step.inputs_of(op)) wanted.push_back(input);
  }
  for (const AssignRow& assign : step.assigns) wanted.push_back(assign.value);
  wanted.insert(wanted.end(), targets.begin(), targets.end());
  const std::vector<bool> needed = leading_to(step, wanted);

  Waste waste;
  double all = 0;
  std::string_view location;
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    const OpRow& op = step.ops[i];
    if (op.direction != Direction::backward) continue;
    all += size_of(op);
    if (needed[i]) continue;
    ++waste.ops;
    waste.us += op.duration_us;
    waste.size += size_of(op);
    if (work_of(op) < waste.most) continue;
    waste.most = work_of(op);
    waste.largest =
        op.partner != kNoOp ? std::string_view(step.ops[op.partner].name) : std::string_view(op.op);
    location = op.location;
  }
  if (waste.size >= kWorthwhile) {
    // Whose gradient was computed for nothing: variables read on the tape, or tensors watched by hand, that
    // no call of the run asked for. Where there are none a backward step computed more than it had to.
    const VariableRow* unasked = nullptr;
    std::uint32_t reads = 0;
    for (const OpRow& op : step.ops) {
      const TensorId handle = handle_read(step, op);
      if (handle == 0 || !op.recorded || is_among(asked, handle)) continue;
      const VariableRow* variable = step.variable(handle);
      if (variable == nullptr || !variable->trainable || asked_in_run(snapshot, handle)) continue;
      if (unasked == nullptr) unasked = variable, location = op.location;
      reads += variable == unasked;
    }
    const bool watched = std::any_of(step.watched.begin(), step.watched.end(),
                                     [&](TensorId tensor) { return !is_among(asked, tensor); });
    const std::string cost = fmt::format(
        "{} backward op{} a step lead{} to no gradient that is asked for, {} (the largest belongs to {})",
        waste.ops, noun_s(waste.ops), verb_s(waste.ops), format_us(waste.us), waste.largest);
    AdviceRow row;
    row.saving_us = waste.us;
    row.location = std::string(location);
    if (unasked != nullptr && waste.size >= kShare * all) {
      row.kind = "unneeded_variable";
      row.subject = std::string(unasked->name);
      row.evidence = fmt::format("variable {} is read on the tape {} and never asked for: {}", unasked->name,
                                 reads == 1 ? "once" : fmt::format("{} times", reads), cost);
      row.fix = fix_for(
          location,
          fmt::format("read {} before the tape begins, or make it with trainable = false", unasked->name),
          python_fix(unasked->name));
      to.push_back(std::move(row));
    } else if (watched) {
      row.kind = "unneeded_work";
      row.subject = std::string(waste.largest);
      row.evidence = cost;
      row.fix = fix_for(location, "watch only what you ask for, or give gradient() the option prune",
                        "watch only what you ask for");
      to.push_back(std::move(row));
    }
  }

  // Recorded, yet nothing that was differentiated came of it.
  std::vector<bool> differentiated = leading_to(step, targets);
  add_insides_of_calls(step, differentiated);
  std::uint32_t recorded = 0, of_all = 0;
  double size = 0;
  const OpRow* first = nullptr;
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    const OpRow& op = step.ops[i];
    if (op.direction != Direction::forward || !op.recorded) continue;
    of_all += (op.flags & OpRecord::kHandle) == 0;
    if (differentiated[i]) continue;
    if (first == nullptr) first = &op;
    ++recorded;
    size += size_of(op);
  }
  if (size >= kWorthwhile || (recorded >= kManyInVain && recorded >= kShareOfTape * of_all)) {
    // A function of which nothing is needed is called in vain.
    const auto function_of = [](const OpRow& op) { return site_with_id(op.site).function; };
    bool all_in_vain = true, before = false, after = false;
    for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
      if (!differentiated[i]) continue;
      all_in_vain &= function_of(step.ops[i]) != function_of(*first);
      if (step.ops[i].site == first->site) (&step.ops[i] < first ? before : after) = true;
    }
    // Where its line runs twice, one of the calls is in vain.
    AdviceRow row;
    if (all_in_vain || before || after) row.helper = called_in_block(step, first->location);
    if (row.helper) row.helper->call.again = before;
    row.kind = "unneeded_work";
    row.subject = first->name;
    row.location = std::string(first->location);
    row.evidence = fmt::format(
        "{} recorded op{} lead{} to no target of a gradient, beginning with {}; the tape keeps their inputs "
        "alive",
        recorded, noun_s(recorded), verb_s(recorded), first->name);
    row.fix = fix_for(first->location, "move them out of the tape's block, or into stop_recording()",
                      "move them out of the tape's with block, or into tape.stop_recording()");
    to.push_back(std::move(row));
  }
}

}  // namespace tapescope::advice
