// Advice from what ops do to parts of a tensor: an example at a time, or all rows where few are looked up.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "engine/explain/python_words.h"
#include "viewer/model/advice.h"
#include "viewer/model/report.h"
#include "viewer/model/units.h"
#include "viewer/store/sources.h"

namespace tapescope::advice {
namespace {

template <std::size_t N>
bool one_of(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Of a line's ops: how many hang on one another, with some computation from one to the next. What only adds
// up or lists what turns made is none: a sum over the batch does the same.
std::uint32_t longest_chain(const StepView& step, SiteId site, std::uint32_t first) {
  constexpr std::array<std::string_view, 7> kCollects = {"Add",      "AddV2", "AddN",  "Sub",
                                                         "ConcatV2", "Pack",  "Concat"};
  struct Chain {
    std::uint32_t length = 0;
    bool computed = true;  // since its last op of the line
    auto operator<=>(const Chain&) const = default;
  };
  std::vector<Chain> chains(step.ops.size());
  std::uint32_t longest = 0;
  for (std::uint32_t i = first; i < step.ops.size(); ++i) {
    const OpRow& op = step.ops[i];
    if (op.direction == Direction::backward) continue;
    Chain& chain = chains[i];
    for (const std::uint32_t from : step.producers_of(op)) {
      if (from != kNoOp) chain = std::max(chain, chains[from]);
    }
    const bool computes = !one_of(kCollects, op.op);
    if (op.site == site && chain.computed) {
      ++chain.length;
      chain.computed = computes;
    }
    chain.computed = chain.computed || computes;
    longest = std::max(longest, chain.length);
  }
  return longest;
}

constexpr std::uint32_t kTurns = 16;  // of a loop; fewer are as quick one by one

// Whether what a line takes beside its parts comes of an earlier turn, as what a reservoir gives today comes
// of what was left yesterday: the line's ops hang on no other of theirs, and yet no batch can replace the
// loop.
bool takes_what_turns_hand_on(const StepView& step, SiteId site, std::uint32_t first, std::uint32_t turns) {
  std::unordered_map<SiteId, std::uint32_t> makers;  // lines that make its operands, and their ops
  for (std::uint32_t i = first; i < step.ops.size(); ++i) {
    if (step.ops[i].site != site || step.ops[i].direction == Direction::backward) continue;
    for (const std::uint32_t from : step.producers_of(step.ops[i])) {
      if (from != kNoOp && step.ops[from].site != site) makers.emplace(step.ops[from].site, 0);
    }
  }
  for (const OpRow& op : step.ops) {
    const auto maker = op.direction != Direction::backward ? makers.find(op.site) : makers.end();
    if (maker != makers.end()) ++maker->second;
  }
  return std::ranges::any_of(makers, [&](const auto& maker) {
    return maker.second >= turns && longest_chain(step, maker.first, 0) > (maker.second + turns - 1) / turns;
  });
}

// The same line again and again, each time on another tensor that the host made, and none building on the
// other.
void loop_over_examples(const StepView& step, std::vector<AdviceRow>& to) {
  struct Line {
    std::uint32_t turns = 0, runs = 0, first = kNoOp;
    std::unordered_set<TensorId> examples;
    double us = 0;
  };
  std::unordered_set<TensorId> numbers;
  for (const HostTensor& made : step.host_made) {
    if (made.site == 0) numbers.insert(made.tensor);
  }
  std::map<std::tuple<SiteId, OpNameId, const Type*>, Line> lines;
  std::unordered_map<SiteId, std::uint32_t> ops_of_line;
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    const OpRow& op = step.ops[i];
    if (op.direction != Direction::forward || !op.recorded || op.in_graph || is_call(op)) continue;
    if (op.flags & OpRecord::kHandle) continue;
    ++ops_of_line[op.site];
    Line& line = lines[{op.site, op.op_id, op.type}];
    ++line.runs;
    const auto inputs = step.inputs_of(op);
    const auto producers = step.producers_of(op);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      if (producers[k] != kNoOp || step.variable(inputs[k]) != nullptr || numbers.contains(inputs[k]))
        continue;
      if (!line.examples.insert(inputs[k]).second) continue;
      if (line.first == kNoOp) line.first = i;
      ++line.turns;
      line.us += op.duration_us;
      break;
    }
  }
  // A loop has several such lines: the first one stands for it.
  const Line* found = nullptr;
  for (const auto& [key, line] : lines) {
    if (line.turns < kTurns || line.turns < line.runs) continue;
    const SiteId site = std::get<SiteId>(key);
    if (longest_chain(step, site, line.first) > (ops_of_line[site] + line.turns - 1) / line.turns ||
        takes_what_turns_hand_on(step, site, line.first, line.turns))
      continue;
    if (found == nullptr || line.first < found->first) found = &line;
  }
  if (found == nullptr) return;
  const OpRow& op = step.ops[found->first];
  to.push_back(
      {.kind = "per_example_loop",
       .subject = op.name,
       .evidence =
           fmt::format("one line runs {} {} times a step, each time on another tensor that the program "
                       "made, {}; no turn needs another's result",
                       op.op, found->turns, format_us(found->us)),
       .fix = "stack the examples into one tensor before the loop and give the op the whole batch: one call "
              "does all of them",
       .location = std::string(op.location),
       .saving_us = std::min(found->us, call_us(step) * found->turns) * (1 - 1.0 / found->turns),
       .helper = {{std::string(op.location), {.in_loop = true}, step.way_to(op)}}});
}

// The variable whose value the input is; any other input itself.
TensorId read_from(const StepView& step, std::uint32_t input) {
  const std::uint32_t from = step.producers[input];
  const bool read = from != kNoOp && (step.ops[from].flags & OpRecord::kHandle) != 0 &&
                    step.ops[from].op == "ReadVariableOp";
  return read ? step.inputs[step.ops[from].first_input] : step.inputs[input];
}

// Whether a loop of Python's takes its parts on that line, which does not say what is done to them.
bool heads_loop(const SourceFiles* sources, std::string_view location) {
  const SourceFile* file = source_of(sources, location);
  const std::uint32_t line = source_place(location).line;
  if (file == nullptr || !is_python(location) || line == 0 || line > file->lines.size()) return false;
  const std::string_view text = file->lines[line - 1];
  const std::size_t begin = text.find_first_not_of(' ');
  return begin != std::string_view::npos && text.substr(begin).starts_with("for ") &&
         text.find(':') != std::string_view::npos;
}

// The same line again and again, each time on another slice of one tensor and none building on the other.
void per_example_loop(const StepView& step, const SourceFiles* sources, std::vector<AdviceRow>& to) {
  constexpr std::array<std::string_view, 5> kSlices = {"StridedSlice", "Slice", "GatherV2", "Unpack",
                                                       "Split"};
  constexpr std::array<std::string_view, 4> kViews = {"Reshape", "ExpandDims", "Squeeze", "Identity"};
  struct Slice {
    TensorId base = 0;  // 0: none
    std::uint32_t op = kNoOp;
  };
  struct Line {
    std::uint32_t turns = 0, ops = 0, first = kNoOp, slice = kNoOp;
    TensorId base = 0;
    double us = 0;
    std::unordered_set<TensorId> parts;  // of `base`
  };
  std::map<SiteId, Line> lines;
  std::vector<Slice> slice_of(step.ops.size());
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    const OpRow& op = step.ops[i];
    if (op.direction == Direction::backward || op.inputs == 0) continue;
    if (one_of(kSlices, op.op)) {
      slice_of[i] = {read_from(step, op.first_input), i};
      continue;
    }
    if (const auto line = lines.find(op.site); line != lines.end()) ++line->second.ops;
    if (one_of(kViews, op.op)) {
      const std::uint32_t from = step.producers[op.first_input];
      if (from != kNoOp) slice_of[i] = slice_of[from];
      continue;
    }
    const auto inputs = step.inputs_of(op);
    const auto producers = step.producers_of(op);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const std::uint32_t from = producers[k];
      if (from == kNoOp || slice_of[from].base == 0) continue;
      Line& line = lines[op.site];
      if (line.turns++ == 0) {
        line.ops = 1;
        line.first = i;
        line.slice = slice_of[from].op;
        line.base = slice_of[from].base;
      }
      if (line.base == slice_of[from].base) line.parts.insert(inputs[k]);
      line.us += op.duration_us;
      break;
    }
  }
  const double call = call_us(step);
  for (auto& [site, line] : lines) {
    // A turn may use its part more than once, or take a part of several tensors, as an input and its label.
    const auto turns = static_cast<std::uint32_t>(line.parts.size());
    if (turns < kTurns) continue;
    // A turn that uses an earlier one's result is a recurrence, which no batch can replace: its chain is
    // longer than what one turn does.
    if (longest_chain(step, site, line.first) > (line.ops + turns - 1) / turns ||
        takes_what_turns_hand_on(step, site, line.first, turns))
      continue;
    const OpRow& op = step.ops[line.first];
    const std::string location(step.ops[line.slice].location);
    to.push_back(
        {.kind = "per_example_loop",
         .subject = op.name,
         .evidence = fmt::format(
             "one line runs {} {} times a step on slices of one tensor, {}; no turn needs another's result",
             op.op, turns, format_us(line.us)),
         .fix =
             fix_for(location, "give the op the whole tensor: one call does the batch",
                     "give the op the whole tensor: one call does the batch; where an op takes one example "
                     "alone, tf.vectorized_map does them at once"),
         .location = location,
         // The batch does the same arithmetic in one call: what is saved for certain is the calls.
         .saving_us = std::min(line.us, call * turns) * (1 - 1.0 / turns)});
    if (!heads_loop(sources, location)) continue;
    if (site_with_id(op.site).function == site_with_id(step.ops[line.slice].site).function)
      to.back().location = std::string(op.location);
    to.back().helper = {std::string(op.location), {.in_loop = true}, step.way_to(op)};
  }
}

