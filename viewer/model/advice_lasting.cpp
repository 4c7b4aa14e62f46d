// Advice about what each round of a loop computes again from operands that stay the same.
#include <algorithm>
#include <array>
#include <string>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "engine/explain/python_words.h"
#include "viewer/model/advice.h"
#include "viewer/model/units.h"
#include "viewer/store/op_rows.h"

namespace tapescope::advice {
namespace {

bool is_function_of_operands(std::string_view name) {
  // Of TensorFlow's own, which grids such as tf.linspace are made of.
  constexpr std::array<std::string_view, 6> kOthers = {"Shape",         "Size",  "Rank",
                                                       "BroadcastArgs", "Range", "Fill"};
  if (std::ranges::find(kOthers, name) != kOthers.end()) return true;
  const OpDef* row = row_of_op(name);
  return row != nullptr && (row->flags & (OpDef::kRandom | OpDef::kStateful)) == 0;
}

// A variable that nothing trains: no question is about it, and the step gives it no value.
bool is_frozen(const Snapshot& snapshot, const StepView& step, TensorId handle) {
  return !asked_in_run(snapshot, handle) &&
         std::ranges::none_of(step.assigns, [&](const AssignRow& row) { return row.variable == handle; });
}

// Of the lines that led to the op the outermost that leads to no op of which `other` is true; where each
// does, the call of its function if all of that is the same, else its own line. Empty where the program does
// not record what led to it.
template <class Other>
std::string outermost_line(const StepView& step, const OpRow& op, Other&& other) {
  const auto line_of = [](SiteId site) { return location_text(site_with_id(site)); };
  const std::vector<SiteId> way = step.way_to(op);
  if (way.size() < 2) return {};
  const CallSite own = site_with_id(op.site);
  std::unordered_set<std::string> mixed;
  bool own_mixed = false;
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    if (!other(i)) continue;
    for (const SiteId site : step.way_to(step.ops[i])) {
      const CallSite at = site_with_id(site);
      own_mixed |= at.file == own.file && at.function == own.function;
      mixed.insert(line_of(site));
    }
  }
  std::size_t level = 0;
  while (level + 1 < way.size() && !mixed.contains(line_of(way[level + 1]))) ++level;
  return line_of(way[level == 0 && !own_mixed ? 1 : level]);
}

void lasting_work(const Snapshot& snapshot, const StepView& step, bool between, std::vector<AdviceRow>& to) {
  constexpr double kHeavy = 10'000;  // operations, some calls' worth; less is as quick in each round
  constexpr double kMost = 0.3;      // of the forward pass
  // What comes of numbers alone, such as a grid or a table, or of few elements: many calls, and a result that
  // is worth keeping.
  constexpr std::uint32_t kCompared = 16, kComparedByHooks = 1024, kManyCalls = 6;
  constexpr std::uint32_t kShareOfData = 3, kShareOfNumbers = 4;  // one in so many of the pass's calls
  constexpr double kTable = 200;  // elements or operations; of fewer the grid of a sum over a few points
  if (step.lasting.empty()) return;
  // Numbers, and tensors that hold the same as far as is known: they go along with what is known to be the
  // same. Of so few elements that all of them were compared it is known.
  std::unordered_set<TensorId> alike, numbers;
  for (const HostTensor& made : step.host_made) {
    const bool again = std::ranges::binary_search(step.lasting, made.tensor);
    const Type* type = type_with_id(made.type);
    const auto compared = [&] {
      return is_python(location_text(site_with_id(made.site))) ? kComparedByHooks : kCompared;
    };
    if (again && type != nullptr && type->numel <= compared()) numbers.insert(made.tensor);
    else if (made.site == 0 || again) alike.insert(made.tensor);
  }
  enum class Operand : std::uint8_t { changes, alike, number, same };
  std::vector<Operand> result(step.ops.size(), Operand::changes);
  struct Lasting {
    double saved = 0, us = 0;
    std::uint32_t count = 0;
    const OpRow* largest = nullptr;
    bool of_weights = false;
    void add(const OpRow& op) {
      ++count;
      saved += work_of(op);
      us += op.duration_us;
      if (largest == nullptr || work_of(op) > work_of(*largest)) largest = &op;
    }
  };
  Lasting of_tensors, of_numbers;
  double all = 0;
  std::uint32_t calls = 0;
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    const OpRow& op = step.ops[i];
    if (op.direction == Direction::backward || (op.direction == Direction::update && !between)) continue;
    all += work_of(op);
    calls += (op.flags & OpRecord::kHandle) == 0;
    if (const TensorId handle = handle_read(step, op); handle != 0 && is_frozen(snapshot, step, handle)) {
      result[i] = Operand::alike;
      continue;
    }
    if (op.in_graph || is_call(op) || (op.flags & OpRecord::kHandle) || !is_function_of_operands(op.op))
      continue;
    const auto inputs = step.inputs_of(op);
    const auto producers = step.producers_of(op);
    Operand most = Operand::changes, least = Operand::same;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      Operand operand = Operand::changes;
      if (producers[k] != kNoOp) operand = result[producers[k]];
      else if (numbers.contains(inputs[k])) operand = Operand::number;
      else if (alike.contains(inputs[k])) operand = Operand::alike;
      else if (step.variable(inputs[k]) == nullptr && std::ranges::binary_search(step.lasting, inputs[k]))
        operand = Operand::same;
      most = std::max(most, operand);
      least = std::min(least, operand);
    }
    result[i] = least != Operand::changes && most == Operand::same ? most : least;
    if (result[i] < Operand::number || inputs.empty()) continue;
    if (between && op.direction != Direction::update) continue;
    Lasting& made = result[i] == Operand::same ? of_tensors : of_numbers;
    made.add(op);
    made.of_weights |= std::ranges::any_of(producers, [&](std::uint32_t from) {
      return from != kNoOp && handle_read(step, step.ops[from]) != 0;
    });
  }
  const auto table = [&](const Lasting& made, std::uint32_t share) {
    return !between && made.count >= kManyCalls && made.count * share >= calls &&
           work_of(*made.largest) >= kTable;
  };
  // A call of the engine costs next to nothing, one of Python's much; a small frozen model may stay as it is.
  const bool many =
      table(of_tensors, kShareOfData) && is_python(of_tensors.largest->location) && !of_tensors.of_weights;
  const bool tensors = (of_tensors.saved >= kHeavy && of_tensors.saved >= kMost * all) || many;
  const bool tables = table(of_numbers, kShareOfNumbers);
  if (!tensors && !tables) return;
  const Operand kept = tensors ? Operand::same : Operand::number;
  const auto& [saved, us, count, largest, of_weights] = tensors ? of_tensors : of_numbers;
  to.push_back(
      {.kind = "repeated_work",
       .subject = largest->name,
       .evidence = fmt::format("{} op{} compute{} the same result again in each round, {}: {} and what leads "
                               "to it use no variable that is trained, and {} the same the round before",
                               count, noun_s(count), verb_s(count), format_us(us), largest->name,
                               tensors ? "their operands were" : "the numbers that they begin with were"),
       .fix = "compute it once before the loop and reuse the result",
       .location = std::string(largest->location),
       .saving_us = us});
  // The outermost line on the way to it all of whose ops come to the same again.
  const auto changes = [&](std::uint32_t i) {
    const OpRow& op = step.ops[i];
    return op.direction != Direction::backward && !is_call(op) && result[i] == Operand::changes &&
           (between ? op.direction == Direction::update : op.direction != Direction::update);
  };
  if (const std::string line = outermost_line(step, *largest, changes); !line.empty()) {
    if (line != largest->location) to.back().evidence += fmt::format(", at {}", largest->location);
    to.back().location = line;
    return;
  }
  // Before the tape, the line of the loop that leads to it.
  if (between) {
    to.back().helper = {std::string(largest->location), {.in_loop = true, .of = largest->name}};
    return;
  }
  if (!(to.back().helper = called_in_block(step, largest->location))) return;
  // Where a helper's callers are not known, the line that takes what it computed.
  const std::string_view helper = site_with_id(largest->site).function;
  const auto of_helper = [&](std::uint32_t i) {
    return i != kNoOp && result[i] >= kept && site_with_id(step.ops[i].site).function == helper;
  };
  auto last = static_cast<std::uint32_t>(largest - step.ops.data());
  for (std::uint32_t i = last; i < step.ops.size(); ++i) {
    if (of_helper(i)) last = i;
  }
  for (std::uint32_t i = last + 1; i < step.ops.size(); ++i) {
    const OpRow& op = step.ops[i];
    if (op.direction == Direction::backward || std::ranges::none_of(step.producers_of(op), of_helper))
      continue;
    to.back().location = std::string(op.location);
    return;
  }
}

}  // namespace

void lasting(const Snapshot& snapshot, const StepView& step, std::vector<AdviceRow>& to) {
  lasting_work(snapshot, step, false, to);
}

void lasting_between(const Snapshot& snapshot, const StepView& step, std::vector<AdviceRow>& to) {
  lasting_work(snapshot, step, true, to);
}

}  // namespace tapescope::advice
