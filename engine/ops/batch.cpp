// Wrapping, and how a call finds its rule.
#include "engine/ops/batch.h"

#include <algorithm>
#include <atomic>
#include <optional>

#include <fmt/format.h>

#include "engine/gate/apply.h"
#include "engine/gate/infer_checks.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/list_batches.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

struct BatchedRow final : TensorExtension {
  BatchedRow(Tensor s, std::uint64_t l, DiagonalRows d)
      : TensorExtension(Kind::batch), stack(std::move(s)), level(l), diagonal(std::move(d)) {}
  Tensor stack;
  std::uint64_t level;  // of the mode it belongs to
  DiagonalRows diagonal;
};

const DiagonalRows& diagonal_of(const TensorImpl* batched) {
  return static_cast<const BatchedRow*>(batched->extension)->diagonal;
}

std::uint64_t next_level() {
  static std::atomic<std::uint64_t> next{1};
  return next.fetch_add(1, std::memory_order_relaxed);
}

Shape with_rows(std::int64_t rows, const Shape& shape) {
  Shape out{rows};
  for (std::int64_t size : shape.dims()) out.push_back(size);
  return out;
}

// Elementwise ops need only equal ranks; AddN does not broadcast.
void batch_elementwise(BatchContext& c) {
  if (c.op().name == "AddN") return c.run(c.spread_all(), c.attrs());
  int rank = 0;
  for (int i = 0; i < c.input_count(); ++i) rank = std::max(rank, c.in_type(i).shape.rank());
  std::vector<Tensor> inputs;
  for (int i = 0; i < c.input_count(); ++i) inputs.push_back(c.aligned(i, rank));
  c.run(inputs, c.attrs());
}

// Ops that multiply that operand by something bounded, or NaN: of zeros they make zeros, or NaN.
bool is_bounded_factor(const OpDef& op, int operand) {
  struct Bounded {
    std::string_view op;
    int operand;
  };
  static constexpr Bounded kBounded[] = {
      {"Neg", 0},           {"TanhGrad", 1}, {"SigmoidGrad", 1}, {"ReluGrad", 0},     {"Relu6Grad", 0},
      {"LeakyReluGrad", 0}, {"EluGrad", 0},  {"SeluGrad", 0},    {"SoftplusGrad", 0}, {"SoftsignGrad", 0}};
  return std::ranges::any_of(kBounded,
                             [&](const Bounded& one) { return one.op == op.name && one.operand == operand; });
}

bool is_of_a_batch(const BatchContext& c) {
  for (int i = 0; i < c.input_count(); ++i) {
    const TensorExtension* const extension = c.in(i).impl()->extension;
    if (extension != nullptr && extension->kind != TensorExtension::Kind::symbol) return true;
  }
  return false;
}

// The factors of an elementwise op's rows, where those of its one batched operand are a diagonal's: found by
// running it on the diagonal alone. What lies beside the diagonal stays zero where the op gives zeros for
// zeros, which an infinite operand does not.
DiagonalRows diagonal_after(const OpDef& op, const BatchContext& c) {
  const ThreadState& ts = state();
  if (op.batch != BatchRule::elementwise || c.output_count() != 1) return {};
  // Who follows ops would have to follow these.
  if (!ts.tapes.empty() || !ts.accumulators.empty()) return {};
  int at = -1;
  for (int i = 0; i < c.input_count(); ++i) {
    if (!c.batched(i)) continue;
    if (at >= 0 || !c.diagonal(i)) return {};
    at = i;
  }
  const Type& row = c.in_type(at);
  if (&row != &c.out_type()) return {};
  // A trace takes these ops up, and their values are not there: what lies beside is known of some ops alone.
  const bool traced = !ts.interceptors.empty();
  if (traced && (!is_bounded_factor(op, at) || is_of_a_batch(c))) return {};
  std::optional<Mute> mute;
  if (!traced) mute.emplace();
  std::vector<TensorImpl*> inputs;
  for (int i = 0; i < c.input_count(); ++i) inputs.push_back(c.in(i).impl());
  const auto with = [&](const Tensor& operand) {
    inputs[static_cast<std::size_t>(at)] = operand.impl();
    return apply(op, inputs, c.attrs(), *ts.origin);
  };
  const DiagonalRows& before = c.diagonal(at);
  const Tensor beside = with(make_full(row.shape, 0, row.dtype));
  const Tensor factors =
      with(before.factors ? reshape(before.factors, row.shape) : make_full(row.shape, 1, row.dtype));
  if (traced) {
    // One that is NaN makes all rows NaN.
    const Tensor sum = reduce_sum(beside);
    return {before.first, where(is_nan(sum), sum, factors)};
  }
  for (std::int64_t i = 0; i < beside.numel(); ++i) {
    if (element_value(beside, i) != 0) return {};
  }
  return {before.first, factors};
}

}  // namespace