// How many of the calls have their first gradient added up, as it is or scaled element by element before.
std::size_t added_up(const StepView& step, const std::vector<std::uint32_t>& calls) {
  constexpr std::array<std::string_view, 4> kSums = {"Add", "AddV2", "AddN", "AssignAddVariableOp"};
  std::unordered_map<TensorId, std::uint32_t> of_call;  // gradients
  for (const GradientAnswer& answer : step.answers) {
    if (answer.index == 0 && answer.gradient != 0 && std::ranges::binary_search(calls, answer.call))
      of_call[answer.gradient] = answer.call;
  }
  std::unordered_set<std::uint32_t> added;
  std::vector<std::uint32_t> scaled(step.ops.size(), kNoOp);  // the call whose gradient the op scales
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    const OpRow& op = step.ops[i];
    const bool sums = one_of(kSums, op.op);
    if (!sums && !op.elementwise) continue;
    const auto inputs = step.inputs_of(op);
    const auto producers = step.producers_of(op);
    for (std::size_t k = 0; k < inputs.size(); ++k) {
      const auto direct = of_call.find(inputs[k]);
      const std::uint32_t call = direct != of_call.end() ? direct->second
                                 : producers[k] != kNoOp ? scaled[producers[k]]
                                                         : kNoOp;
      if (call == kNoOp) continue;
      // A number made of a gradient, such as its norm, is none.
      const std::uint32_t from = direct != of_call.end() ? step.op_of_tensor(inputs[k]) : producers[k];
      if (sums) added.insert(call);
      else if (from != kNoOp && step.ops[from].type == op.type) scaled[i] = call;
    }
  }
  return added.size();
}

