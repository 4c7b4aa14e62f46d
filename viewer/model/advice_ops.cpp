// Advice from single ops: repeated ones, and those that change nothing.
#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "engine/core/tensor.h"
#include "engine/explain/python_words.h"
#include "engine/gate/op_record.h"
#include "viewer/model/advice.h"
#include "viewer/model/report.h"
#include "viewer/model/units.h"
#include "viewer/store/call_lines.h"
#include "viewer/store/op_rows.h"
#include "viewer/store/sources.h"

namespace tapescope::advice {
namespace {

template <std::size_t N>
bool among(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

constexpr double kFlopsOfElement = 10;  // operations that count as much
// Of the forward pass's ops: where so many are in vain it is built wrongly, however small its tensors are.
constexpr double kShareInVain = 0.2;
constexpr std::uint32_t kFewInVain = 4;
// A model that runs again does all of its layers again, which no library does by the way.
constexpr std::uint32_t kLayers = 2;

// Whether ops in vain are worth a remark.
bool worth_mending(const StepView& step, std::uint32_t count, double elements) {
  if (elements >= kWorthMending) return true;
  const auto all = std::count_if(step.ops.begin(), step.ops.end(), [](const OpRow& op) {
    return op.direction == Direction::forward && op.op != "ReadVariableOp";
  });
  return count >= kFewInVain && count >= kShareInVain * static_cast<double>(all);
}

struct Key {
  OpNameId op;
  std::uint32_t type;
  std::uint64_t place;  // of its attributes; 0 where operands and types say all of the op
  std::vector<std::uint64_t> inputs;
  bool operator<(const Key& other) const {
    return std::tie(op, type, place, inputs) < std::tie(other.op, other.type, other.place, other.inputs);
  }
};

// Numbers values: equal numbers are equal tensors. A variable's reads are equal until it is assigned.
class Numbering {
 public:
  explicit Numbering(const StepView& step)
      : step_(step), of_op_(step.ops.size(), kNoOp), of_numbers_(step.ops.size(), false) {
    std::map<std::tuple<std::uint32_t, SiteId, std::uint16_t>, std::uint64_t> known;
    for (const HostTensor& made : step.host_made) {
      const auto value = known.try_emplace({made.type, made.site, made.mark}, kHost | known.size());
      host_[made.tensor] = value.first->second;
    }
  }

  // The op that computed the same before, or kNoOp.
  std::uint32_t add(std::uint32_t index) {
    const OpRow& op = step_.ops[index];
    const bool read = (op.flags & OpRecord::kHandle) != 0 && op.op == "ReadVariableOp";
    const bool product = op.op == "MatMul" && not_square(op);
    const bool plain = read || product || op.elementwise || is_said_by_operands(op) || has_no_attributes(op);
    if (op.outputs != 1 || op.type == nullptr || !(plain || repeats_by_line(op))) return kNoOp;
    Key key{op.op_id, op.type->id, plain ? 0 : place_of_attributes(op), {}};
    for (std::uint32_t k = 0; k < op.inputs; ++k) key.inputs.push_back(value_of(op.first_input + k));
    of_numbers_[index] = true;
    for (std::uint32_t k = op.first_input; k < op.first_input + op.inputs; ++k) {
      const std::uint32_t from = step_.producers[k];
      const bool number = from != kNoOp ? of_numbers_[from] : host_.contains(step_.inputs[k]);
      of_numbers_[index] = of_numbers_[index] && number;
    }
    if (read) key.inputs.push_back(assigned_[step_.inputs[op.first_input]]);
    const auto [known, fresh] = first_.emplace(std::move(key), index);
    of_op_[index] = known->second;
    return fresh || read ? kNoOp : known->second;
  }
  // The first op that computed the same, the op itself where it is the first; kNoOp for one that is not
  // compared.
  std::uint32_t first_of(std::uint32_t index) const { return of_op_[index]; }
  // Whether it was computed of tensors alone that the host made in the step.
  bool of_numbers(std::uint32_t index) const { return of_numbers_[index]; }
  void assigned(TensorId variable) { ++assigned_[variable]; }
  // Equal for inputs, given by their place in StepView::inputs, that are equal tensors.
  std::uint64_t value_of(std::uint32_t input) const {
    const std::uint32_t from = step_.producers[input];
    if (from != kNoOp && of_op_[from] != kNoOp) return std::uint64_t{of_op_[from]} << 32 | kMade;
    const auto made = host_.find(step_.inputs[input]);
    return made != host_.end() ? made->second : step_.inputs[input];
  }

 private:
  static constexpr std::uint64_t kHost = std::uint64_t{1} << 62, kMade = std::uint64_t{1} << 63;

  // Equal operands and an equal result leave no doubt about what was transposed.
  bool not_square(const OpRow& op) const {
    return op.type->shape.rank() == 2 && op.type->shape[0] != op.type->shape[1] && op.inputs == 2 &&
           step_.inputs[op.first_input] != step_.inputs[op.first_input + 1];
  }
  // Attributes, such as an axis, have no record: the same line gives the same ones, but where a loop takes
  // one part of a tensor after the other.
  static bool repeats_by_line(const OpRow& op) {
    constexpr std::array<std::string_view, 15> kParts = {
        "StridedSlice", "Slice", "Split",  "SplitV",    "Unpack", "Roll",           "Pad",    "PadV2",
        "MirrorPad",    "Tile",  "OneHot", "ReverseV2", "Range",  "MatrixBandPart", "Reverse"};
    return is_function_of_operands(op) && !among(kParts, op.op);
  }
  // A layer of Python's libraries gives its ops the same attributes on whichever line of the program it is
  // called.
  static std::uint64_t place_of_attributes(const OpRow& op) {
    constexpr std::uint64_t kLayer = std::uint64_t{1} << 32;
    const ScopeId layer = is_python(op.location) ? site_with_id(op.site).scope : ScopeId{0};
    return layer != 0 ? kLayer | layer : op.site;
  }
  static bool is_function_of_operands(const OpRow& op) {
    if (op.in_graph || op.inputs == 0 || is_call(op) || (op.flags & OpRecord::kHandle)) return false;
    const OpDef* row = row_of_op(op.op);
    return row != nullptr && !(row->flags & (OpDef::kRandom | OpDef::kStateful));
  }
  // Of TensorFlow's ops those without an attribute that changes the result; of an inverse or a solution no
  // one asks for the adjoint.
  static bool has_no_attributes(const OpRow& op) {
    constexpr std::array<std::string_view, 9> kPlain = {
        "Cholesky",    "MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant",
        "MatrixSolve", "Softmax",       "LogSoftmax",        "BiasAdd",
        "L2Loss"};
    return !op.in_graph && is_python(op.location) && among(kPlain, op.op);
  }
  // TensorFlow's axes, shapes and parts are operands, and what else these ops have for attributes shows in
  // the result.
  bool is_said_by_operands(const OpRow& op) const {
    constexpr std::array<std::string_view, 12> kByOperands = {
        "StridedSlice", "Slice", "Pad",  "Tile",      "Sum",        "Mean",
        "Max",          "Min",   "Fill", "Transpose", "ExpandDims", "MatrixDiagV3"};
    if (op.inputs < 2 || op.in_graph || !is_python(op.location) || !among(kByOperands, op.op)) return false;
    const auto inputs = step_.inputs_of(op).subspan(1);
    return std::ranges::all_of(inputs, [&](TensorId operand) { return host_.contains(operand); });
  }

  const StepView& step_;
  std::vector<std::uint32_t> of_op_;
  std::vector<bool> of_numbers_;
  std::map<Key, std::uint32_t> first_;
  std::unordered_map<TensorId, std::uint64_t> assigned_, host_;
};

// Ops that undo the one before them, for every operand that has a result.
bool undoes(std::string_view op, std::string_view before) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kPairs = {
      {{"Exp", "Log"},
       {"Log", "Exp"},
       {"Expm1", "Log1p"},
       {"Log1p", "Expm1"},
       {"Square", "Sqrt"},
       {"Tanh", "Atanh"},
       {"Atanh", "Tanh"},
       {"Sinh", "Asinh"},
       {"Asinh", "Sinh"},
       {"Neg", "Neg"},
       {"Inv", "Inv"},
       {"Reciprocal", "Reciprocal"}}};
  return std::find(kPairs.begin(), kPairs.end(), std::pair(op, before)) != kPairs.end();
}
bool takes_back(std::string_view op, std::string_view before) {
  return (op == "RealDiv" && before == "Mul") || (op == "Mul" && before == "RealDiv") ||
         (op == "Sub" && before.starts_with("Add")) || (op.starts_with("Add") && before == "Sub");
}

// What an op does in vain: its operand comes back from it, or from an op before and it.
struct InVain {
  enum class How : std::uint8_t { no, alone, with_the_one_before } how = How::no;
  std::uint32_t before = kNoOp;  // that it undoes, or that did the same already
};

// Pow whose power is the number 2.
bool squares(const StepView& step, const OpRow& op) {
  if (op.op == "Square") return true;
  if (op.op != "Pow" || op.inputs != 2) return false;
  const auto power = std::ranges::find(step.host_made, step.inputs[op.first_input + 1], &HostTensor::tensor);
  static const std::uint16_t two = values_mark(make_full({}, 2, DType::f64));
  return power != step.host_made.end() && power->mark == two && type_with_id(power->type)->numel == 1;
}

InVain in_vain(const StepView& step, const OpRow& op) {
  using How = InVain::How;
  if (op.inputs == 0 || op.type == nullptr) return {};
  const std::uint32_t from = step.producers[op.first_input];
  if (from == kNoOp) return {};
  // Another shape of the same elements changes nothing for an op on each of them.
  constexpr std::array<std::string_view, 4> kViews = {"Squeeze", "Reshape", "ExpandDims", "Identity"};
  std::uint32_t elements = from;
  while (among(kViews, step.ops[elements].op) && step.ops[elements].inputs > 0 &&
         step.producers[step.ops[elements].first_input] != kNoOp)
    elements = step.producers[step.ops[elements].first_input];
  if (step.ops[elements].direction != Direction::backward &&
      undoes(squares(step, op) ? "Square" : op.op, step.ops[elements].op))
    return {How::with_the_one_before, elements};
  const OpRow& before = step.ops[from];
  if (before.direction == Direction::backward || before.type == nullptr) return {};
  if (before.type == op.type && (op.op == "Cast" || op.op == "Reshape" || op.op == "BroadcastTo"))
    return {How::alone, from};
  if (before.op == op.op && (op.op == "Relu" || op.op == "Abs")) return {How::alone, from};
  if (before.inputs == 0) return {};
  const std::uint32_t first = step.producers[before.first_input];
  // A factor or summand that goes in and comes out again.
  if (takes_back(op.op, before.op) && op.inputs == 2 && before.inputs == 2 && op.type == before.type &&
      step.inputs[op.first_input + 1] == step.inputs[before.first_input + 1])
    return {How::with_the_one_before, from};
  if (first == kNoOp || step.ops[first].type != op.type || op.op != before.op) return {};
  // There and back by a type that holds every value.
  if (op.op == "Cast")
    return is_floating(before.type->dtype) && size_of(before.type->dtype) > size_of(op.type->dtype)
               ? InVain{How::with_the_one_before, from}
               : InVain();
  // Of more than two axes a shape in between that is another one says which they were.
  const bool turned = op.op == "Transpose" && (op.type->shape.rank() == 2 || before.type != op.type);
  const bool back = turned || op.op == "Reshape";
  return back ? InVain{How::with_the_one_before, from} : InVain();
}

// Where the program went in and out of the libraries: ops in a row of one line, which one call made, or
// several of that line one after the other.
class Visits {
 public:
  explicit Visits(const StepView& step) : first_(step.ops.size(), kNoOp) {
    const auto place = [](const OpRow& op) {
      const CallSite site = site_with_id(op.site);
      return std::pair(site.file, site.line);
    };
    for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
      const bool same = i > 0 && step.ops[i].site != 0 && place(step.ops[i]) == place(step.ops[i - 1]);
      first_[i] = same ? first_[i - 1] : i;
    }
  }
  std::uint32_t first(std::uint32_t op) const { return first_[op]; }

