// The breakpoints of a run: what the gate looks for, and whether what it finds is a stop.
#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "viewer/debugger/break_rule.h"

namespace tapescope {

class ArmedRules {
 public:
  explicit ArmedRules(DebugGate& gate) : gate_(gate) {}

  // --- any thread
  // Rules keep their ids; those without one (0) are given one.
  void set(std::vector<BreakRule> rules);
  std::vector<BreakRule> get() const;

  // --- the runner's thread
  void begin_run();  // hits count from 0
  // Beside the rules, until disarm_once().
  void arm_once(Breakpoint breakpoint);
  void disarm_once();
  // The gate has found something in `frame`: counts it for every rule that means it. True when one of them
  // stops here; `condition` says which.
  bool due(const Frame& frame, std::string& condition);
  // What the gate has found was counted before, when the step ran the first time.
  void overlook();

 private:
  void arm();

  static constexpr std::uint32_t kOnce = 0xffffffffu;  // id of what counts once
  DebugGate& gate_;
  mutable std::mutex mutex_;
  std::vector<BreakRule> rules_;
  std::optional<Breakpoint> once_;
  std::map<std::uint32_t, std::uint64_t> seen_;  // hits by id, as the gate counts them
};

}  // namespace tapescope