// Whether each call asks for the variables' gradient of one example by itself: of what its forward pass makes
// of the data, which ops outside of it made, all has a single row.
bool of_single_rows(const StepView& step, const std::vector<std::uint32_t>& calls) {
  constexpr std::array<std::string_view, 5> kSlices = {"StridedSlice", "Slice", "GatherV2", "ExpandDims",
                                                       "IteratorGetNext"};
  const auto of_variable = [&](TensorId source) { return step.variable(source) != nullptr; };
  std::uint32_t begin = 0;
  for (const std::uint32_t index : calls) {
    const GradientCall& call = step.calls[index];
    const std::uint32_t end = call.targets.empty() ? kNoOp : step.op_of_tensor(call.targets.front());
    if (end == kNoOp || !std::ranges::all_of(call.sources, of_variable)) return false;
    bool single = false;
    for (std::uint32_t i = begin; i <= end; ++i) {
      const OpRow& op = step.ops[i];
      if (op.direction == Direction::backward || !op.recorded || op.type == nullptr) continue;
      const auto inputs = step.inputs_of(op);
      const auto producers = step.producers_of(op);
      bool takes_data = false;
      for (std::size_t k = 0; k < inputs.size(); ++k)
        takes_data |=
            !of_variable(inputs[k]) && (producers[k] == kNoOp || one_of(kSlices, step.ops[producers[k]].op));
      if (!takes_data || op.type->shape.rank() < 2) continue;
      if (op.type->shape[0] != 1) return false;
      single = true;
    }
    if (!single) return false;
    begin = end + 1;
  }
  return true;
}

