// Whose steps they are, and when one ends.
#include "engine/gate/implied_steps.h"

#include <mutex>

#include "engine/debug/process_gate.h"
#include "engine/events/records/steps.h"
#include "engine/events/session.h"
#include "engine/gate/symbol.h"

namespace tapescope::implied_steps {
namespace {

constinit std::atomic<bool> g_marked{false};

// The steps of the session that listens.
struct Steps {
  std::mutex mutex;
  std::uint32_t session = 0;
  ThreadState* owner = nullptr;  // null: the next thread that opens a tape
  std::uint64_t next = 0;
};
Steps& steps() {
  static Steps* instance = new Steps;  // never destroyed: threads of the program may outlive main
  return *instance;
}

void end_step(ThreadState& thread) {
  const bool whole = thread.implied_step.asked;
  thread.implied_step.open = false;
  note_unfinished_step(std::nullopt);
  process_gate_step_ends(thread.step);
  thread.note(StepEndRecord{.abandoned = !whole, .step = thread.step, .ticks = ticks()});
}

void begin_step(ThreadState& thread, std::uint64_t step, std::uint32_t session) {
  thread.implied_step = {.session = session, .open = true};
  thread.step = step;
  thread.last_ticks = ticks();
  thread.note(StepBeginRecord{.implied = 1, .step = step, .ticks = thread.last_ticks});
  process_gate_step_begins(step);
}

bool is_owner(ThreadState& thread, std::uint32_t session) {
  Steps& all = steps();
  std::lock_guard lock(all.mutex);
  if (all.session != session) {
    all.session = session;
    all.owner = nullptr;
    all.next = 0;
  }
  if (!all.owner) all.owner = &thread;
  return all.owner == &thread;
}

std::uint64_t take_number() {
  Steps& all = steps();
  std::lock_guard lock(all.mutex);
  return all.next++;
}

}  // namespace

void tape_opens(ThreadState& thread) {
  const bool heard = thread.listen.load(std::memory_order_relaxed) & kListenEvents;
  if (!heard || g_marked.load(std::memory_order_relaxed) || thread.backward_depth != 0 || current_trace())
    return;
  const std::uint32_t session = Session::number();
  ThreadState::ImpliedStep& step = thread.implied_step;
  if (step.session != session) step = {};
  if (step.open && !(step.asked && step.updated)) return;
  if (!is_owner(thread, session)) return;
  if (step.open) end_step(thread);
  begin_step(thread, take_number(), session);
}

void question_over(ThreadState& thread) {
  ThreadState::ImpliedStep& step = thread.implied_step;
  if (!std::exchange(step.asked, true) && step.open)
    note_unfinished_step(UnfinishedStep{thread.writer.thread(), thread.step});
}

void step_marked(ThreadState& thread) {
  if (!g_marked.load(std::memory_order_relaxed)) g_marked.store(true, std::memory_order_relaxed);
  if (!thread.implied_step.open) return;
  if (thread.implied_step.session == Session::number()) end_step(thread);
  thread.implied_step.open = false;
}

void thread_ends(ThreadState& thread) {
  Steps& all = steps();
  {
    std::lock_guard lock(all.mutex);
    if (all.owner != &thread) return;
    all.owner = nullptr;
  }
  if (thread.implied_step.open && thread.implied_step.session == Session::number()) end_step(thread);
}

void forget_marks() { g_marked.store(false, std::memory_order_relaxed); }

}  // namespace tapescope::implied_steps
