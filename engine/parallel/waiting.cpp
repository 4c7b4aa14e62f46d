// Asks again and again, as MPI does where there are more processes than processors.
#include "engine/parallel/waiting.h"

#include <sched.h>

#include <chrono>
#include <exception>
#include <thread>

#include "engine/debug/gate.h"
#include "engine/gate/state.h"

namespace tapescope::parallel {
namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(1);  // while the thread stands

// What is exchanged is not whole: nothing of it is shown.
class Waiting final : public FrameSource {
 public:
  void describe(Frame&) const override {}
};

// MPI lets an exchange go on only where it is asked for it.
class GoesOn {
 public:
  explicit GoesOn(StartedExchange& exchange)
      : thread_([this, &exchange](const std::stop_token& stop) {
          try {
            while (!stop.stop_requested() && !exchange.done()) std::this_thread::sleep_for(kBetweenLooks);
          } catch (...) {
            error_ = std::current_exception();
          }
        }) {}
  // Throws what the exchange did.
  void end() {
    thread_.request_stop();
    thread_.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::exception_ptr error_;
  std::jthread thread_;  // last: ends before what it writes is gone
};

OpNameId name_of(Exchange::Kind kind) {
  static const OpNameId names[] = {intern_op_name("CollectiveReduceV2"), intern_op_name("CollectiveGatherV2"),
                                   intern_op_name("CollectiveBroadcast"),
                                   intern_op_name("CollectiveReduceScatterV2")};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace

void wait_at_gate(StartedExchange& exchange, OpNameId op, SiteId site) {
  const ThreadState& ts = state();
  while (!exchange.done()) {
    DebugGate* const gate =
        ts.listen.load(std::memory_order_relaxed) & kListenGate ? DebugGate::bound() : nullptr;
    if (gate == nullptr || !gate->pause_requested()) {
      sched_yield();
      continue;
    }
    GoesOn beside(exchange);
    gate->arrive_waiting({.backward = ts.backward_depth > 0, .inside = true, .op = op, .site = site},
                         Waiting());
    beside.end();
  }
}

void Transport::run(const Exchange& exchange) { wait_at_gate(*start(exchange), name_of(exchange.kind)); }

}  // namespace tapescope::parallel
