// The op table as a whole: every row complete, names once, samplers well-formed.
#include <algorithm>
#include <set>

#include "engine/gate/families.h"
#include "tests/support/catch.h"
#include "tests/support/op_rows.h"

using namespace tapescope;

TEST_CASE("every row of the op table is complete and found by its name") {
  std::set<std::string_view> names;
  for (const OpDef* row : op_table()) {
    INFO(row->name);
    CHECK(names.insert(row->name).second);
    CHECK(find_op(row->name) == row);
    CHECK(op_name_text(row->id) == row->name);
    CHECK(row->infer != nullptr);
    CHECK((row->kernel != nullptr || (row->flags & OpDef::kView) != 0));
    CHECK_FALSE(row->doc.empty());
    CHECK((row->vjp != nullptr) == (row->no_gradient == NoGradient::none));
    CHECK(row->sampler.low < row->sampler.high);
  }
  CHECK(find_op("NoSuchOp") == nullptr);
}

// Rows that only move data may leave it to the types.
TEST_CASE("every row that computes says what it costs") {
  for (auto family : {elementwise_ops(), reduce_ops(), linalg_ops()}) {
    for (const OpDef* row : family) {
      INFO(row->name);
      CHECK(row->cost != nullptr);
    }
  }
}

TEST_CASE("elementwise rows are found by the number of their inputs") {
  std::size_t found = 0;
  for (const int inputs : {1, 2}) {
    for (const OpDef* row : test::elementwise_rows(inputs)) {
      INFO(row->name);
      ++found;
      const std::string_view shapes = row->sampler.shapes, first = shapes.substr(0, shapes.find('|'));
      if (!shapes.empty()) CHECK(1 + std::count(first.begin(), first.end(), ';') == inputs);
    }
  }
  CHECK(found + rows::selection_rows().size() == elementwise_ops().size());
}