Tensor BatchContext::spread(int i) const {
  if (batched(i)) return in(i);
  return broadcast_to(in(i), with_rows(rows_, in_type(i).shape));
}

std::vector<Tensor> BatchContext::spread_all() const {
  std::vector<Tensor> all;
  for (int i = 0; i < input_count(); ++i) all.push_back(spread(i));
  return all;
}

Tensor BatchContext::aligned(int i, int rank) const {
  const Shape& row = in_type(i).shape;
  if (!batched(i) || row.rank() == rank) return in(i);
  Shape shape{rows_};
  for (int d = row.rank(); d < rank; ++d) shape.push_back(1);
  for (std::int64_t size : row.dims()) shape.push_back(size);
  return reshape(in(i), shape);
}

void BatchContext::run(std::span<const Tensor> inputs, const Attrs& attrs) {
  std::vector<TensorImpl*> raw;
  for (const Tensor& input : inputs) raw.push_back(input.impl());
  TensorList made;
  tapescope::apply(op_, raw, attrs, Location::current(), made);
  for (int i = 0; i < made.size(); ++i) set(i, std::move(made[i]));
}

Tensor BatchContext::call(std::initializer_list<Tensor> inputs, const Attrs& attrs) const {
  std::vector<TensorImpl*> raw;
  for (const Tensor& input : inputs) raw.push_back(input.impl());
  return tapescope::apply(op_, raw, attrs, Location::current());
}

BatchMode::BatchMode(std::int64_t rows) : rows_(rows), level_(next_level()) {
  state().interceptors.push_back(this);
}

BatchMode::~BatchMode() { std::erase(state().interceptors, static_cast<Interceptor*>(this)); }

void BatchMode::restart(std::int64_t rows) {
  rows_ = rows;
  level_ = next_level();
}

const Tensor* BatchMode::stack_of(const TensorImpl* tensor) const {
  if (!tensor->extension || tensor->extension->kind != TensorExtension::Kind::batch) return nullptr;
  const auto* row = static_cast<const BatchedRow*>(tensor->extension);
  return row->level == level_ ? &row->stack : nullptr;
}

Tensor BatchMode::wrap(const Tensor& stack, const Type* row, DiagonalRows diagonal) const {
  Tensor tensor(new_view(stack.impl(), row, stack.impl()->data));
  tensor.impl()->extension = new BatchedRow(stack, level_, std::move(diagonal));
  return tensor;
}

Tensor BatchMode::wrap(const Tensor& stack) const { return wrap_identity(stack, -1); }

Tensor BatchMode::wrap_identity(const Tensor& stack, std::int64_t first) const {
  if (stack.rank() == 0 || stack.dim(0) != rows_) {
    fail(ErrorKind::invalid_argument, "batch",
         fmt::format("expected {} rows, got {}", rows_, stack.type().text()));
  }
  return wrap(stack, intern_type(stack.dtype(), Shape(stack.shape().dims().subspan(1))),
              {.first = first, .factors = {}});
}

Tensor BatchMode::unwrap(const Tensor& tensor) const {
  if (const Tensor* stack = stack_of(tensor.impl())) return *stack;
  return broadcast_to(tensor, with_rows(rows_, tensor.shape()));
}

