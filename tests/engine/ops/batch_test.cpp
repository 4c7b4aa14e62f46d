// Every op under the batching mode, for every choice of batched operands, against a loop over the rows.
#include "engine/ops/batch.h"
#include "engine/events/records/ops.h"

#include <cmath>
#include <set>

#include <fmt/format.h>

#include "engine/events/session.h"
#include "engine/ops/ops.h"
#include "tests/engine/ops/op_calls.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// Row r of a stack made from `x`: other numbers in every row, indices and conditions in another order.
Tensor varied(const Tensor& x, std::int64_t r) {
  if (r == 0) return x;
  if (is_floating(x.dtype())) return x * (1 + 0.03 * static_cast<double>(r));
  return x.rank() == 0 || x.dim(0) == 0 ? x : roll(x, r, 0);
}

bool same(double a, double b, double tolerance) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b || std::fabs(a - b) <= tolerance * std::max(1.0, std::fabs(b));
}

double tolerance_of(DType dtype) {
  switch (dtype) {
    case DType::f64: return 1e-11;
    case DType::f32: return 2e-5;
    case DType::f16: return 2e-3;
    default: return 0;
  }
}

// "" when the batched call gives what the loop gives.
std::string difference(const MadeCall& call, std::uint32_t batched, std::int64_t rows) {
  std::vector<std::vector<Tensor>> of_row(static_cast<std::size_t>(rows));
  std::vector<Tensor> operands = call.inputs;
  BatchMode mode(rows);
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i >= 32 || !(batched >> i & 1)) {
      for (auto& row : of_row) row.push_back(call.inputs[i]);
      continue;
    }
    for (std::int64_t r = 0; r < rows; ++r)
      of_row[static_cast<std::size_t>(r)].push_back(varied(call.inputs[i], r));
    std::vector<Tensor> parts;
    for (const auto& row : of_row) parts.push_back(row.back());
    operands[i] = mode.wrap(stack(parts, 0));
  }
  std::vector<Tensor> together = run_call(call, operands);
  for (Tensor& output : together) output = mode.unwrap(output);
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::vector<Tensor> alone = run_call(call, of_row[static_cast<std::size_t>(r)]);
    for (std::size_t k = 0; k < alone.size(); ++k) {
      const Tensor row = at(together[k], r);
      if (&row.type() != &alone[k].type())
        return fmt::format("output {} is {}, not {}", k, row.type().text(), alone[k].type().text());
      for (std::int64_t e = 0; e < row.numel(); ++e) {
        if (!same(element(row, e), element(alone[k], e), tolerance_of(row.dtype()))) {
          return fmt::format("output {}, row {}, element {}: {} together, {} alone", k, r, e, element(row, e),
                             element(alone[k], e));
        }
      }
    }
  }
  return "";
}

// Operands whose values decide the result's size cannot differ from row to row.
bool size_depends(const MadeCall& call, std::uint32_t batched) {
  return call.op->name == "Where" || (call.op->name == "SegmentSum" && (batched & 2));
}

void check_calls(DType dtype, std::int64_t size, std::int64_t rows) {
  for (const MadeCall& call : op_calls(dtype, size)) {
    const std::size_t inputs = std::min<std::size_t>(call.inputs.size(), 5);
    for (std::uint32_t batched = 1; batched < 1u << inputs; ++batched) {
      if (call.inputs[0].dtype() == DType::resource || size_depends(call, batched)) continue;
      INFO(call.text() << ", batched operands " << batched << ", rows " << rows);
      CHECK(difference(call, batched, rows) == "");
    }
  }
}

}  // namespace

TEST_CASE("a batched op gives what the loop over its rows gives, in float64") {
  check_calls(DType::f64, 3, 3);
}
TEST_CASE("a batched op gives what the loop over its rows gives, in float32") {
  check_calls(DType::f32, 3, 3);
}
TEST_CASE("a batched op gives what the loop gives where sizes are 1") { check_calls(DType::f64, 1, 1); }
TEST_CASE("a batched op gives what the loop gives where sizes are 0") { check_calls(DType::f64, 0, 2); }

TEST_CASE("the calls that tests are generated from are of every op with inputs") {
  std::set<std::string_view> seen;
  for (const MadeCall& call : op_calls(DType::f64, 3)) seen.insert(call.op->name);
  for (const OpDef* op : op_table()) {
    const bool draws = op->flags & OpDef::kRandom || op->name.starts_with("Stateless");
    const bool handles =
        op->name == "ReadVariableOp" || op->name.starts_with("TensorList");  // none of their inputs has rows
    if (draws || handles) continue;
    INFO(op->name);
    CHECK(seen.contains(op->name));
  }
}

TEST_CASE("an op without a rule runs once a row and says so once") {
  Session session;
  session.start();
  BatchMode mode(3);
  const Tensor perms = mode.wrap(constant({{1, 2, 0}, {0, 2, 1}, {2, 1, 0}}, DType::i32));
  const Tensor once = invert_permutation(perms);
  const Tensor twice = invert_permutation(once);
  CHECK(elements(mode.unwrap(once)) == std::vector<double>{2, 0, 1, 0, 2, 1, 2, 1, 0});
  CHECK(elements(mode.unwrap(twice)) == std::vector<double>{1, 2, 0, 0, 2, 1, 2, 1, 0});
  std::vector<BatchFallbackRecord> fallbacks;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) {
      if (record.is<BatchFallbackRecord>()) fallbacks.push_back(record.as<BatchFallbackRecord>());
    }
  });
  REQUIRE(fallbacks.size() == 1);
  CHECK(fallbacks[0].op == find_op("InvertPermutation")->id);
  CHECK(fallbacks[0].rows == 3);
}

TEST_CASE("no rows at all are no rows of the result") {
  BatchMode mode(0);
  const Tensor none = mode.wrap(zeros({0, 2, 3}));
  CHECK(mode.unwrap(reduce_sum(none, {1})).shape() == Shape{0, 2});
  CHECK(mode.unwrap(none + 1).shape() == Shape{0, 2, 3});
}

TEST_CASE("modes nest: an inner stack's rows are batched by the outer one") {
  BatchMode outer(2);
  const Tensor a = outer.wrap(constant({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}}));  // [3] a row
  BatchMode inner(3);
  const Tensor b = inner.wrap(a);  // a scalar a row of a row
  const Tensor c = inner.unwrap(b * b + 1);
  CHECK(c.shape() == Shape{3});
  CHECK(elements(outer.unwrap(c)) == std::vector<double>{2, 5, 10, 17, 26, 37});
}

TEST_CASE("what does not fit is refused in the words of one row") {
  BatchMode mode(2);
  const Tensor x = mode.wrap(ones({2, 3, 4}));
  CHECK_THROWS_WITH(matmul(x, x), contains_text("inner sizes differ"));
  CHECK_THROWS_WITH(where_indices(x > 0), contains_text("depends on the values"));
  CHECK_THROWS_WITH(mode.wrap(ones({3, 2})), contains_text("expected 2 rows"));
  const Tensor deep = mode.wrap(ones({2, 1, 1, 1, 1, 1, 1, 1}));
  CHECK_THROWS_WITH(expand_dims(deep, 0), contains_text("the most is 7"));
}
