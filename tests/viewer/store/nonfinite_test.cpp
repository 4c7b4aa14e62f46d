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