 private:
  std::vector<std::uint32_t> first_;
};

std::string_view function_of(const OpRow& op) { return site_with_id(op.site).function; }

// Functions of one name, such as the call() of two layers, differ by where the text has them begin.
class Functions {
 public:
  using Place = std::tuple<std::string_view, std::string_view, std::uint32_t>;  // file, name, line
  explicit Functions(const SourceFiles* sources) : sources_(sources) {}

  Place of(const OpRow& op) {
    const auto [known, first] = known_.try_emplace(op.site);
    if (first) {
      const CallSite site = site_with_id(op.site);
      const SourceFile* file = source_of(sources_, op.location);
      known->second = {site.file, site.function, file ? function_around(*file, site.line).line : 0};
    }
    return known->second;
  }

 private:
  const SourceFiles* sources_;
  std::unordered_map<SiteId, Place> known_;
};

// The ops that use what each op made, forward.
std::vector<std::vector<std::uint32_t>> users_of(const StepView& step) {
  std::vector<std::vector<std::uint32_t>> users(step.ops.size());
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    if (step.ops[i].direction == Direction::backward) continue;
    for (const std::uint32_t from : step.producers_of(step.ops[i])) {
      if (from != kNoOp) users[from].push_back(i);
    }
  }
  return users;
}

// The ops whose results go nowhere but behind a stop_gradient: taken for a constant there, while the same
// value with its gradient serves another loss. Two sides that learn in turns are written so on purpose.
std::vector<bool> held_apart(const StepView& step) {
  const auto users = users_of(step);
  std::vector<bool> apart(step.ops.size(), false);
  for (std::uint32_t i = static_cast<std::uint32_t>(step.ops.size()); i-- > 0;) {
    apart[i] =
        step.ops[i].op == "StopGradient" ||
        (!users[i].empty() && std::ranges::all_of(users[i], [&](std::uint32_t user) { return apart[user]; }));
  }
  return apart;
}