AdviceRow row_of_tapes(std::string_view location, std::uint64_t count, std::string evidence,
                       double saving_us) {
  return {.kind = "per_example_loop",
          .subject = fmt::format("{} tapes", count),
          .evidence = std::move(evidence),
          .fix = advice::fix_for(
              location,
              "stack the examples into one batch and take one gradient of the sum of their losses: one "
              "tape does all of them; jacobian() of their losses keeps them apart",
              "stack the examples into one batch and take one gradient of the sum of their losses: one "
              "tape does all of them; where each gradient is needed by itself, tape.jacobian of the "
              "losses or tf.vectorized_map gives all at once"),
          .location = std::string(location),
          .saving_us = saving_us};
}

// A tape for each example: one line asks tape after tape for the same sources, and what comes back is added
// up before any of them is updated.
void tape_for_each_example(const StepView& step, std::vector<AdviceRow>& to) {
  struct Line {
    std::vector<std::uint32_t> calls;
    std::unordered_set<TapeId> tapes;
    bool same_sources = true;
    double us = 0;
  };
  std::map<std::string_view, Line> lines;
  for (std::uint32_t i = 0; i < step.calls.size(); ++i) {
    const GradientCall& call = step.calls[i];
    if (call.raised || call.traced) continue;
    Line& line = lines[call.location];
    if (!line.calls.empty()) line.same_sources &= step.calls[line.calls.front()].sources == call.sources;
    line.calls.push_back(i);
    line.tapes.insert(call.tape);
    line.us += call.duration_us;
  }
  for (const auto& [location, line] : lines) {
    const auto count = static_cast<std::uint32_t>(line.calls.size());
    if (count < kTurns || line.tapes.size() < count || !line.same_sources) continue;
    const bool added = added_up(step, line.calls) + 1 >= count;  // the first one may have begun the sum
    if (!added && !of_single_rows(step, line.calls)) continue;
    if (updated_between(step, step.calls[line.calls.front()], step.calls[line.calls.back()])) continue;
    to.push_back(row_of_tapes(
        location, count,
        fmt::format("one line asks {} tapes for a gradient before an update, one tape for each example, {} "
                    "backward; {}",
                    count, format_us(line.us),
                    added ? "the gradients are added up" : "no variable changes in between"),
        call_us(step) * static_cast<double>(step.ops.size()) * (1 - 1.0 / count)));
  }
}

