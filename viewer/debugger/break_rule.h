// A breakpoint as the user has it: a condition, from which hit on it stops, whether it is on.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/debug/gate.h"

namespace tapescope {

struct BreakRule {
  BreakRule() = default;
  BreakRule(Breakpoint condition) : when(std::move(condition)) {}

  Breakpoint when{};      // what the gate looks for; its id is the rule's
  double zero_share = 0;  // above 0: of what the gate finds, gradients with at least this share of zeros
  std::uint64_t from_hit = 1;
  bool enabled = true;
  std::uint64_t hits = 0;  // since the run began
};

// As after `break`: "norm-above 1000", "op Log hit 3". What parse_break() reads.
std::string text_of(const BreakRule& rule);
// For people: "a gradient's norm is above 1000".
std::string sentence_of(const BreakRule& rule);
// What is wrong with `text`, empty when nothing is and `rule` is what it says.
std::string parse_break(std::string_view text, BreakRule& rule);
// Gives each rule that has none an id of its own.
void number(std::vector<BreakRule>& rules);
// Whether what the gate found is what the rule means.
bool fits(const BreakRule& rule, const Frame& frame);

}  // namespace tapescope
