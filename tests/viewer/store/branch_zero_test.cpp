// Zero gradients of variables that are used only in a branch that did not run, in the graph of a function.
#include "engine/graph/flow.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;
using tapescope::test::snapshot_of;

namespace {

struct Branches {
  Variable rise{constant(3.0), {.name = "rise"}}, fall{constant(0.5), {.name = "fall"}}, both{constant(0.0), {.name = "both"}};
  Tensor bend(const Tensor& x) const {
    return cond(x > 0, [&] { return x * rise * both; }, [&] { return x * fall * both; });
  }
};

const GradientRow& row_of(const std::vector<GradientRow>& rows, std::string_view source) {
  for (const GradientRow& row : rows) {
    if (row.source == source) return row;
  }
  FAIL("no row of " << source);
  return rows.front();
}

}  // namespace

TEST_CASE("a zero gradient in a function tells of the branch that did not run") {
  Branches b;
  Function f("f", [&](const Tensor& x) { return b.bend(x); });
  const auto gradients = [&](double at) {
    return snapshot_of([&, at](std::uint64_t) {
             const Tensor x = constant(at);
             GradientTape tape;
             tape.enter();
             tape.watch(x);
             const Tensor y = f(x);
             tape.exit();
             tape.gradient(y, {b.rise, b.fall, b.both});
           })->gradients;
  };
  const auto rises = gradients(2);
  const GradientRow& fall = row_of(rises, "fall");
  CHECK(fall.status == GradientStatus::zero);
  CHECK(fall.reason == "branch_not_taken");
  CHECK(fall.message.find("used only by the second branch of cond") != std::string::npos);
  CHECK(fall.location.find("branch_zero_test.cpp:17") != std::string::npos);
  // Zero too, since what it is multiplied with is: another reason, though it stands in a branch.
  const GradientRow& rise = row_of(rises, "rise");
  CHECK(rise.status == GradientStatus::zero);
  CHECK(rise.reason != "branch_not_taken");
  CHECK(row_of(rises, "both").status == GradientStatus::value);
}

TEST_CASE("a zero gradient in a function names the other branch when the other one runs") {
  Branches b;
  Function f("f", [&](const Tensor& x) { return b.bend(x); });
  int step = 0;
  const auto snapshot = snapshot_of([&](std::uint64_t) {
    const Tensor x = constant(step++ == 0 ? 2.0 : -2.0);
    GradientTape tape;
    tape.enter();
    const Tensor y = f(x);
    tape.exit();
    tape.gradient(y, {b.rise, b.fall});
  }, 2);
  const GradientRow& rise = row_of(snapshot->gradients, "rise");
  CHECK(rise.reason == "branch_not_taken");
  CHECK(rise.message.find("used only by the first branch of cond") != std::string::npos);
  CHECK(row_of(snapshot->gradients, "fall").reason != "branch_not_taken");
}
