// The values of the steps of a program that cannot be run again: they are kept while it takes them.
#pragma once
#include <cstdint>
#include <mutex>
#include <vector>

#include "engine/debug/process_gate.h"
#include "engine/recording/step_values.h"

namespace tapescope::record {

// Never destroyed while the program runs: a thread of it may be inside. While a viewer is attached the
// program obeys that one's gate, and steps that begin or end then are not kept.
class ProgramValues final : public ProcessGate {
 public:
  // The rule counts from the program's step 0 (note_step_begin()). Steps that it names by number pay for
  // packing their tensors; `last` makes every step hold its tensors until the next one ends.
  explicit ProgramValues(const ValueOptions& options);
  ~ProgramValues() override;
  ProgramValues(const ProgramValues&) = delete;
  ProgramValues& operator=(const ProgramValues&) = delete;

  // Any thread: payloads of chunks of values, of the steps that ended since the last call.
  std::vector<Bytes> take();
  // Any thread: no step is kept from here on. The last one that ended is among the payloads, where the rule
  // wants it.
  void finish();

  // --- the program's thread
  DebugGate& gate() override { return gate_; }
  void step_begins(std::uint64_t step) override;
  void step_ends(std::uint64_t step) override;

 private:
  struct Held {
    std::uint64_t step = 0, nodes = 0, forward_nodes = 0;
    std::vector<Frame> frames;  // by reference
  };

  void arm(bool on);  // threads look at the gate in the steps that are kept

  ValueRule rule_;
  DebugGate gate_;
  std::mutex mutex_;  // guards what follows
  bool armed_ = true;
  bool ended_ = false;
  bool packing_ = false;  // the step under way is named by the rule
  ValueKeeper keeper_;
  Held under_way_, last_;  // where the rule wants the last one; no frames: there is none
};

}  // namespace tapescope::record
