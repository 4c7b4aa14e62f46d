// The gate of a program without a debugger in its process: how an attached viewer stops it.
#pragma once
#include <cstdint>
#include <optional>

#include "engine/debug/gate.h"

namespace tapescope {

class ProcessGate {
 public:
  virtual ~ProcessGate() = default;
  virtual DebugGate& gate() = 0;
  // On the thread that obeys the gate: a training step begins, ends.
  virtual void step_begins(std::uint64_t step) = 0;
  virtual void step_ends(std::uint64_t step) = 0;
};

// One thread of the process obeys the gate: the first that begins a training step while one is set or, in a
// program without steps, the first that runs an op on a tape. It does so until it ends, inside of
// steps alone, and where it has not bound another gate. Null: no thread obeys any more. What was set must
// live on, as the thread may still be inside it. Returns the one before.
ProcessGate* set_process_gate(ProcessGate* gate);
// Whether one is set: a viewer is attached. Any thread.
bool has_process_gate();
// Threads look for a gate while one is armed, as each is from its making to its end. Any thread.
void count_armed_gates(int change);
// The gate, on the thread that obeys it; else null.
ProcessGate* process_gate();

// How a thread waits at the gate of the process, where that is not by waiting alone: an interpreter lets its
// other threads run meanwhile, and attends to signals.
class GateWaiter {
 public:
  virtual ~GateWaiter() = default;
  // Around what the gate does with the thread's stop, outside of its locks.
  virtual void leave() = 0;
  virtual void come_back() = 0;
  // Asked several times a second while the thread waits, between leave() and come_back(): true lets the
  // program go on, as if the viewer had asked for it.
  virtual bool interrupted() = 0;
};
// Of the calling thread; null for none. It must outlive the thread.
void set_gate_waiter(GateWaiter* waiter);
GateWaiter* gate_waiter();

// For note_step_begin() and note_step_end().
void process_gate_step_begins(std::uint64_t step);
// The step under way of a program that marks none, where its question was answered: for a recording that
// ends.
struct UnfinishedStep {
  std::uint32_t thread;  // of its records
  std::uint64_t step;
};
void note_unfinished_step(std::optional<UnfinishedStep> step);
std::optional<UnfinishedStep> unfinished_step();
void process_gate_step_ends(std::uint64_t step);

}  // namespace tapescope
