// Rows and functions of the matrix products.
#include "engine/ops/linalg.h"

#include <vector>

#include "engine/gate/arguments.h"
#include "engine/kernels/gemm.h"
#include "engine/kernels/strides.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/linalg/rows.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

using namespace rows;
using kernels::Gemm;

// Sizes of the last two dimensions as the product sees them.
struct Sides {
  std::int64_t m, n, k, k_of_b;
  Sides(const Shape& a, const Shape& b, std::uint32_t flags) {
    const int p = a.rank() - 1, q = b.rank() - 1;
    const bool ta = flags & kTransposeA, tb = flags & kTransposeB;
    m = a[ta ? p : p - 1];
    k = a[ta ? p - 1 : p];
    k_of_b = b[tb ? q : q - 1];
    n = b[tb ? q - 1 : q];
  }
};

void check_product(InferContext& c, const Sides& sides) {
  const Type &a = c.in(0), &b = c.in(1);
  if (a.dtype != b.dtype) {
    c.fail(fmt::format("the operands' dtypes differ, expected one dtype, got {} and {}; cast one of them",
                       a.text(), b.text()));
  }
  if (a.dtype >= DType::boolean) refuse_dtype(c, a.dtype);
  if (sides.k != sides.k_of_b) {
    c.fail(
        fmt::format("inner sizes differ, expected columns of the first = rows of the second, got {}{} and "
                    "{}{} ({} and {})",
                    a.text(), c.attrs.flags & kTransposeA ? " transposed" : "", b.text(),
                    c.attrs.flags & kTransposeB ? " transposed" : "", sides.k, sides.k_of_b));
  }
}
void matmul_infer(InferContext& c) {
  const Type &a = c.in(0), &b = c.in(1);
  if (a.shape.rank() != 2 || b.shape.rank() != 2) {
    c.fail(fmt::format("expected two matrices, got {} and {}", a.text(), b.text()));
  }
  const Sides sides(a.shape, b.shape, c.attrs.flags);
  check_product(c, sides);
  c.out(a.dtype, {sides.m, sides.n});
}
void matmul_kernel(KernelContext& c) {
  const Sides s(c.in_type(0).shape, c.in_type(1).shape, c.attrs.flags);
  kernels::gemm(c.in_type(0).dtype,
                Gemm::of(c.attrs.flags & kTransposeA, c.attrs.flags & kTransposeB, s.m, s.n, s.k),
                c.in<void>(0), c.in<void>(1), c.out<void>());
}

Shape batch_of(const Shape& shape) {
  return Shape(shape.dims().first(static_cast<std::size_t>(shape.rank() - 2)));
}

void batch_infer(InferContext& c) {
  const Type &a = c.in(0), &b = c.in(1);
  if (a.shape.rank() < 2 || b.shape.rank() < 2) {
    c.fail(fmt::format("expected stacks of matrices, got {} and {}; use matvec for a vector", a.text(),
                       b.text()));
  }
  const Sides sides(a.shape, b.shape, c.attrs.flags);
  check_product(c, sides);
  const DType dtype = a.dtype;
  Shape out =
      broadcast_type(c, intern_type(dtype, batch_of(a.shape)), intern_type(dtype, batch_of(b.shape)), dtype)
          ->shape;
  out.push_back(sides.m);
  out.push_back(sides.n);
  c.out(dtype, out);
}
void batch_kernel(KernelContext& c) {
  const Shape &a = c.in_type(0).shape, &b = c.in_type(1).shape;
  const Sides s(a, b, c.attrs.flags);
  const Gemm g = Gemm::of(c.attrs.flags & kTransposeA, c.attrs.flags & kTransposeB, s.m, s.n, s.k);
  const Shape batch = batch_of(c.out_type().shape), batch_a = batch_of(a), batch_b = batch_of(b);
  const std::int64_t count = batch.numel();
  const DType type = c.in_type(0).dtype;
  if (batch_b.numel() == 1 && !g.transpose_a) {
    // One matrix on the right serves all: a single tall product.
    return kernels::gemm(type, Gemm::of(false, g.transpose_b, count * g.m, g.n, g.k), c.in<void>(0),
                         c.in<void>(1), c.out<void>());
  }
  if (batch_a == batch && batch_b == batch)
    return kernels::gemm_batch(type, g, count, c.in<void>(0), nullptr, c.in<void>(1), nullptr, c.out<void>());
  std::vector<std::int64_t> index_a, index_b;
  index_a.reserve(static_cast<std::size_t>(count));
  index_b.reserve(static_cast<std::size_t>(count));
  if (count > 0) {
    const kernels::Strided<2> walk(batch, {&batch_a, &batch_b});
    walk.each(0, count / walk.inner(), [&](std::int64_t, const std::int64_t* offset) {
      for (std::int64_t i = 0; i < walk.inner(); ++i) {
        index_a.push_back(offset[0] + i * walk.inner_stride(0));
        index_b.push_back(offset[1] + i * walk.inner_stride(1));
      }
    });
  }
  kernels::gemm_batch(type, g, count, c.in<void>(0), index_a.data(), c.in<void>(1), index_b.data(),
                      c.out<void>());
}

