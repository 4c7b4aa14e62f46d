// F9 is the op in focus, Shift+F9 all of its type.
#include "tests/gui/driver.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

TEST_CASE("F9 stops at the op in focus alone, forward or backward, in each step") {
  UiDriver ui;
  REQUIRE(ui.run("sample mnist-mlp").empty());
  REQUIRE(ui.run("variant unoptimized").empty());
  REQUIRE(ui.run("steps 3").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  const auto view = ui.bench->a->shown();
  const bool backward = GENERATE(false, true);
  // The second matrix product of the way, as its type alone would stop at the first.
  std::vector<std::uint32_t> products;
  for (std::uint32_t i = 0; i < view->ops.size(); ++i) {
    const OpRow& row = view->ops[i];
    if (row.op != "MatMul" || (row.direction == Direction::backward) != backward) continue;
    if (backward && row.backward_step == view->ops[products.empty() ? i : products.back()].backward_step &&
        !products.empty())
      continue;
    products.push_back(i);
  }
  REQUIRE(products.size() == 2);
  REQUIRE(ui.run("select op " + std::to_string(products[1])).empty());
  ui.key("F9");
  ui.frame(2);
  REQUIRE(ui.bench->debuggee.breakpoints().size() == 1);
  const OpRow row = view->ops[products[1]];
  const std::int64_t node = backward ? view->backward_steps[row.backward_step].node : row.node;
  for (int stop = 0; stop < 2; ++stop) {
    REQUIRE(ui.run("run").empty());
    REQUIRE(ui.settle());
    REQUIRE(ui.bench->status.mode == RunMode::paused);
    REQUIRE(ui.bench->status.frame);
    CHECK(static_cast<std::int64_t>(ui.bench->status.frame->cursor) == node + 1);
    CHECK(ui.bench->status.frame->step == static_cast<std::uint64_t>(stop));
  }
  // The same key takes it back; Shift+F9 is every op of the type.
  ui.key("F9");
  ui.frame(2);
  CHECK(ui.bench->debuggee.breakpoints().empty());
  ui.key("Shift+F9");
  ui.frame(2);
  REQUIRE(ui.bench->debuggee.breakpoints().size() == 1);
  CHECK(ui.bench->debuggee.breakpoints()[0].place == 0);
  check_clean(ui);
}
