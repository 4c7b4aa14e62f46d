// Steps that a program skips because its gradients are not finite, where it marks its steps.
#include "viewer/store/nonfinite.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/tapescope.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;

namespace {

// Steps of which the first `overflows` have a loss that is too large; a guard on the norm skips these.
std::shared_ptr<const Snapshot> guarded(std::uint64_t overflows, std::uint64_t steps) {
  std::optional<Variable> made;
  SGD optimizer(0.01);
  return test::snapshot_after(
      [&] {
        made.emplace(constant({1.0, 2.0}), VariableOptions{.name = "w"});
      },
      [&](std::uint64_t step) {
        const Variable& w = *made;
        const double by = step < overflows ? 1e30 : 1;
        GradientTape tape;
        Tensor loss;
        {
          auto recording = tape.record();
          loss = reduce_sum(w * by * by);
        }
        const Tensor gradient = tape.gradient(loss, w);
        if (std::isfinite(item(norm(gradient)))) optimizer.apply_gradients({gradient}, {w});
      },
      steps);
}

std::ptrdiff_t alarms(const Snapshot& snapshot) {
  return std::ranges::count(snapshot.alerts, "nonfinite", &AlertRow::kind);
}

}  // namespace

TEST_CASE("steps that a guard skipped raise no alert once the program goes on", "[store]") {
  CHECK(alarms(*guarded(2, 5)) == 0);
  CHECK(alarms(*guarded(3, 5)) == 0);
}

TEST_CASE("a program that skips each step has an alert that names where it began", "[store]") {
  const auto snapshot = guarded(5, 5);
  REQUIRE(alarms(*snapshot) == 1);
  CHECK(snapshot->alerts.front().op_type == "Mul");
}

TEST_CASE("what the first value that is not finite reached is said in one alert", "[store]") {
  const auto alert = [](const std::string& kind, const std::string& subject, std::uint64_t step) {
    AlertRow row;
    row.kind = kind;
    row.subject = subject;
    row.step = step;
    return row;
  };
  std::vector<AlertRow> alerts = {alert("none", "unused", 2), alert("nonfinite", "loss", 2)};
  for (int i = 0; i < 9; ++i) alerts.push_back(alert("nonfinite", "w" + std::to_string(i), 2));
  alerts.push_back(alert("nonfinite", "late", 3));
  alerts.push_back(alert("nonfinite", "early", 1));
  const NonFiniteOrigin origin{
      .step = 2, .value = "nan", .op = "Log", .op_type = "Log", .location = "a.py:5"};
  apply_origin(origin, alerts, 1);
  REQUIRE(alerts.size() == 3);
  CHECK(alerts[0].message ==
        "Log at a.py:5 made the first NaN of step 3, on the way forward; it reached the loss, the gradient "
        "of w0, the gradient of w1, the gradient of w2, the gradient of w3, the gradient of w4 and 4 more");
  CHECK(alerts[1].subject == "unused");
  CHECK(alerts[2].subject == "early");
}

namespace {

// The message and the fix of a run whose only finding this is.
AlertRow said_of(const NonFiniteOrigin& origin) {
  AlertRow loss;
  loss.kind = "nonfinite";
  loss.subject = "loss";
  loss.step = origin.step;
  std::vector<AlertRow> alerts = {loss};
  apply_origin(origin, alerts, 1);
  return alerts.front();
}

bool lowers_rate(const AlertRow& alert) { return alert.fix.find("learning rate") != std::string::npos; }

}  // namespace

TEST_CASE("an overflow after finite steps comes of what grew", "[store]") {
  NonFiniteOrigin origin{.step = 5, .value = "inf", .op = "Pow", .op_type = "Pow", .location = "a.py:5"};
  CHECK(lowers_rate(said_of(origin)));
  origin.step = 0;
  CHECK_FALSE(lowers_rate(said_of(origin)));
  origin.op_type = "Square";  // no pattern but its size
  CHECK(lowers_rate(said_of(origin)));
  origin.value = "nan";
  CHECK_FALSE(lowers_rate(said_of(origin)));
  // A division by 0 does not come of size.
  CHECK_FALSE(lowers_rate(
      said_of({.step = 5, .value = "inf", .op = "RealDiv", .op_type = "RealDiv", .location = "a.py:5"})));
}

TEST_CASE("what an earlier way back spoiled is not where it began", "[store]") {
  // 0: the op whose step goes wrong; 1: what that step runs; 2: the update that reads its result.
  StepView view;
  view.ops.resize(3);
  for (std::uint32_t i = 0; i < 3; ++i) view.ops[i].node = static_cast<std::int32_t>(i);
  view.ops[0].op = view.ops[0].name = "Sqrt";
  view.ops[1].direction = Direction::backward;
  view.ops[2].op = view.ops[2].name = "Identity";
  view.backward_steps = {{.forward_op = 0, .first_op = 1, .ops = 1, .node = 3}};
  SeenValues back{.index = 0}, update{.forward = true, .index = 2};
  back.results.infinity = update.results.nan = 1;
  view.seen = {update, back};
  const StepData data;
  const NonFiniteLook look = seen_origin(view, data, nullptr);
  REQUIRE(look.origin);
  CHECK(look.origin->op_type == "Sqrt");
  CHECK(look.origin->backward);
  // An op that ran before it is.
  view.seen[0].index = 0;
  CHECK_FALSE(seen_origin(view, data, nullptr).origin->backward);
}
