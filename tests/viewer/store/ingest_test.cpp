// The thread that stores a program's events, while the program runs and others read what is stored.
#include "viewer/store/ingest.h"

#include <atomic>
#include <thread>
#include <vector>

#include "tests/engine/live/attached.h"
#include "tests/support/catch.h"

using namespace tapescope;
using tapescope::test::Training;

TEST_CASE("snapshots are whole while a program runs, and flush() waits for its last step",
          "[store][threads]") {
  Session session;
  session.start();
  std::atomic<int> published{0}, torn{0};
  Ingest ingest(session);
  ingest.on_publish([&] { ++published; });
  Training training;
  {
    std::vector<std::jthread> readers;
    for (int i = 0; i < 2; ++i) {
      readers.emplace_back([&](const std::stop_token& stop) {
        std::uint64_t version = 0;
        while (!stop.stop_requested()) {
          const auto snapshot = ingest.store(0).snapshot();
          torn += snapshot->version < version;
          // Constant, Mul, Square, Sum and their gradients: a complete step has all of its ops. While there
          // is none, what came outside of steps stands in for it.
          torn += !snapshot->steps.empty() && snapshot->complete->ops.size() != 8;
          version = snapshot->version;
        }
      });
    }
    CHECK(training.runs());
    ingest.set_thresholds({});
    ingest.clear();
    CHECK(training.runs());
  }
  training.end();
  ingest.flush();
  CHECK(torn == 0);
  CHECK(published > 0);
  const auto last = ingest.store(0).snapshot();
  REQUIRE_FALSE(last->steps.empty());
  CHECK(last->steps.back().step + 1 == training.steps());
  CHECK(last->lost_events == 0);
}
