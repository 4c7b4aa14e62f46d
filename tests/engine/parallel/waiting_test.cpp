// A rank that waits for another one can be paused, and what it waits for goes on.
#include "engine/parallel/waiting.h"

#include <atomic>
#include <optional>
#include <thread>

#include "engine/core/error.h"
#include "engine/debug/gate.h"
#include "engine/ops/ops.h"
#include "engine/parallel/collectives.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"
#include "tests/support/thread_ranks.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

// Goes on only where it is asked, as MPI's do.
class Asked final : public parallel::StartedExchange {
 public:
  explicit Asked(int times, bool fails = false) : left(times), fails_(fails) {}
  bool done() override {
    if (left > 0 && --left == 0 && fails_) throw Error(ErrorKind::runtime, "the other process is gone");
    return left <= 0;
  }
  void wait() override {}
  std::atomic<int> left;

 private:
  bool fails_;
};

class Bound {
 public:
  explicit Bound(DebugGate& gate) : gate_(gate) { gate.bind(); }
  ~Bound() { gate_.unbind(); }
  Bound(const Bound&) = delete;
  Bound& operator=(const Bound&) = delete;

 private:
  DebugGate& gate_;
};

}  // namespace

TEST_CASE("a rank that is paused while it waits stands in the exchange, which goes on beside it",
          "[parallel]") {
  DebugGate gate;
  Asked exchange(20);
  std::optional<Frame> stood;
  gate.on_park([&](StopReason reason, const Frame& frame, const Breakpoint*) {
    CHECK(reason == StopReason::pause);
    stood = frame;
    while (exchange.left > 0) std::this_thread::yield();
    return DebugGate::Move{};
  });
  const Bound bound(gate);
  gate.begin_step(DebugGate::kNever);
  const OpNameId op = intern_op_name("CollectiveReduceV2");
  gate.request_pause();
  parallel::wait_at_gate(exchange, op);
  REQUIRE(stood);
  CHECK(stood->op == op);
  CHECK(stood->cursor == 0);
  CHECK_FALSE(gate.pause_requested());
}

TEST_CASE("what an exchange throws while its rank stands is thrown as it goes on", "[parallel]") {
  DebugGate gate;
  Asked exchange(20, true);
  gate.on_park([&](StopReason, const Frame&, const Breakpoint*) {
    while (exchange.left > 0) std::this_thread::yield();
    return DebugGate::Move{};
  });
  const Bound bound(gate);
  gate.request_pause();
  CHECK(error_of([&] { parallel::wait_at_gate(exchange, 0); }) == "the other process is gone");
}

TEST_CASE("a rank that goes on before the others have come is paused again in the same exchange",
          "[parallel]") {
  DebugGate gate;
  Asked exchange(20'000);
  int stops = 0;
  gate.on_park([&](StopReason, const Frame&, const Breakpoint*) {
    if (++stops == 1) gate.request_pause();
    else exchange.left = 1;
    return DebugGate::Move{};
  });
  const Bound bound(gate);
  gate.begin_step(DebugGate::kNever);
  gate.request_pause();
  parallel::wait_at_gate(exchange, 0);
  CHECK(stops == 2);
}

TEST_CASE("a rank stands in its exchange until it may go on, though the others have come", "[parallel]") {
  std::atomic<bool> stands{false}, came{false};
  ThreadWorld world(2);
  run_ranks(world, [&](int rank) {
    if (rank == 1) {
      while (!stands) std::this_thread::yield();
      all_reduce(constant(2.0f));
      came = true;
      return;
    }
    DebugGate gate;
    gate.on_park([&](StopReason, const Frame&, const Breakpoint*) {
      stands = true;
      while (!came) std::this_thread::yield();
      return DebugGate::Move{};
    });
    const Bound bound(gate);
    gate.begin_step(DebugGate::kNever);
    gate.request_pause();
    CHECK(item(all_reduce(constant(1.0f))) == 3);
  });
  CHECK(stands);
}
