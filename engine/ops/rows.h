// What the rows of the elementwise families share: inference, kernels and costs made from a loop's code.
#pragma once
#include <fmt/format.h>

#include "engine/gate/apply.h"
#include "engine/kernels/map_table.h"

namespace tapescope::rows {

using kernels::BinaryOp;
using kernels::UnaryOp;

inline double bytes_moved(std::span<const Type* const> in, std::span<const Type* const> out) {
  double bytes = 0;
  for (const Type* type : in) bytes += static_cast<double>(type->bytes);
  for (const Type* type : out) bytes += static_cast<double>(type->bytes);
  return bytes;
}

template <auto kOp>
OpCost map_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {kernels::row_of(kOp).flops * static_cast<double>(out[0]->numel), bytes_moved(in, out)};
}

// Moves data, computes nothing.
inline OpCost move_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {0, bytes_moved(in, out)};
}

[[noreturn]] inline void refuse_dtype(InferContext& c, DType got) {
  c.fail(fmt::format("is not defined for {}; cast the argument first", name_of(got)));
}

template <UnaryOp kOp>
void unary_infer(InferContext& c) {
  const Type* type = c.inputs[0]->type;
  if (!kernels::supports(kOp, type->dtype)) [[unlikely]]
    refuse_dtype(c, type->dtype);
  if constexpr (kernels::gives_bool(kOp)) c.out(DType::boolean, type->shape);
  else c.out(type);
}

// Up to this many elements a kernel calls its loop directly: nothing is worth dividing.
inline constexpr std::int64_t kDirect = 4096;

template <UnaryOp kOp>
void unary_kernel(KernelContext& c) {
  const Type& type = c.in_type(0);
  if (type.numel <= kDirect && !is_half(type.dtype)) {
    return kernels::g_map->unary[static_cast<int>(kOp)][static_cast<int>(type.dtype)](
        c.in<void>(0), c.out<void>(), type.numel, c.attrs.f[0]);
  }
  kernels::map_unary(kOp, type.dtype, c.in<void>(0), c.out<void>(), type.numel, c.attrs.f[0]);
}

// The shape that both broadcast to; fails in the op's name. The common cases take no look-up.
const Type* broadcast_type(InferContext& c, const Type* a, const Type* b, DType out);

template <BinaryOp kOp>
void binary_infer(InferContext& c) {
  const Type *a = c.inputs[0]->type, *b = c.inputs[1]->type;
  constexpr bool kTest = kernels::gives_bool(kOp);
  if (!kernels::supports(kOp, a->dtype)) [[unlikely]]
    refuse_dtype(c, a->dtype);
  if (!kTest && a == b) return c.out(a);
  c.out(broadcast_type(c, a, b, kTest ? DType::boolean : a->dtype));
}

template <BinaryOp kOp>
void binary_kernel(KernelContext& c) {
  const Type &a = c.in_type(0), &b = c.in_type(1);
  if (&a == &b && a.numel <= kDirect && !is_half(a.dtype)) {
    kernels::g_map->binary[static_cast<int>(kOp)][0][static_cast<int>(a.dtype)](
        c.in<void>(0), c.in<void>(1), c.out<void>(), a.numel, c.attrs.f[0]);
  } else if (&a == &b) {
    kernels::map_binary(kOp, a.dtype, c.in<void>(0), c.in<void>(1), c.out<void>(), a.numel, c.attrs.f[0]);
  } else {
    kernels::map_broadcast(kOp, a.dtype, c.in<void>(0), a.shape, c.in<void>(1), b.shape, c.out<void>(),
                           c.out_type().shape, c.attrs.f[0]);
  }
}

// Completes a row: what is given by the loop's code is filled in, the rest is the row's own.
template <UnaryOp kOp>
constexpr OpDef unary(OpDef row) {
  row.infer = unary_infer<kOp>;
  row.kernel = unary_kernel<kOp>;
  row.batch = BatchRule::elementwise;
  row.cost = map_cost<kOp>;
  if (row.vjp) {
    row.linearity = kOp == UnaryOp::neg ? Linearity::linear : Linearity::diagonal;
    if (row.sampler.shapes[0] == 0) row.sampler.shapes = "2,5|";
  } else {
    row.no_gradient = NoGradient::not_differentiable;
  }
  return row;
}

template <BinaryOp kOp>
constexpr OpDef binary(OpDef row) {
  row.infer = binary_infer<kOp>;
  row.kernel = binary_kernel<kOp>;
  row.batch = BatchRule::elementwise;
  row.cost = map_cost<kOp>;
  if (row.vjp) {
    row.linearity = Linearity::diagonal;
    if (row.sampler.shapes[0] == 0) row.sampler.shapes = "3,4;3,4|3,4;4|3,1;1,4|;2,3|2,3;";
  } else {
    row.no_gradient = NoGradient::not_differentiable;
  }
  return row;
}

inline constexpr std::uint32_t kIn0 = OpDef::in_bit(0), kIn1 = OpDef::in_bit(1), kIn2 = OpDef::in_bit(2),
                               kOut = OpDef::out_bit(0);

// The families' parts, assembled in elementwise.cpp.
std::span<const OpDef* const> unary_rows();
std::span<const OpDef* const> activation_rows();
std::span<const OpDef* const> gradient_rows();
std::span<const OpDef* const> binary_rows();
std::span<const OpDef* const> comparison_rows();
std::span<const OpDef* const> selection_rows();

}  // namespace tapescope::rows
