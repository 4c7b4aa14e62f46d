// Second pass: what needs all rows at once.
#include "viewer/store/step_view.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "engine/events/clock.h"
#include "engine/gate/op.h"
#include "viewer/store/op_rows.h"
#include "viewer/store/step_parser.h"
#include "viewer/store/surroundings.h"

namespace tapescope {

std::string_view name_of(Direction direction) {
  constexpr std::string_view kNames[] = {"forward", "backward", "update", "other"};
  return kNames[static_cast<int>(direction)];
}

std::vector<SiteId> StepView::way_to(const OpRow& op) const {
  std::vector<SiteId> way{op.site};
  if (!surroundings || !surroundings->knows_callers()) return way;
  const CallSite site = site_with_id(op.site);
  for (const SiteId caller : surroundings->callers(site.file, site.line, op.output)) way.push_back(caller);
  return way;
}

void StepView::index() {
  by_output_.clear();
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (ops[i].output != 0) by_output_.push_back(i);
  }
  const auto output = [this](std::uint32_t op) { return ops[op].output; };
  if (!std::ranges::is_sorted(by_output_, {}, output)) std::ranges::sort(by_output_, {}, output);
  by_handle_.resize(variables.size());
  std::iota(by_handle_.begin(), by_handle_.end(), 0u);
  std::ranges::sort(by_handle_, {}, [this](std::uint32_t v) { return variables[v].id; });
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(nodes, 0));
  op_at_.assign(count, kNoOp);
  walk_at_.assign(count, kNoOp);
  const auto note = [count](std::vector<std::uint32_t>& table, std::int64_t node, std::uint32_t index) {
    const auto at = static_cast<std::size_t>(node);
    if (node >= 0 && at < count && table[at] == kNoOp) table[at] = index;
  };
  for (std::uint32_t i = 0; i < ops.size(); ++i) note(op_at_, ops[i].node, i);
  for (std::uint32_t i = 0; i < backward_steps.size(); ++i) note(walk_at_, backward_steps[i].node, i);
  indexed_ = true;
}

std::uint32_t StepView::op_making(TensorId tensor, std::uint32_t op) const {
  return tensor >= ops[op].output && tensor < ops[op].output + std::max(ops[op].outputs, 1u) ? op : kNoOp;
}

std::uint32_t StepView::op_of_tensor(TensorId tensor) const {
  if (indexed_) {
    const auto after =
        std::ranges::upper_bound(by_output_, tensor, {}, [this](std::uint32_t op) { return ops[op].output; });
    return after == by_output_.begin() ? kNoOp : op_making(tensor, after[-1]);
  }
  for (std::uint32_t i = 0; i < ops.size(); ++i) {
    if (op_making(tensor, i) != kNoOp) return i;
  }
  return kNoOp;
}

std::uint32_t StepView::op_at_node(std::int64_t node, std::uint32_t* backward_step) const {
  if (backward_step) *backward_step = kNoOp;
  if (node < 0) return kNoOp;
  std::uint32_t op = kNoOp, walk = kNoOp;
  if (indexed_) {
    if (node >= static_cast<std::int64_t>(op_at_.size())) return kNoOp;
    op = op_at_[static_cast<std::size_t>(node)];
    walk = walk_at_[static_cast<std::size_t>(node)];
  } else {
    const auto at = std::ranges::find(ops, node, &OpRow::node);
    if (at != ops.end()) op = static_cast<std::uint32_t>(at - ops.begin());
    const auto step = std::ranges::find(backward_steps, node, &BackwardStep::node);
    if (step != backward_steps.end()) walk = static_cast<std::uint32_t>(step - backward_steps.begin());
  }
  if (op != kNoOp || walk == kNoOp) return op;
  if (backward_step) *backward_step = walk;
  return backward_steps[walk].forward_op;
}

