// What a program adds to its own records: training steps, metrics, lines of the log and name scopes.
//
// Each leaves a record where something records the thread, and costs a few nanoseconds where nothing does.
// All act on the calling thread.
#pragma once
#include <cstdint>
#include <string_view>

#include "engine/core/names.h"
#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Training step number `step` begins and ends. `program` distinguishes the programs of one process; 0 where
// there is one. `abandoned`: the step was left before its end, by an exception for example.
void note_step_begin(std::uint64_t step, std::uint32_t program = 0);
void note_step_end(std::uint64_t step, std::uint32_t program = 0, bool abandoned = false);
// The metric has this value at this step. "loss" is the one that charts show first.
void note_scalar(std::string_view metric, double value, std::uint64_t step);
// A line for the log; severity 0 information, 1 warning, 2 error.
void note_message(std::string_view text, int severity = 0, const Location& location = Location::current());

// A name scope for the ops of a block, within the scopes around it: `NameScope scope("dense_1");`
class NameScope {
 public:
  explicit NameScope(std::string_view name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;

 private:
  ScopeId saved_;
};

}  // namespace tapescope
