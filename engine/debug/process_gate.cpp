// Which thread obeys the gate of the process, and when.
#include "engine/debug/process_gate.h"

#include <atomic>
#include <mutex>

#include "engine/events/chunk.h"
#include "engine/events/threads.h"

namespace tapescope {
namespace {

std::atomic<ProcessGate*> current{nullptr};
std::atomic<std::uint32_t> era{0};      // grows with each gate that is set
std::atomic<std::uint32_t> obeying{0};  // id of the thread; 0 while none does
std::atomic<bool> tells_steps{false};

struct Follower {
  std::uint32_t era = 0;  // in which the step that is under way began; 0 outside of steps
  bool obeys = false;
  ~Follower() {
    if (obeys) obeying.store(0, std::memory_order_release);
  }
};
thread_local Follower follower;
constinit thread_local GateWaiter* waiter_here = nullptr;

bool obeys() {
  if (follower.obeys) return true;
  std::uint32_t none = 0;
  follower.obeys = obeying.compare_exchange_strong(none, this_thread_id(), std::memory_order_acquire);
  return follower.obeys;
}

}  // namespace

void count_armed_gates(int change) {
  // The count and the bit change together.
  static std::mutex mutex;
  static int armed = 0;
  std::lock_guard lock(mutex);
  const bool before = armed > 0;
  armed += change;
  if ((armed > 0) != before) listen_on_all_threads(kListenGate, armed > 0);
}

ProcessGate* set_process_gate(ProcessGate* gate) {
  if (gate) era.fetch_add(1, std::memory_order_relaxed);
  return current.exchange(gate, std::memory_order_acq_rel);
}

bool has_process_gate() { return current.load(std::memory_order_relaxed) != nullptr; }

ProcessGate* process_gate() {
  ProcessGate* gate = current.load(std::memory_order_acquire);
  if (!gate) return nullptr;
  // A step that was under way when the gate was set would be counted from its middle.
  if (tells_steps.load(std::memory_order_relaxed) && follower.era != era.load(std::memory_order_relaxed))
    return nullptr;
  return obeys() ? gate : nullptr;
}

void set_gate_waiter(GateWaiter* waiter) { waiter_here = waiter; }
GateWaiter* gate_waiter() { return waiter_here; }

void process_gate_step_begins(std::uint64_t step) {
  tells_steps.store(true, std::memory_order_relaxed);
  ProcessGate* gate = current.load(std::memory_order_acquire);
  if (!gate || !obeys()) return;
  follower.era = era.load(std::memory_order_relaxed);
  gate->step_begins(step);
}

void process_gate_step_ends(std::uint64_t step) {
  if (follower.era == 0) return;
  ProcessGate* gate = process_gate();
  follower.era = 0;
  if (gate) gate->step_ends(step);
}

namespace {

constinit std::mutex unfinished_mutex;
constinit std::optional<UnfinishedStep> unfinished;

}  // namespace

void note_unfinished_step(std::optional<UnfinishedStep> step) {
  std::lock_guard lock(unfinished_mutex);
  unfinished = step;
}

std::optional<UnfinishedStep> unfinished_step() {
  std::lock_guard lock(unfinished_mutex);
  return unfinished;
}

}  // namespace tapescope