std::int64_t number_of_op(const StepView& view, std::uint32_t op) {
  const OpRow& row = view.ops[op];
  const bool walked = row.direction == Direction::backward && row.backward_step < view.backward_steps.size();
  return (walked ? view.backward_steps[row.backward_step].node : row.node) + 1;
}

std::string text_of_op(const StepView& view, std::uint32_t op) {
  const std::int64_t number = number_of_op(view, op);
  return number > 0 ? "op " + std::to_string(number) : view.ops[op].name;
}

const VariableRow* StepView::variable(TensorId handle) const {
  if (indexed_) {
    const auto at =
        std::ranges::lower_bound(by_handle_, handle, {}, [this](std::uint32_t v) { return variables[v].id; });
    return at != by_handle_.end() && variables[*at].id == handle ? &variables[*at] : nullptr;
  }
  const auto at = std::ranges::find(variables, handle, &VariableRow::id);
  return at != variables.end() ? &*at : nullptr;
}

void StepParser::link() {
  TensorId low = ~TensorId{0}, high = 0;
  for (const OpRow& row : view_.ops) {
    if (row.output == 0) continue;
    low = std::min(low, row.output);
    high = std::max(high, row.output + row.outputs);
  }
  producer_.prepare(low, high, view_.ops.size());
  for (std::uint32_t i = 0; i < view_.ops.size(); ++i) {
    for (std::uint32_t k = 0; k < std::max(view_.ops[i].outputs, 1u); ++k) {
      if (view_.ops[i].output != 0) producer_.set(view_.ops[i].output + k, i);
    }
  }
  view_.producers.reserve(view_.inputs.size());
  for (TensorId input : view_.inputs) view_.producers.push_back(producer_.find(input));
  for (const auto& [seen, output] : seen_forward_) view_.seen[seen].index = producer_.find(output);
  for (const Pending& pending : pending_) {
    const std::uint32_t forward = producer_.find(pending.output);
    BackwardStep& step = view_.backward_steps[pending.step];
    step.forward_op = forward;
    if (forward != kNoOp && view_.ops[forward].direction != Direction::backward) {
      view_.ops[forward].backward_step = pending.step;
    }
  }
  for (OpRow& row : view_.ops) {
    if (row.direction == Direction::backward && row.backward_step != kNoOp) {
      row.partner = view_.backward_steps[row.backward_step].forward_op;
    }
  }
}

NameId StepParser::name_given(TensorId tensor) const {
  if (const auto named = names_.find(tensor); named != names_.end()) return named->second;
  auto known = local_.find(tensor);
  if (!known && data_.surroundings) known = data_.surroundings->find(tensor);
  return known ? known->name : around_ ? around_->name_given(tensor) : 0;
}

const Type* StepParser::type_of(TensorId tensor) const {
  if (const std::uint32_t op = producer_.find(tensor); op != kNoOp) {
    if (view_.ops[op].output == tensor) return view_.ops[op].type;
    const auto found = later_outputs_.find(tensor);
    return found == later_outputs_.end() ? nullptr : type_with_id(found->second);
  }
  auto known = local_.find(tensor);
  if (!known && data_.surroundings) known = data_.surroundings->find(tensor);
  if (known && known->has_type) return type_with_id(known->type);
  return around_ ? around_->type_of(tensor) : nullptr;
}

// Some tensors leave no record: a number among the operands is a scalar, and where a walk begins it is the
// cotangent of the target, which has the target's type.
const Type* StepParser::type_unseen(const OpRow& row) const {
  if (!row.type) return nullptr;
  if (row.partner != kNoOp && row.backward_step != kNoOp) {
    const BackwardStep& step = view_.backward_steps[row.backward_step];
    const OpRow& forward = view_.ops[row.partner];
    if (step.call < view_.calls.size()) {
      for (TensorId target : view_.calls[step.call].targets) {
        if (target >= forward.output && target < forward.output + forward.outputs) return forward.type;
      }
    }
  }
  return intern_type(row.type->dtype, Shape{});
}