bool multiplies_weights(const StepView& step, const OpRow& op) {
  constexpr std::array<std::string_view, 4> kProducts = {"MatMul", "BatchMatMulV2", "Conv2D", "Einsum"};
  if (!among(kProducts, op.op)) return false;
  return std::ranges::any_of(step.producers_of(op), [&](std::uint32_t from) {
    return from != kNoOp && step.ops[from].op == "ReadVariableOp";
  });
}

struct SecondCall {
  std::uint32_t op = kNoOp;
  bool apart = false;             // the results never meet
  std::uint32_t between = kNoOp;  // the first op of a function in between, which called the helper itself
};
// Where a helper that two calls ran alike was called for the second time: the function in which both results
// meet called them, directly or not, and the first of its ops that the repeat leads to is on the line of that
// call or soon after it. No op where they never meet, or meet in the helper.
SecondCall second_call(const StepView& step, Functions& functions, std::uint32_t original,
                       std::uint32_t repeat) {
  const auto users = users_of(step);
  const auto led_to = [&](std::uint32_t op) {
    std::vector<bool> reached(step.ops.size(), false);
    reached[op] = true;
    for (std::uint32_t i = op; i < step.ops.size(); ++i) {
      for (const std::uint32_t user : users[i]) reached[user] = reached[user] || reached[i];
    }
    return reached;
  };
  const std::vector<bool> one = led_to(original), other = led_to(repeat);
  std::uint32_t meet = repeat;
  while (meet < step.ops.size() && !(one[meet] && other[meet])) ++meet;
  if (meet == step.ops.size()) return {.apart = true};
  if (meet == repeat) return {};
  const Functions::Place caller = functions.of(step.ops[meet]), helper = functions.of(step.ops[repeat]);
  if (function_of(step.ops[meet]).empty() || caller == helper) return {};
  std::uint32_t between = kNoOp;
  for (std::uint32_t i = repeat; i <= meet; ++i) {
    const Functions::Place function = functions.of(step.ops[i]);
    if (!other[i] || function == helper) continue;
    if (function == caller) return {.op = i, .between = between};
    if (between == kNoOp) between = i;
  }
  return {};
}

