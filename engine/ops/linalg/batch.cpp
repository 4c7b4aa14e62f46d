// Rules of products and solvers: rows are folded into one large product wherever the other operand is the
// same for all.
#include <string>

#include "engine/ops/batch_rules.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/linalg.h"
#include "engine/ops/linalg/rows.h"
#include "engine/ops/shape.h"

namespace tapescope::batch_rules {
namespace {

// With the last two dimensions exchanged.
Tensor swapped(const Tensor& x) {
  Ints perm;
  for (int i = 0; i < x.rank() - 2; ++i) perm.push_back(i);
  perm.push_back(x.rank() - 1);
  perm.push_back(x.rank() - 2);
  return transpose(x, perm);
}

template <class Bits>
bool all_finite(const void* data, std::int64_t n, Bits exponent) {
  const Bits* x = static_cast<const Bits*>(data);
  constexpr int kBlock = 64;
  bool fine = true;
  std::int64_t i = 0;
  for (; i + kBlock <= n; i += kBlock) {
    Bits other = 0;
    for (int k = 0; k < kBlock; ++k) other |= static_cast<Bits>((x[i + k] & exponent) == exponent);
    fine &= other == 0;
  }
  for (; i < n; ++i) fine &= (x[i] & exponent) != exponent;
  return fine;
}

// Whether zeros times its elements are zeros. Of a traced matrix, or one of another batch's, it is unknown:
// it is taken to be so.
bool keeps_zeros(const Tensor& matrix) {
  if (matrix.impl()->extension) return true;
  switch (matrix.dtype()) {
    case DType::f16: return all_finite<std::uint16_t>(matrix.raw(), matrix.numel(), 0x7c00);
    case DType::bf16: return all_finite<std::uint16_t>(matrix.raw(), matrix.numel(), 0x7f80);
    case DType::f32: return all_finite<std::uint32_t>(matrix.raw(), matrix.numel(), 0x7f800000);
    case DType::f64: return all_finite<std::uint64_t>(matrix.raw(), matrix.numel(), 0x7ff0000000000000);
    default: return true;
  }
}

// Rows of a diagonal matrix times a matrix are rows of the matrix, each by its factor: what the last layer of
// a network is given first. Absent where the product has to be computed.
Tensor diagonal_product(const BatchContext& c, bool ta, bool tb) {
  const Shape &a = c.in_type(0).shape, &b = c.in_type(1).shape, &out = c.out_type().shape;
  if (a.rank() != 2 || b.rank() != 2 || c.batched(0) == c.batched(1)) return {};
  // x B for a row x, A x for a column x.
  const int at = c.batched(0) ? 0 : 1;
  const DiagonalRows& diagonal = c.diagonal(at);
  const Tensor& matrix = c.in(1 - at);
  if (!diagonal || out[at] != 1 || !keeps_zeros(matrix)) return {};
  const std::int64_t width = out[1 - at];
  const bool columns = at == 0 ? tb : !ta;
  Tensor rows = columns ? transpose(slice(matrix, {0, diagonal.first}, {width, c.rows()}))
                        : slice(matrix, {diagonal.first, 0}, {c.rows(), width});
  if (diagonal.factors) {
    rows =
        rows * slice(reshape(diagonal.factors, {c.in_type(at).numel, 1}), {diagonal.first, 0}, {c.rows(), 1});
  }
  return reshape(rows, {c.rows(), out[0], out[1]});
}

}  // namespace

void product(BatchContext& c) {
  const bool ta = c.attrs().flags & rows::kTransposeA, tb = c.attrs().flags & rows::kTransposeB;
  const Shape &a = c.in_type(0).shape, &b = c.in_type(1).shape, &out = c.out_type().shape;
  const std::int64_t m = out[out.rank() - 2], n = out[out.rank() - 1];
  if (Tensor rows = diagonal_product(c, ta, tb)) return c.set(0, std::move(rows));
  // y = A b for every b: as rows, b^T A^T, one product of all; b is there as rows when transposed or a single
  // column.
  if (!c.batched(0) && a.rank() == 2 && b.rank() == 2 && (tb || n == 1)) {
    const Tensor tall = matmul(reshape(c.in(1), {c.rows() * n, tb ? b[1] : b[0]}), c.in(0), false, !ta);
    if (m == 1 || n == 1) return c.set(0, reshape(tall, {c.rows(), m, n}));
    return c.set(0, swapped(reshape(tall, {c.rows(), n, m})));
  }
  const int rank = out.rank();
  c.set(0, matmul(c.aligned(0, rank), c.aligned(1, rank), ta, tb));
}

void einsum(BatchContext& c) {
  const std::string equation(name_text(c.attrs().text));
  char row = 'A';
  while (equation.find(row) != std::string::npos) row = row == 'Z' ? 'a' : static_cast<char>(row + 1);
  const std::size_t comma = equation.find(','), arrow = equation.find("->");
  const auto labels = [&](int i, std::string_view own) {
    return c.batched(i) ? row + std::string(own) : std::string(own);
  };
  std::string with_row = labels(0, std::string_view(equation).substr(0, std::min(comma, arrow)));
  if (c.input_count() == 2)
    with_row += "," + labels(1, std::string_view(equation).substr(comma + 1, arrow - comma - 1));
  Attrs attrs = c.attrs();
  attrs.text = intern_name(with_row + "->" + row + equation.substr(arrow + 2));
  if (c.input_count() == 1) return c.set(0, c.call({c.in(0)}, attrs));
  c.set(0, c.call({c.in(0), c.in(1)}, attrs));
}

// One matrix for all rows is factorized once: their right sides become columns beside one another.
void solve(BatchContext& c) {
  if (c.batched(0)) return leading(c);
  const Tensor& b = c.in(1);
  const int rank = b.rank();
  Ints there, back;
  for (int i = 1; i < rank - 1; ++i) there.push_back(i);
  there.push_back(0);
  there.push_back(rank - 1);
  back.push_back(rank - 2);
  for (int i = 0; i < rank - 2; ++i) back.push_back(i);
  back.push_back(rank - 1);
  Tensor beside = transpose(b, there);
  const Shape apart = beside.shape();
  Shape wide = c.in_type(1).shape;
  wide[wide.rank() - 1] *= c.rows();
  beside = c.call({c.in(0), reshape(beside, wide)}, c.attrs());
  c.set(0, transpose(reshape(beside, apart), back));
}

}  // namespace tapescope::batch_rules