namespace {

// More inputs or outputs than the cost of any op reads one by one, and the type of one that is not there.
constexpr std::size_t kMostRead = 8;
const Type kAbsent{};

}  // namespace

void StepParser::describe() {
  NameGiver names;
  std::vector<const Type*> in, out;
  struct Def {
    const OpDef* row = nullptr;
    bool elementwise = false;
  };
  std::unordered_map<OpNameId, Def> defs;
  const std::unordered_set<TensorId> watched(view_.watched.begin(), view_.watched.end());
  for (std::uint32_t i = 0; i < view_.ops.size(); ++i) {
    OpRow& row = view_.ops[i];
    const CallSite site = site_with_id(row.site);
    row.scope_id = site.scope;
    row.scope = texts_.scope(site.scope);
    row.location = texts_.location(row.site);
    in.clear();
    for (TensorId input : view_.inputs_of(row)) {
      const Type* type = type_of(input);
      in.push_back(type || watched.contains(input) ? type : type_unseen(row));
    }
    out.clear();
    if (row.output != 0) out.push_back(row.type);
    for (std::uint32_t k = 1; k < row.outputs; ++k) out.push_back(type_of(row.output + k));
    row.types = texts_.shapes(in);
    row.output_type = texts_.shapes(out);
    row.dtype = row.type ? tapescope::name_of(row.type->dtype) : std::string_view();
    // A backward step whose gradients leave no record: it is given one for each output of its forward op, and
    // returns one for each input.
    if (row.output == 0 && row.inputs == 0 && row.direction == Direction::backward && row.partner < i) {
      const OpRow& forward = view_.ops[row.partner];
      row.types = forward.output_type, row.output_type = forward.types, row.dtype = forward.dtype;
    }
    for (const Type* type : out) row.output_bytes += type ? type->bytes : 0;

    if (const auto named = names_.find(row.output); named != names_.end())
      row.tensor_name = name_text(named->second);
    const VariableRow* variable = (row.flags & OpRecord::kHandle) && row.inputs
                                      ? view_.variable(view_.inputs[row.first_input])
                                      : nullptr;
    if (variable) {
      row.tensor_name = variable->name;
      row.name = names.name(variable->name, row.op);
    } else if (row.direction == Direction::backward && row.partner != kNoOp && row.partner < i) {
      row.name = names.name(view_.ops[row.partner].name + "_grad", row.op);
    } else {
      row.name = names.name(row.scope, row.op);
    }

    const auto [def, added] = defs.try_emplace(row.op_id);
    if (added) {
      const OpDef* found = row_of_op(row.op);
      def->second = {found, found && is_elementwise(*found)};
    }
    const OpDef* const table_row = def->second.row;
    row.elementwise = def->second.elementwise;
    const bool known = std::find(in.begin(), in.end(), nullptr) == in.end() &&
                       std::find(out.begin(), out.end(), nullptr) == out.end();
    if (table_row && table_row->cost && known) {
      // Operands may not have come, and another program's op of this name may have fewer.
      in.resize(std::max<std::size_t>(in.size(), kMostRead), &kAbsent);
      out.resize(std::max<std::size_t>(out.size(), kMostRead), &kAbsent);
      const OpCost cost = table_row->cost(in, out, kNoAttrs);
      row.flops = cost.flops;
      row.bytes = cost.bytes;
    } else if (!table_row || !(table_row->flags & OpDef::kView)) {
      // Without a row: what it reads and writes once.
      for (const Type* type : in)
        row.bytes += type && type->dtype != DType::resource ? static_cast<double>(type->bytes) : 0;
      row.bytes += static_cast<double>(row.output_bytes);
    }
  }
}