// The first of the ops that make an operand of a whole table, element by element or row by row; kNoOp where
// it is the table itself, or no table.
std::uint32_t made_of_whole(const StepView& step, std::uint32_t operand, const VariableRow*& variable) {
  constexpr int kMost = 8;
  std::uint32_t first = kNoOp;
  for (int depth = 0; depth < kMost; ++depth) {
    const std::uint32_t from = step.producers[operand];
    const bool read = from == kNoOp || step.ops[from].op == "ReadVariableOp";
    if (read) {
      const TensorId handle = from == kNoOp ? step.inputs[operand] : step.inputs[step.ops[from].first_input];
      variable = step.variable(handle);
      return variable != nullptr && variable->type != nullptr ? first : kNoOp;
    }
    const OpRow& op = step.ops[from];
    const bool whole = op.recorded && op.elementwise && op.type != nullptr && op.inputs != 0;
    if (!whole || op.direction == Direction::backward) return kNoOp;
    // The operand that is as large as the result.
    const auto same = [&](std::uint32_t k) {
      const std::uint32_t of = step.producers[op.first_input + k];
      const VariableRow* leaf = step.variable(step.inputs[op.first_input + k]);
      const Type* type = of != kNoOp ? step.ops[of].type : leaf != nullptr ? leaf->type : nullptr;
      return type != nullptr && type->numel == op.type->numel;
    };
    std::uint32_t k = 0;
    while (k < op.inputs && !same(k)) ++k;
    if (k == op.inputs) return kNoOp;
    first = from;
    operand = op.first_input + k;
  }
  return kNoOp;
}

// All rows of a large table are computed with, and few of them are looked up.
void few_of_whole(const StepView& step, std::uint32_t look_up, std::vector<AdviceRow>& to) {
  constexpr std::int64_t kLarge = 10'000, kFew = 8;  // as below
  const OpRow& op = step.ops[look_up];
  const VariableRow* variable = nullptr;
  const std::uint32_t first = made_of_whole(step, op.first_input, variable);
  if (first == kNoOp || variable->type->numel < kLarge || op.type->numel * kFew > variable->type->numel)
    return;
  const OpRow& whole = step.ops[first];
  to.push_back({.kind = "dense_from_sparse",
                .subject = std::string(variable->name),
                .evidence = fmt::format(
                    "{} computes with all {} elements of {}, of which {} looks up {} afterwards: "
                    "its gradient is dense, with all rows, where it could be IndexedSlices of those "
                    "looked up",
                    whole.name, variable->type->numel, variable->name, op.name, op.type->numel),
                .fix = fmt::format(
                    "look the rows of {} up first and compute with those alone, so that the gradient stays "
                    "sparse",
                    variable->name),
                .location = std::string(whole.location),
                .saving_us = whole_us(whole)});
}

// The program computes with the gradient of rows as with any tensor: it has all rows from there on.
void rows_made_dense(const StepView& step, std::vector<AdviceRow>& to) {
  constexpr std::int64_t kLarge = 10'000, kFew = 8;  // as below
  for (const OpRow& op : step.ops) {
    if (op.op != "UnsortedSegmentSum" || op.direction == Direction::backward || op.inputs < 2) continue;
    std::uint32_t from = step.producers[op.first_input];
    while (from != kNoOp &&
           one_of(std::array<std::string_view, 2>{"ConcatV2", "Reshape"}, step.ops[from].op) &&
           step.ops[from].direction != Direction::backward && step.ops[from].inputs > 0)
      from = step.producers[step.ops[from].first_input];
    if (from == kNoOp || step.ops[from].direction != Direction::backward) continue;
    const Type* rows = step.ops[from].type;
    if (op.type == nullptr || rows == nullptr || op.type->numel < kLarge ||
        rows->numel * kFew > op.type->numel)
      continue;
    const auto table = std::ranges::find_if(step.variables, [&](const VariableRow& variable) {
      return variable.trainable && variable.type == op.type;
    });
    const std::string name = table == step.variables.end() ? "a table" : std::string(table->name);
    to.push_back(
        {.kind = "dense_from_sparse",
         .subject = name,
         .evidence = fmt::format(
             "the gradient of {} has the {} rows that were looked up, and {} makes it dense, with all {}",
             name, rows->shape[0], op.location, op.type->shape[0]),
         .fix = fix_for(op.location,
                        "let an optimizer apply it, which updates those rows only: apply_gradients(); or use "
                        "the rows and indices of slices themselves",
                        "let an optimizer apply it, which updates those rows only: apply_gradients(); or use "
                        "scatter_nd_sub with its indices"),
         .location = std::string(op.location),
         .saving_us = whole_us(op)});
    return;
  }
}

