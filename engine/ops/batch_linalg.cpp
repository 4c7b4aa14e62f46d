// Rules of products and solvers: rows are folded into one large product wherever the other operand is the same for all.
#include <string>

#include "engine/ops/batch_rules.h"
#include "engine/ops/linalg.h"
#include "engine/ops/linalg_rows.h"
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

}  // namespace

void product(BatchContext& c) {
  const bool ta = c.attrs().flags & rows::kTransposeA, tb = c.attrs().flags & rows::kTransposeB;
  const Shape &a = c.in_type(0).shape, &b = c.in_type(1).shape, &out = c.out_type().shape;
  const std::int64_t m = out[out.rank() - 2], n = out[out.rank() - 1];
  // Rows of the identity times a matrix are rows of the matrix: what the last layer of a network is given first.
  if (const std::int64_t first = c.identity_from(0); first >= 0 && m == 1 && a.rank() == 2 && b.rank() == 2 && !c.batched(1)) {
    const Tensor& matrix = c.in(1);
    const Tensor rows = tb ? transpose(slice(matrix, {0, first}, {n, c.rows()})) : slice(matrix, {first, 0}, {c.rows(), n});
    return c.set(0, reshape(rows, {c.rows(), 1, n}));
  }
  // y = A b for every b: as rows, b^T A^T, one product of all; b is there as rows when transposed or a single column.
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
  const auto labels = [&](int i, std::string_view own) { return c.batched(i) ? row + std::string(own) : std::string(own); };
  std::string with_row = labels(0, std::string_view(equation).substr(0, std::min(comma, arrow)));
  if (c.input_count() == 2) with_row += "," + labels(1, std::string_view(equation).substr(comma + 1, arrow - comma - 1));
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
