// What a line cannot carry is left out at its source, by whole training steps and with an account.
#pragma once
#include <cstdint>
#include <functional>

#include "engine/recording/columns.h"

namespace tapescope::live {

// Of every Nth step all records pass, of the others those that cost little and are always wanted: that it
// began and ended, scalars, messages, findings, calls of functions, variables, what replicas hold, and a lost
// record with how many were left out. Where N is 0 nothing passes, and the next step that does begins with
// how many were lost. What stands outside of steps passes, but with N 0. While it thins, the records of a
// step are held until its end.
class Thinner {
 public:
  using Sink = std::function<void(std::uint32_t thread, std::span<const Record> records)>;

  // N counts from the next step on; 1: everything passes.
  void set_every(std::uint64_t every) { every_ = every; }
  void add(std::uint32_t thread, std::span<const Record> records, const Sink& sink);
  // The step under way passes whole, as far as it has come and further on: the program stands in it.
  void release(const Sink& sink);
  // Records that were lost as N was 0, so far.
  std::uint64_t lost() const { return lost_; }

 private:
  void pass(std::uint32_t thread, std::span<const Record> records, const Sink& sink);
  void begin(std::uint32_t thread, const Record& record, const Sink& sink);
  void end(std::uint32_t thread, const Record& record, const Sink& sink);
  void lose(std::uint64_t records) { lost_ += records, unsaid_ += records; }
  void forget();

  std::uint64_t every_ = 1;
  std::uint64_t of_step_ = 1;  // N of the step under way; 1: it passes
  bool within_ = false;        // a step is under way
  record::EventBlock held_;    // of it
  std::uint64_t dropped_ = 0;  // of it, beyond what is held
  std::uint64_t lost_ = 0, unsaid_ = 0;
};

}  // namespace tapescope::live