std::unordered_set<SiteId> lines_that_draw(const StepView& step) {
  std::unordered_set<SiteId> lines;
  for (const OpRow& op : step.ops) {
    const OpDef* row = row_of_op(op.op);
    if (row != nullptr && (row->flags & OpDef::kRandom) != 0) lines.insert(op.site);
  }
  return lines;
}

void repeated_work(const StepView& step, const SourceFiles* sources, std::vector<AdviceRow>& to) {
  Numbering numbering(step);
  Functions functions(sources);
  std::size_t assign = 0;
  std::uint32_t count = 0;
  double us = 0, elements = 0;
  struct Repeat {
    const OpRow *op = nullptr, *original = nullptr;
    double work = -1;
  };
  Repeat end;                                        // of what is repeated: its result is what to keep
  Repeat heaviest;                                   // op by itself
  std::vector<double> repeated(step.ops.size(), 0);  // work that leads to each repeat, its own included
  std::uint32_t of_weights = 0;                      // products with a variable: a layer that ran again
  std::uint32_t of_tensors = 0;  // of more than numbers: a helper's constant is no part of a wrong build
  const Visits visits(step);
  const std::unordered_set<SiteId> drawing = lines_that_draw(step);
  const std::vector<bool> apart_on_purpose = held_apart(step);
  std::uint32_t began = kNoOp, begins_with = kNoOp,
                again = kNoOp;  // the visit, its first op, and where that came again
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    for (; assign < step.assigns.size() && step.assigns[assign].after_op <= i; ++assign)
      numbering.assigned(step.assigns[assign].variable);
    const OpRow& op = step.ops[i];
    const std::uint32_t same = numbering.add(i);
    if (visits.first(i) != began) began = visits.first(i), begins_with = again = kNoOp;
    if (numbering.first_of(i) != kNoOp && op.op != "ReadVariableOp") {
      if (begins_with == kNoOp) begins_with = numbering.first_of(i);
      else if (numbering.first_of(i) == begins_with) again = i;
    }
    // What the backward pass repeats the program did not write.
    if (same == kNoOp || op.direction == Direction::backward ||
        step.ops[same].direction == Direction::backward)
      continue;
    // Ops beside random numbers on one line, such as the scale of a dropout, are the library's.
    if (op.elementwise && drawing.contains(op.site)) continue;
    // What a library computes twice in one call of the program's, it has to mend itself.
    if (is_python(op.location) && visits.first(same) == began && again == kNoOp) continue;
    // Optimizers and losses of Python's libraries compute their scalars for each variable, at one line of the
    // program.
    if (op.type->numel == 1 && op.location == step.ops[same].location && is_python(op.location)) continue;
    repeated[i] = work_of(op);
    for (const std::uint32_t from : step.producers_of(op)) repeated[i] += from != kNoOp ? repeated[from] : 0;
    if (repeated[i] > end.work) end = {&op, &step.ops[same], repeated[i]};
    if (work_of(op) > heaviest.work) heaviest = {&op, &step.ops[same], work_of(op)};
    ++count;
    of_weights += multiplies_weights(step, op);
    of_tensors += op.direction == Direction::forward && !numbering.of_numbers(i) &&
                  apart_on_purpose[i] == apart_on_purpose[same];
    us += op.duration_us;
    elements += std::max(static_cast<double>(op.type->numel), op.flops / kFlopsOfElement);
  }
  const bool model_again = of_weights >= kLayers && count >= kFewInVain;
  if (end.op == nullptr || !(model_again || worth_mending(step, of_tensors, elements))) return;
  const auto index_of = [&](const OpRow* op) { return static_cast<std::uint32_t>(op - step.ops.data()); };
  // A helper's line says nothing of who calls it twice.
  const auto called_again = [&](const Repeat& repeat) {
    return repeat.op->site == repeat.original->site
               ? second_call(step, functions, index_of(repeat.original), index_of(repeat.op))
               : SecondCall();
  };
  SecondCall again_at = called_again(end);
  if (again_at.op == kNoOp && !again_at.apart) {
    end = heaviest;
    again_at = called_again(heaviest);
  }
  const OpRow *const first = end.op, *const original = end.original;
  const std::string met = first->site != original->site
                              ? std::string()
                              : meeting_line(step.way_to(*original), step.way_to(*first));
  if (!met.empty()) again_at = {};
  const auto [call, apart, between] = again_at;
  std::string called;
  if (call != kNoOp || !met.empty())
    called = fmt::format(" in {} at {}", function_of(*first), first->location);
  if (call != kNoOp) called += fmt::format(", on the way to {}", step.ops[call].name);
  to.push_back(
      {.kind = "repeated_work",
       .subject = first->name,
       .evidence = fmt::format(
           "{} op{} a step compute{} what an earlier op of the step has computed, {}; {} repeats {}{}", count,
           noun_s(count), verb_s(count), format_us(us), first->name, original->name, called),
       .fix = fix_for(
           first->location,
           "keep the first result in a variable of the program, or let a function's optimizer find it",
           "compute it once and reuse the first result"),
       .location = std::string(call == kNoOp ? first->location : step.ops[call].location),
       .saving_us = us});
  if (!met.empty()) to.back().location = met;
  if (call == kNoOp && !apart) return;
  const SourcePlace after = call == kNoOp ? SourcePlace() : source_place(step.ops[call].location);
  to.back().helper = {std::string(first->location),
                      {.again = true, .file = std::string(after.file), .last = after.line}};
  if (between == kNoOp) return;
  const SourcePlace user = source_place(step.ops[between].location);
  to.back().helper->call = {.file = std::string(user.file), .first = user.line, .last = user.line};
}