// Rows of a large table are looked up, and something else uses it whole: its gradient has all rows.
void dense_from_sparse(const StepView& step, std::vector<AdviceRow>& to) {
  constexpr std::array<std::string_view, 3> kLookUps = {"ResourceGather", "GatherV2", "Gather"};
  constexpr std::int64_t kLarge = 10'000;  // elements; less is as quick whole
  constexpr std::int64_t kFew = 8;         // times fewer rows than the table has
  struct Table {
    const VariableRow* variable = nullptr;
    std::int64_t looked_up = 0;
    std::uint32_t look_up = kNoOp, whole = kNoOp;
  };
  std::map<TensorId, Table> tables;
  // The variable whose value the operand is.
  const auto table_of = [&](TensorId input, std::uint32_t from) -> Table* {
    if (from != kNoOp) {
      const OpRow& read = step.ops[from];
      if (read.op != "ReadVariableOp" || read.inputs == 0 || !read.recorded) return nullptr;
      input = step.inputs[read.first_input];
    }
    const VariableRow* variable = step.variable(input);
    if (variable == nullptr || variable->type == nullptr || variable->type->numel < kLarge) return nullptr;
    Table& table = tables[input];
    table.variable = variable;
    return &table;
  };
  // The one whose elements the operand was computed of, each alone.
  const auto table_behind = [&](std::uint32_t input) {
    constexpr int kMostOps = 8;
    Table* table = table_of(step.inputs[input], step.producers[input]);
    for (int i = 0; table == nullptr && i < kMostOps; ++i) {
      const std::uint32_t from = step.producers[input];
      if (from == kNoOp || !step.ops[from].elementwise || step.ops[from].inputs == 0) break;
      input = step.ops[from].first_input;
      table = table_of(step.inputs[input], step.producers[input]);
    }
    return table;
  };
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    const OpRow& op = step.ops[i];
    if (op.direction == Direction::backward || !op.recorded || op.type == nullptr) continue;
    if (op.op == "ReadVariableOp") continue;
    for (std::uint32_t k = 0; k < op.inputs; ++k) {
      const std::uint32_t operand = op.first_input + k;
      Table* table = k == 0 && one_of(kLookUps, op.op)
                         ? table_behind(operand)
                         : table_of(step.inputs[operand], step.producers[operand]);
      if (table == nullptr && k == 0 && one_of(kLookUps, op.op)) few_of_whole(step, i, to);
      if (table == nullptr) continue;
      if (k == 0 && one_of(kLookUps, op.op)) {
        table->look_up = i;
        table->looked_up += op.type->numel;
      } else if (table->whole == kNoOp && !one_of(kLookUps, op.op) && is_trainable(op.type->dtype)) {
        table->whole = i;
      }
    }
  }
  // A product with one-hot rows looks rows up as well, by way of all of them.
  for (const OpRow& op : step.ops) {
    constexpr std::array<std::string_view, 4> kProducts = {"MatMul", "BatchMatMulV2", "BatchMatMulV3",
                                                           "Einsum"};
    constexpr std::array<std::string_view, 3> kMoves = {"Reshape", "Cast", "Identity"};  // tensordot flattens
    if (!one_of(kProducts, op.op) || op.direction == Direction::backward || op.inputs != 2) continue;
    std::uint32_t from = step.producers[op.first_input];
    while (from != kNoOp && one_of(kMoves, step.ops[from].op) && step.ops[from].inputs > 0)
      from = step.producers[step.ops[from].first_input];
    if (from == kNoOp || step.ops[from].op != "OneHot" || step.ops[from].type == nullptr) continue;
    const Table* table = table_of(step.inputs[op.first_input + 1], step.producers[op.first_input + 1]);
    const Shape& shape = step.ops[from].type->shape;
    if (table == nullptr || shape.rank() == 0 || table->variable->type->shape.rank() != 2) continue;
    const std::int64_t depth = table->variable->type->shape[0];
    const std::int64_t count = step.ops[from].type->numel / std::max<std::int64_t>(1, depth);
    if (shape[shape.rank() - 1] != depth || count * kFew > depth) continue;
    to.push_back(
        {.kind = "dense_from_sparse",
         .subject = std::string(table->variable->name),
         .evidence =
             fmt::format("{} multiplies {} one-hot rows with all {} rows of {}: its gradient is dense, "
                         "where that of a look-up has the rows used alone",
                         op.name, count, depth, table->variable->name),
         .fix =
             fix_for(op.location,
                     fmt::format("look the rows up: gather({}, ids) in place of the product with one_hot, so "
                                 "that the gradient stays sparse",
                                 table->variable->name),
                     "look the rows up with tf.gather in place of the product with one_hot"),
         .location = std::string(op.location),
         .saving_us = whole_us(op)});
    break;
  }
  for (const auto& [handle, table] : tables) {
    if (table.look_up == kNoOp || table.whole == kNoOp) continue;
    if (table.looked_up * kFew > table.variable->type->numel) continue;
    const OpRow& whole = step.ops[table.whole];
    const std::string met = meeting_line(step.way_to(step.ops[table.look_up]), step.way_to(whole));
    to.push_back(
        {.kind = "dense_from_sparse",
         .subject = std::string(table.variable->name),
         .evidence = fmt::format(
             "{} looks up {} of the {} elements of {}, but {} uses the whole table: its gradient is dense, "
             "with all rows, where it could be IndexedSlices of those looked up",
             step.ops[table.look_up].name, table.looked_up, table.variable->type->numel, table.variable->name,
             whole.name),
         .fix = fmt::format("give {} the rows that were looked up in place of {}, so that the gradient stays "
                            "sparse",
                            whole.op, table.variable->name),
         // One line may look up what a helper makes of the whole; else the helper is to be changed.
         .location = met == step.ops[table.look_up].location ? met : std::string(whole.location),
         .saving_us = whole_us(whole)});
  }
}

}  // namespace

