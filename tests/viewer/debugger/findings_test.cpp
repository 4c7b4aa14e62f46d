// The search for what only a second run tells, on a thread that is asked, stopped and read from others.
#include "viewer/debugger/findings.h"

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/support/catch.h"
#include "viewer/debugger/headless.h"

using namespace tapescope;

namespace {

bool caught_up(const Findings& findings) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!findings.caught_up() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return findings.caught_up();
}

}  // namespace

TEST_CASE("findings are read while they are searched, and are those of a headless run",
          "[findings][threads]") {
  RunRequest request;
  request.sample = "nan-hunt";
  request.options.steps = 3;
  const HeadlessRun run = run_headless(request);
  REQUIRE(run.snapshots[0]);
  std::atomic<int> woken{0};
  Findings findings([&] { ++woken; });
  findings.search(1, run.request, run.snapshots[0]);
  std::jthread reader([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      findings.told(run.snapshots[0]);
      findings.zeros(*run.snapshots[0]);
      findings.origin();
    }
  });
  REQUIRE(caught_up(findings));
  reader.request_stop();
  reader.join();
  CHECK(woken == 1);
  REQUIRE(run.origins[0]);
  REQUIRE(findings.origin());
  CHECK(findings.origin()->op == run.origins[0]->op);
  CHECK(findings.origin()->node == run.origins[0]->node);
  CHECK_FALSE(run.zeros[0].empty());
  CHECK(findings.zeros(*run.snapshots[0]).size() == run.zeros[0].size());
}

TEST_CASE("a search of findings that is forgotten is given up", "[findings][threads]") {
  auto view = std::make_shared<StepView>();
  view->step = 1'000'000'000;  // years away
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->version = 1;
  snapshot->complete = view;
  GradientRow row;
  row.status = GradientStatus::zero;
  row.step = view->step;
  snapshot->gradients.push_back(row);
  RunRequest request;
  request.sample = "derivative";
  request.options.variant = "default";
  Findings findings([] {});
  findings.search(1, request, snapshot);
  CHECK_FALSE(findings.caught_up());
  findings.search(1, request, snapshot);  // the same again changes nothing
  findings.forget();
  CHECK(caught_up(findings));
  CHECK(findings.told(snapshot) == snapshot);
}