// With transpose flags, never by transposed copies.
void product_vjp(VjpContext& c) {
  const bool ta = c.attrs().flags & kTransposeA, tb = c.attrs().flags & kTransposeB;
  const Tensor& g = c.grad();
  if (c.needs(0)) c.set(0, ta ? matmul(c.in(1), g, tb, true) : matmul(g, c.in(1), false, !tb));
  if (c.needs(1)) c.set(1, tb ? matmul(g, c.in(0), true, ta) : matmul(c.in(0), g, !ta, false));
}

// From shapes alone, so that records, which carry no attributes, give the same cost: the inner size is what
// the first operand has beside the result's rows.
OpCost product_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  const Shape& a = in[0]->shape;
  const Shape& c = out[0]->shape;
  // Records of other programs may say anything of their types.
  if (a.rank() < 2 || c.rank() < 2) return {0, bytes_moved(in, out)};
  const std::int64_t rows = c[c.rank() - 2], p = a[a.rank() - 2], q = a[a.rank() - 1];
  const std::int64_t inner = p == rows ? q : p;
  return {2 * static_cast<double>(out[0]->numel) * static_cast<double>(inner), bytes_moved(in, out)};
}

constinit const OpDef kMatMul = {
    .name = "MatMul",
    .infer = matmul_infer,
    .kernel = matmul_kernel,
    .saves = kIn0 | kIn1,
    .vjp = product_vjp,
    .linearity = Linearity::multilinear,
    .batch = BatchRule::custom,
    .batched = batch_rules::product,
    .cost = product_cost,
    .doc = "matrix product; flag 0 transposes a, flag 1 b; gradients g b^T and a^T g",
    .sampler = {-2, 2, "3,4;4,2"}};
constinit const OpDef kBatchMatMul = {
    .name = "BatchMatMulV2",
    .infer = batch_infer,
    .kernel = batch_kernel,
    .saves = kIn0 | kIn1,
    .vjp = product_vjp,
    .linearity = Linearity::multilinear,
    .batch = BatchRule::custom,
    .batched = batch_rules::product,
    .cost = product_cost,
    .doc = "products of stacked matrices, whose leading dimensions broadcast",
    .sampler = {-2, 2, "2,3,4;2,4,2|2,1,3,4;3,4,2"}};

constexpr const OpDef* kLinalgRows[] = {&kMatMul, &kBatchMatMul};

}  // namespace

std::span<const OpDef* const> rows::product_rows() { return kLinalgRows; }

Tensor matmul(const Arg& a, const Arg& b, bool transpose_a, bool transpose_b) {
  Attrs attrs;
  attrs.flags = (transpose_a ? kTransposeA : 0) | (transpose_b ? kTransposeB : 0);
  const Tensor &x = a.tensor(), &y = b.tensor();
  TensorImpl* inputs[] = {x.impl(), y.impl()};
  return apply(x.rank() <= 2 && y.rank() <= 2 ? kMatMul : kBatchMatMul, inputs, attrs, a.location());
}

Tensor matvec(const Arg& a, const Arg& x, bool transpose_a) {
  const Location& at = a.location();
  return squeeze({matmul(a, {expand_dims(x, -1), at}, transpose_a), at}, {-1});
}

Tensor tensordot(const Arg& a, const Arg& b, int axes) {
  const Location& at = a.location();
  const Tensor &x = a.tensor(), &y = b.tensor();
  if (axes < 0 || axes > x.rank() || axes > y.rank()) {
    refuse("tensordot",
           fmt::format("cannot sum over {} dimensions of {} and {}", axes, x.type().text(), y.type().text()),
           at);
  }
  std::int64_t m = 1, k = 1, k_of_b = 1, n = 1;
  Ints out;
  for (int i = 0; i < x.rank(); ++i) {
    if (i < x.rank() - axes) m *= x.dim(i), out.push_back(x.dim(i));
    else k *= x.dim(i);
  }
  for (int i = 0; i < y.rank(); ++i) {
    if (i >= axes) n *= y.dim(i), out.push_back(y.dim(i));
    else k_of_b *= y.dim(i);
  }
  return reshape({matmul({reshape(a, {m, k}), at}, {reshape(b, {k_of_b, n}), at}), at}, out);
}

std::span<const OpDef* const> linalg_ops() {
  static const std::vector<const OpDef*> all = [] {
    std::vector<const OpDef*> list;
    for (auto part :
         {rows::product_rows(), rows::einsum_rows(), rows::solver_rows(), rows::diagonal_rows()}) {
      list.insert(list.end(), part.begin(), part.end());
    }
    return list;
  }();
  return all;
}

}  // namespace tapescope