void tapes_for_examples(const Snapshot& snapshot, std::vector<AdviceRow>& to) {
  constexpr std::size_t kSeen = 4;  // of the steps at hand
  const auto& recent = snapshot.recent;
  if (snapshot.steps.count() < kTurns || !snapshot.rounds.empty()) return;
  std::size_t alike = 0;
  const GradientCall* known = nullptr;
  double us = 0;
  for (const auto& step : recent) {
    if (step->calls.size() != 1 || !step->assigns.empty() || step->calls[0].raised || step->calls[0].traced ||
        !of_single_rows(*step, {0}))
      continue;
    const GradientCall& call = step->calls[0];
    if (known != nullptr && (known->location != call.location || known->sources != call.sources)) return;
    known = &call;
    us += step->step_us;
    ++alike;
  }
  if (alike < kSeen || alike + 1 < recent.size()) return;
  to.push_back(row_of_tapes(
      known->location, snapshot.steps.count(),
      fmt::format(
          "one line asks {} tapes, each for the gradient of another example of the same variables, {} "
          "each; no variable changes in between",
          snapshot.steps.count(), format_us(us / static_cast<double>(alike))),
      0));
}

void batches(const StepView& step, const SourceFiles* sources, std::vector<AdviceRow>& to) {
  std::map<std::string_view, std::unordered_set<TapeId>> tapes;  // by the line that asks them
  for (const GradientCall& call : step.calls) tapes[call.location].insert(call.tape);
  if (std::ranges::any_of(tapes, [](const auto& line) { return line.second.size() >= kTurns; })) {
    // Each turn is a question: whether a batch does depends on what becomes of the gradients.
    tape_for_each_example(step, to);
  } else {
    const std::size_t known = to.size();
    per_example_loop(step, sources, to);
    if (to.size() == known) loop_over_examples(step, to);
  }
  const std::size_t before = to.size();
  dense_from_sparse(step, to);
  if (to.size() == before) rows_made_dense(step, to);
}

}  // namespace tapescope::advice
