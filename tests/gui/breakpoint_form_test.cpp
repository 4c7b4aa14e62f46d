// A breakpoint by choice: no syntax to guess, and what is offered is what the program has.
#include <algorithm>

#include "tests/gui/driver.h"
#include "tests/support/catch.h"
#include "viewer/debugger/breakpoint_text.h"
#include "viewer/panels/breakpoint_form.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

void open_form(UiDriver& ui) {
  REQUIRE(ui.run("sample mnist-mlp").empty());
  REQUIRE(ui.run("steps 2").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.run("panel breakpoints").empty());
  ui.frame(2);
  ui.click("breakpoints/add");
  ui.frame(2);
  REQUIRE(ui.on_screen("breakpoint-form/done"));
}

}  // namespace

TEST_CASE("each kind of breakpoint is chosen with three clicks at most") {
  UiDriver ui;
  open_form(ui);
  for (const BreakCondition& condition : break_conditions())
    CHECK(ui.on_screen("breakpoint-form/kind/" + std::string(condition.word)));
  // An op type has to be chosen first.
  CHECK_FALSE(ui.bench->map.find("breakpoint-form/done")->enabled);
  ui.click("breakpoint-form/value/BiasAdd");
  ui.click("breakpoint-form/done");
  ui.frame(2);
  CHECK_FALSE(ui.on_screen("breakpoint-form/done"));
  REQUIRE(ui.bench->debuggee.breakpoints().size() == 1);
  CHECK(text_of(ui.bench->debuggee.breakpoints()[0]) == "op BiasAdd");
  check_clean(ui);
}

TEST_CASE("a norm is offered as it was seen, and of one source") {
  UiDriver ui;
  open_form(ui);
  ui.click("breakpoint-form/kind/norm-above");
  ui.frame(2);
  ui.click("breakpoint-form/limit/tenfold");
  ui.click("breakpoint-form/source/dense1/kernel");
  ui.click("breakpoint-form/done");
  ui.frame(2);
  REQUIRE(ui.bench->debuggee.breakpoints().size() == 1);
  const Breakpoint made = ui.bench->debuggee.breakpoints()[0];
  CHECK(made.kind == Breakpoint::Kind::norm_above);
  CHECK(made.source == "dense1/kernel");
  double largest = 0;
  for (const GradientRow& row : ui.bench->a->gradients) largest = std::max(largest, row.norm);
  CHECK(made.limit == Approx(10 * largest).epsilon(1e-4));
  // The same form changes it.
  ui.click("breakpoints/1/edit");
  ui.frame(2);
  ui.click("breakpoint-form/kind/nonfinite");
  ui.frame(2);
  ui.click("breakpoint-form/done");
  ui.frame(2);
  REQUIRE(ui.bench->debuggee.breakpoints().size() == 1);
  CHECK(text_of(ui.bench->debuggee.breakpoints()[0]) == "nonfinite");
  check_clean(ui);
}

TEST_CASE("what a program was seen to have is what may be chosen") {
  UiDriver ui;
  open_form(ui);
  const SeenInProgram seen = seen_in(*ui.bench->a);
  CHECK(std::ranges::count(seen.ops, "MatMul") == 1);
  CHECK(std::ranges::count(seen.sources, "dense1/kernel") == 1);
  CHECK(std::ranges::count(seen.names, "dense1/kernel") == 1);
  CHECK(std::ranges::any_of(seen.lines,
                            [](const std::string& line) { return line.starts_with("mnist_mlp.cpp:"); }));
  CHECK(seen.largest_norm >= seen.smallest_norm);
  CHECK(seen.smallest_norm > 0);
}