bool BatchMode::apply(const OpDef& op, OpInputs inputs, const Attrs& attrs, const Location& location,
                      TensorList& outputs) {
  ThreadState& ts = state();
  std::vector<Interceptor*>& modes = ts.interceptors;
  // Those inside of it passed the call on, and stay for what accumulators make of it.
  const auto own = std::ranges::find(modes, static_cast<Interceptor*>(this));
  const bool any = std::any_of(inputs.begin(), inputs.end(),
                               [&](const TensorImpl* input) { return stack_of(input) != nullptr; });
  if (!any) return own != modes.begin() && (*std::prev(own))->apply(op, inputs, attrs, location, outputs);
  // What runs for the rule is not for this mode, but for whatever is below.
  struct Below {
    ThreadState& ts;
    const Location* origin;
    Interceptor* mode;
    std::vector<Interceptor*> inside;
    ~Below() {
      ts.interceptors.push_back(mode);
      ts.interceptors.insert(ts.interceptors.end(), inside.begin(), inside.end());
      ts.origin = origin;
    }
  };
  const Below below{ts, ts.origin, this, {std::next(own), modes.end()}};
  modes.erase(own, modes.end());
  ts.origin = &location;
  // The op's own inference, on rows, finds what is wrong with the call and says what must come out.
  InferContext infer{op, inputs, attrs, location};
  infer_placed(op, infer);
  const std::span<const Type* const> out_types(infer.types(), static_cast<std::size_t>(infer.outputs));
  std::vector<Tensor> stacks;
  std::vector<const Type*> types;
  std::vector<DiagonalRows> diagonals;
  int rank = 0;
  for (TensorImpl* input : inputs) {
    const Tensor* stack = stack_of(input);
    diagonals.push_back(stack ? diagonal_of(input) : DiagonalRows{});
    stacks.push_back(stack ? *stack : Tensor::share(input));
    types.push_back(input->type);
    rank = std::max(rank, input->type->shape.rank());
  }
  for (const Type* type : out_types) rank = std::max(rank, type->shape.rank());
  if (rank == kMaxRank) {
    fail(ErrorKind::invalid_argument, op.name,
         fmt::format("a batch of rows takes a dimension beside theirs, got rows of {}; the most is {} (hint: "
                     "not vectorized)",
                     rank, kMaxRank - 1),
         &location);
  }
  std::vector<Tensor> made(out_types.size());
  BatchContext context(op, stacks, types, diagonals, attrs, rows_, made, out_types);
  if (rows_ == 0) {
    for (std::size_t i = 0; i < made.size(); ++i)
      made[i] = make_full(with_rows(0, out_types[i]->shape), 0, out_types[i]->dtype);
  } else {
    run_rule(op, context);
  }
  outputs.resize(static_cast<int>(made.size()));
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!made[i] ||
        &made[i].type() != intern_type(out_types[i]->dtype, with_rows(rows_, out_types[i]->shape))) {
      fail(ErrorKind::internal, op.name,
           fmt::format("its batching rule gave {} for {} rows of {}",
                       made[i] ? made[i].type().text() : "nothing", rows_, out_types[i]->text()),
           &location);
    }
    // A view has the elements it is of, in their order.
    outputs[static_cast<int>(i)] =
        wrap(made[i], out_types[i], op.flags & OpDef::kView ? diagonals[0] : diagonal_after(op, context));
  }
  // Consecutive, as an op's outputs are everywhere.
  const TensorId first = next_tensor_ids(outputs.size());
  for (int i = 0; i < outputs.size(); ++i) outputs[i].impl()->id = first + static_cast<TensorId>(i);
  return true;
}

void BatchMode::run_rule(const OpDef& op, BatchContext& context) {
  if (op.batch == BatchRule::elementwise) return batch_elementwise(context);
  if (op.batch == BatchRule::custom && op.batched) return op.batched(context);
  run_loop(op, context);
}

// Runs the op on each row and stacks the results; logged once.
void BatchMode::run_loop(const OpDef& op, BatchContext& context) {
  if (std::find(told_.begin(), told_.end(), &op) == told_.end()) {
    told_.push_back(&op);
    ThreadState& ts = state();
    ts.note(BatchFallbackRecord{
        .op = op.id, .site = intern_site(*ts.origin, ts.scope), .rows = static_cast<std::uint64_t>(rows_)});
  }
  std::vector<std::vector<Tensor>> inputs;
  for (int i = 0; i < context.input_count(); ++i) {
    const bool lists = is_list(context.in_type(i));
    if (context.batched(i)) inputs.push_back(lists ? unpack_lists(context.in(i)) : unstack(context.in(i), 0));
    else inputs.emplace_back(static_cast<std::size_t>(rows_), context.in(i));
  }
  std::vector<std::vector<Tensor>> results(static_cast<std::size_t>(context.output_count()));
  std::vector<TensorImpl*> row(inputs.size());
  for (std::size_t r = 0; r < static_cast<std::size_t>(rows_); ++r) {
    for (std::size_t i = 0; i < inputs.size(); ++i) row[i] = inputs[i][r].impl();
    TensorList outputs;
    tapescope::apply(op, row, context.attrs(), *state().origin, outputs);
    for (std::size_t k = 0; k < results.size(); ++k) results[k].push_back(outputs[static_cast<int>(k)]);
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    const bool lists = is_list(context.out_type(static_cast<int>(k)));
    context.set(static_cast<int>(k), lists ? pack_lists(results[k]) : stack(results[k], 0));
  }
}

}  // namespace tapescope