void StepParser::directions() {
  std::uint32_t begin = 0;
  for (std::size_t s = 0; s < segment_end_.size(); ++s) {
    const bool walked = last_backward_[s] > begin && (graph_gradients_ || !view_.backward_steps.empty());
    for (std::uint32_t i = begin; i < segment_end_[s]; ++i) {
      OpRow& row = view_.ops[i];
      if (row.direction == Direction::backward || row.recorded) continue;
      const bool whole =
          is_call(row) && std::find(whole_steps_.begin(), whole_steps_.end(), i) != whole_steps_.end();
      if (walked && i >= last_backward_[s] && !whole) {
        row.direction = Direction::update;
      } else if (row.answer == TapeAnswer::absent) {
        row.direction = Direction::other;
      }
    }
    begin = segment_end_[s];
  }
  for (const auto& [first, end] : taped_calls_) {
    for (OpRow& row : std::span(view_.ops).subspan(first, end - first)) {
      if (row.direction == Direction::other) row.direction = Direction::forward;
    }
  }
  if (graph_gradients_) directions_in_graphs();
  TapeCounts& counts = view_.counts;
  for (const OpRow& row : view_.ops) {
    if (row.direction == Direction::backward) {
      ++counts.backward_ops;
    } else {
      ++counts.executed;
      ++(row.recorded ? counts.recorded : counts.not_recorded);
    }
  }
  view_.nodes = nodes_;
}

// No tape says which ops of a function's graph its gradient is of: they are those it was computed from, and
// what was computed from these before it.
void StepParser::directions_in_graphs() {
  std::vector<std::uint8_t> below(view_.ops.size(), 0);
  for (std::size_t i = view_.ops.size(); i-- > 0;) {
    const OpRow& row = view_.ops[i];
    if (!below[i] && !(row.direction == Direction::backward && row.in_graph)) continue;
    for (const std::uint32_t producer : view_.producers_of(row)) {
      if (producer != kNoOp && producer < i) below[producer] = 1;
    }
  }
  const auto is_forward = [&](std::uint32_t producer) {
    return producer != kNoOp && view_.ops[producer].direction == Direction::forward &&
           view_.ops[producer].in_graph;
  };
  for (std::size_t i = 0; i < view_.ops.size(); ++i) {
    OpRow& row = view_.ops[i];
    if (row.direction != Direction::other || !row.in_graph) continue;
    const auto producers = view_.producers_of(row);
    if (below[i] || std::any_of(producers.begin(), producers.end(), is_forward))
      row.direction = Direction::forward;
  }
}

void StepParser::times() {
  const std::uint64_t end = data_.end ? data_.end : std::max(last_ticks_, data_.begin);
  view_.step_us = microseconds(end - std::min(end, data_.begin));
  phases_.finish();
  view_.backward_us = microseconds(phases_.backward());
  if (phases_.any()) {
    view_.forward_us = since_begin(phases_.first());
    if (phases_.last_end()) view_.update_us = microseconds(end - std::min(end, phases_.last_end()));
  } else {
    view_.forward_us = view_.step_us;
  }
  if (data_.surroundings && data_.begin >= data_.surroundings->first_ticks()) {
    view_.begin_us = microseconds(data_.begin - data_.surroundings->first_ticks());
  }
}

std::uint64_t StepView::step_of_op(std::uint32_t op) const {
  const auto next = std::ranges::upper_bound(starts, op, {}, &StepStart::op);
  return next == starts.begin() ? step : std::prev(next)->step;
}

std::uint64_t StepView::step_of_call(std::uint32_t call) const {
  const auto next = std::ranges::upper_bound(starts, call, {}, &StepStart::call);
  return next == starts.begin() ? step : std::prev(next)->step;
}

std::shared_ptr<const StepView> make_step_view(const StepData& data, std::vector<TensorId> lasting) {
  auto view = std::make_shared<StepView>();
  view->step = data.step;
  view->program = data.program;
  view->complete = data.complete;
  view->unmarked = data.unmarked;
  view->lasting = std::move(lasting);
  StepParser(data, *view).run();
  return view;
}

}  // namespace tapescope
