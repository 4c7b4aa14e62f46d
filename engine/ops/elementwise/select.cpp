// Rows and functions that choose, convert or add up whole tensors: Cast, SelectV2, AddN.
#include <algorithm>

#include "engine/gate/arguments.h"
#include "engine/gate/jvp.h"
#include "engine/ops/creation.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/rows.h"

namespace tapescope {
namespace {

using namespace rows;

// ---- Cast: i0 is the dtype

void cast_infer(InferContext& c) {
  if (c.in(0).dtype == DType::resource) refuse_dtype(c, DType::resource);
  c.out(static_cast<DType>(c.attrs.i[0]), c.in(0).shape);
}
void cast_kernel(KernelContext& c) {
  kernels::convert(c.in_type(0).dtype, c.in<void>(0), c.out_type().dtype, c.out<void>(), c.out_type().numel);
}
void cast_vjp(VjpContext& c) {
  if (is_floating(c.in_type(0).dtype) && is_floating(c.out_type().dtype))
    c.set(0, cast(c.grad(), c.in_type(0).dtype));
}
void cast_jvp(JvpContext& c) {
  if (is_floating(c.out().dtype())) c.set(0, cast(c.tangent(0), c.out().dtype()));
}
OpCost cast_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {static_cast<double>(out[0]->numel), bytes_moved(in, out)};
}

constinit const OpDef kCast = {
    .name = "Cast",
    .infer = cast_infer,
    .kernel = cast_kernel,
    .vjp = cast_vjp,
    .linearity = Linearity::diagonal,
    .batch = BatchRule::elementwise,
    .jvp = cast_jvp,
    .cost = cast_cost,
    .doc = "converts to dtype i0; gradient cast back, between floating dtypes only"};

// ---- SelectV2

void select_infer(InferContext& c) {
  const Type *condition = c.inputs[0]->type, *a = c.inputs[1]->type, *b = c.inputs[2]->type;
  if (condition->dtype != DType::boolean) {
    c.fail(fmt::format("the condition has the wrong dtype, expected bool, got {}; compare it with something",
                       condition->text()));
  }
  const Type* both = broadcast_type(c, a, b, a->dtype);
  if (condition->shape == both->shape) return c.out(both);
  // The condition in the others' dtype, so that only shapes are compared.
  c.out(broadcast_type(c, intern_type(a->dtype, condition->shape), both, a->dtype));
}
void select_kernel(KernelContext& c) {
  const Type& out = c.out_type();
  kernels::map_select(c.in<std::uint8_t>(0), c.in_type(0).shape, c.in<void>(1), c.in_type(1).shape,
                      c.in<void>(2), c.in_type(2).shape, c.out<void>(), out.shape,
                      static_cast<int>(size_of(out.dtype)));
}
void select_vjp(VjpContext& c) {
  if (c.needs(1)) c.set(1, where(c.in(0), c.grad(), 0));
  if (c.needs(2)) c.set(2, where(c.in(0), 0, c.grad()));
}

constinit const OpDef kSelect = {.name = "SelectV2",
                                 .infer = select_infer,
                                 .kernel = select_kernel,
                                 .saves = kIn0,
                                 .vjp = select_vjp,
                                 .linearity = Linearity::diagonal,
                                 .batch = BatchRule::elementwise,
                                 .cost = move_cost,
                                 .never = kIn0,
                                 .doc = "a where the condition holds, else b; the other one's gradient is 0"};

// ---- AddN

void add_n_infer(InferContext& c) {
  const Type* type = c.inputs[0]->type;
  if (!kernels::supports(BinaryOp::add, type->dtype)) refuse_dtype(c, type->dtype);
  for (int i = 1; i < c.input_count(); ++i) {
    if (c.inputs[i]->type != type) {
      c.fail(fmt::format(
          "all inputs must be of one type, expected {} as the first, got {} at {}; AddN does not broadcast",
          type->text(), c.in(i).text(), i));
    }
  }
  c.out(type);
}
void add_n_kernel(KernelContext& c) {
  const Type& type = c.out_type();
  void* y = c.out<void>();
  if (c.inputs.size() == 1) {
    kernels::convert(type.dtype, c.in<void>(0), type.dtype, y, type.numel);
    return;
  }
  kernels::map_binary(BinaryOp::add, type.dtype, c.in<void>(0), c.in<void>(1), y, type.numel);
  for (std::size_t i = 2; i < c.inputs.size(); ++i)
    kernels::accumulate(type.dtype, y, c.in<void>(static_cast<int>(i)), type.numel);
}
void add_n_vjp(VjpContext& c) {
  for (int i = 0; i < c.input_count(); ++i) {
    if (c.needs(i)) c.set(i, c.grad());
  }
}
OpCost add_n_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  double sums = -1;
  for (const Type* type : in) sums += type->numel > 0;  // in a recording some may be absent
  return {std::max(sums, 0.0) * static_cast<double>(out[0]->numel), bytes_moved(in, out)};
}

constinit const OpDef kAddN = {.name = "AddN",
                               .infer = add_n_infer,
                               .kernel = add_n_kernel,
                               .vjp = add_n_vjp,
                               .linearity = Linearity::diagonal,
                               .batch = BatchRule::elementwise,
                               .cost = add_n_cost,
                               .doc = "sum of tensors of one type, in order; each gradient is g"};

constexpr const OpDef* kElementwiseSelectRows[] = {&kCast, &kSelect, &kAddN};

}  // namespace

std::span<const OpDef* const> rows::selection_rows() { return kElementwiseSelectRows; }

Tensor cast(const Arg& x, DType dtype) {
  // A number that the dtype has not, such as 3.7 of int32, is cast like a tensor.
  const Tensor& tensor =
      x.is_number() && tapescope_inside::fits(x.number(), dtype) ? x.tensor(dtype) : x.tensor();
  if (tensor.dtype() == dtype) return tensor;
  Attrs attrs;
  attrs.push(static_cast<std::int64_t>(dtype));
  return apply(kCast, x, attrs);
}

Tensor where(const Arg& condition, const Arg& a, const Arg& b) {
  const DType dtype = !a.is_number()   ? a.tensor().dtype()
                      : !b.is_number() ? b.tensor().dtype()
                                       : tapescope_inside::common_dtype(a.number(), b.number());
  TensorImpl* inputs[] = {condition.tensor().impl(), a.tensor(dtype, kSelect.name).impl(),
                          b.tensor(dtype, kSelect.name).impl()};
  return apply(kSelect, inputs, kNoAttrs, condition.location());
}

Tensor add_n(std::span<const Tensor> tensors, Location location) {
  const InputList inputs("AddN", tensors, location);
  if (tensors.size() == 1) return tensors[0];
  return apply(kAddN, inputs.inputs(), kNoAttrs, location);
}

}  // namespace tapescope