// Whether the function of the one op calls that of the other, as far as the text says.
bool calls_function(const SourceFiles* sources, const OpRow& one, const OpRow& other) {
  const SourceFile *file = source_of(sources, one.location), *called = source_of(sources, other.location);
  if (file == nullptr || called == nullptr) return false;
  const auto line_of = [&](std::uint32_t line) { return function_around(*file, line).line; };
  const FunctionText function = function_around(*called, source_place(other.location).line);
  const auto calls = lines_that_call(*file, {function.name, file == called ? function.line : 0, {}});
  return std::ranges::any_of(
      calls, [&](std::uint32_t line) { return line_of(line) == line_of(source_place(one.location).line); });
}

void redundant_ops(const StepView& step, const SourceFiles* sources, std::vector<AdviceRow>& to) {
  using How = InVain::How;
  std::uint32_t count = 0;
  double us = 0, elements = 0;
  const OpRow *first = nullptr, *undone = nullptr;
  bool pair = false;
  bool written = false;  // on two lines of the program, hence by itself and no library
  for (const OpRow& op : step.ops) {
    if (op.direction == Direction::backward) continue;
    const InVain vain = in_vain(step, op);
    if (vain.how == How::no) continue;
    const bool both = vain.how == How::with_the_one_before;
    if (first == nullptr) first = &op, undone = &step.ops[vain.before], pair = both;
    written |= both && op.op != "Reshape" && op.op != "Cast" && op.location != step.ops[vain.before].location;
    ++count;
    us += op.duration_us;
    elements += static_cast<double>(op.type->numel);
    if (both) us += step.ops[vain.before].duration_us;
  }
  // A few that libraries leave in their helpers are nothing to mend.
  if (first == nullptr || (is_python(first->location) && elements < kWorthMending && !written)) return;
  const OpRow& before = *undone;
  to.push_back(
      {.kind = "redundant_ops",
       .subject = first->name,
       .evidence = fmt::format(
           "{} op{} a step change{} nothing or undo{} the op before, {}; the first is {}{}", count,
           noun_s(count), verb_s(count), count == 1 ? "es" : "", format_us(us), first->name,
           pair ? fmt::format(", which undoes the {} at {}", before.op, before.location) : std::string()),
       .fix = pair ? fmt::format("leave both the {} and the {} out", before.op, first->op) : "leave them out",
       .location = std::string(first->location),
       .saving_us = us});
  if ((pair || before.op == first->op) && function_of(before) != function_of(*first) &&
      !calls_function(sources, *first, before))
    to.back().helper = {.location = std::string(first->location), .call = {}, .way = step.way_to(*first)};
}

}  // namespace

void repeated(const StepView& step, const SourceFiles* sources, std::vector<AdviceRow>& to) {
  repeated_work(step, sources, to);
  redundant_ops(step, sources, to);
}

}  // namespace tapescope::advice
