// Rows and functions of diagonals and bands of matrices.
#include <algorithm>
#include <cstring>

#include "engine/ops/batch_rules.h"
#include "engine/ops/linalg/rows.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

using namespace rows;

void band_infer(InferContext& c) {
  if (c.in(0).shape.rank() < 2) c.fail(fmt::format("expected matrices, got {}", c.in(0).text()));
  c.out(c.inputs[0]->type);
}
// i0 and i1: how many diagonals below and above the main one stay; negative for all.
void band_kernel(KernelContext& c) {
  const Type& type = c.in_type(0);
  const std::size_t size = size_of(type.dtype);
  const std::int64_t rows = type.shape[type.shape.rank() - 2], columns = type.shape[type.shape.rank() - 1];
  const std::int64_t below = c.attrs.i[0] < 0 ? rows : c.attrs.i[0],
                     above = c.attrs.i[1] < 0 ? columns : c.attrs.i[1];
  char* y = c.out<char>();
  std::memset(y, 0, static_cast<std::size_t>(type.bytes));
  const std::int64_t count = columns ? type.numel / columns : 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t row = i % rows, first = std::max<std::int64_t>(0, row - below),
                       last = std::min(columns, row + above + 1);
    const std::size_t at = static_cast<std::size_t>(i * columns + first) * size;
    if (last > first) std::memcpy(y + at, c.in<char>(0) + at, static_cast<std::size_t>(last - first) * size);
  }
}
void band_vjp(VjpContext& c) { c.set(0, matrix_band_part(c.grad(), c.attrs().i[0], c.attrs().i[1])); }

void diag_infer(InferContext& c) {
  const Type& type = c.in(0);
  if (type.shape.rank() < 1 || type.shape.rank() == kMaxRank)
    c.fail(fmt::format("expected diagonals of 1 to {} dimensions, got {}", kMaxRank - 1, type.text()));
  Shape out = type.shape;
  out.push_back(type.shape[type.shape.rank() - 1]);
  c.out(type.dtype, out);
}
void diag_kernel(KernelContext& c) {
  const Type &in = c.in_type(0), &out = c.out_type();
  const std::size_t size = size_of(in.dtype);
  std::memset(c.out<char>(), 0, static_cast<std::size_t>(out.bytes));
  const std::int64_t n = in.shape[in.shape.rank() - 1];
  for (std::int64_t i = 0; i < in.numel; ++i) {
    std::memcpy(c.out<char>() + static_cast<std::size_t>(i * n + i % n) * size,
                c.in<char>(0) + static_cast<std::size_t>(i) * size, size);
  }
}
void diag_vjp(VjpContext& c) { c.set(0, matrix_diag_part(c.grad())); }

void diag_part_infer(InferContext& c) {
  const Type& type = c.in(0);
  const int rank = type.shape.rank();
  if (rank < 2) c.fail(fmt::format("expected matrices, got {}", type.text()));
  Shape out(type.shape.dims().first(static_cast<std::size_t>(rank - 2)));
  out.push_back(std::min(type.shape[rank - 2], type.shape[rank - 1]));
  c.out(type.dtype, out);
}
void diag_part_kernel(KernelContext& c) {
  const Type &in = c.in_type(0), &out = c.out_type();
  const std::size_t size = size_of(in.dtype);
  const std::int64_t rows = in.shape[in.shape.rank() - 2], columns = in.shape[in.shape.rank() - 1],
                     n = std::min(rows, columns);
  for (std::int64_t i = 0; i < out.numel; ++i) {
    const std::int64_t from = i / n * rows * columns + i % n * (columns + 1);
    std::memcpy(c.out<char>() + static_cast<std::size_t>(i) * size,
                c.in<char>(0) + static_cast<std::size_t>(from) * size, size);
  }
}
void diag_part_vjp(VjpContext& c) {
  const Shape& shape = c.in_type(0).shape;
  const std::int64_t rows = shape[shape.rank() - 2], columns = shape[shape.rank() - 1],
                     n = std::min(rows, columns);
  const Tensor square = matrix_diag(c.grad());
  if (rows == columns) return c.set(0, square);
  std::vector<Padding> padding(static_cast<std::size_t>(shape.rank()));
  padding[padding.size() - 2].after = rows - n;
  padding[padding.size() - 1].after = columns - n;
  c.set(0, pad(square, padding));
}

constinit const OpDef kBand = {
    .name = "MatrixBandPart",
    .infer = band_infer,
    .kernel = band_kernel,
    .vjp = band_vjp,
    .linearity = Linearity::linear,
    .batch = BatchRule::custom,
    .batched = batch_rules::leading,
    .cost = move_cost,
    .doc = "keeps i0 diagonals below the main one and i1 above, negative for all; zeros elsewhere"};
constinit const OpDef kDiag = {.name = "MatrixDiagV3",
                               .infer = diag_infer,
                               .kernel = diag_kernel,
                               .vjp = diag_vjp,
                               .linearity = Linearity::linear,
                               .batch = BatchRule::custom,
                               .batched = batch_rules::leading,
                               .cost = move_cost,
                               .doc = "square matrices with these diagonals",
                               .sampler = {-2, 2, "3|2,3"}};
constinit const OpDef kDiagPart = {.name = "MatrixDiagPartV3",
                                   .infer = diag_part_infer,
                                   .kernel = diag_part_kernel,
                                   .vjp = diag_part_vjp,
                                   .linearity = Linearity::linear,
                                   .batch = BatchRule::custom,
                                   .batched = batch_rules::leading,
                                   .cost = move_cost,
                                   .doc = "the main diagonals of matrices",
                                   .sampler = {-2, 2, "3,3|2,3,4"}};

constexpr const OpDef* kLinalgDiagonalRows[] = {&kBand, &kDiag, &kDiagPart};

}  // namespace

std::span<const OpDef* const> rows::diagonal_rows() { return kLinalgDiagonalRows; }

Tensor matrix_band_part(const Arg& a, int lower, int upper) {
  Attrs attrs;
  attrs.push(lower);
  attrs.push(upper);
  return apply(kBand, a, attrs);
}
Tensor matrix_diag(const Arg& diagonal) { return apply(kDiag, diagonal); }
Tensor matrix_diag_part(const Arg& a) { return apply(kDiagPart, a); }
Tensor trace(const Arg& a) { return reduce_sum({matrix_diag_part(a), a.location()}, {-1}); }

}  // namespace tapescope
