// Alerts of whole runs.
#include "viewer/store/alerts.h"

#include <algorithm>
#include <optional>

#include "engine/tapescope.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;

namespace {

// The step of the alert of None of a program whose gradient is None from that step on; -1: there is no alert.
int none_alert(std::uint64_t begins, std::uint64_t steps) {
  std::optional<Variable> made;
  const auto snapshot =
      test::snapshot_after([&] { made.emplace(constant({1.0, 2.0}), VariableOptions{.name = "w"}); },
                           [&](std::uint64_t step) {
                             GradientTape tape;
                             Tensor loss;
                             {
                               auto recording = tape.record();
                               const Tensor doubled = *made * 2.0;
                               loss = reduce_sum(step < begins ? doubled : stop_gradient(doubled));
                             }
                             tape.gradient(loss, *made);
                           },
                           steps);
  const auto alert = std::ranges::find(snapshot->alerts, "none", &AlertRow::kind);
  return alert == snapshot->alerts.end() ? -1 : static_cast<int>(alert->step);
}

}  // namespace

TEST_CASE("an alert of None is of the step in which it began, however late it is looked at", "[store]") {
  CHECK(none_alert(0, 20) == 0);
  CHECK(none_alert(13, 20) == 13);
  CHECK(none_alert(20, 20) == -1);
}
