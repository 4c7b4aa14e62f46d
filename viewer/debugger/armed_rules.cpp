// Counts hits and decides about stops.
#include "viewer/debugger/armed_rules.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace tapescope {

void ArmedRules::set(std::vector<BreakRule> rules) {
  std::lock_guard lock(mutex_);
  number(rules);
  rules_ = std::move(rules);
  arm();
}

std::vector<BreakRule> ArmedRules::get() const {
  std::lock_guard lock(mutex_);
  return rules_;
}

void ArmedRules::begin_run() {
  std::lock_guard lock(mutex_);
  for (BreakRule& rule : rules_) rule.hits = 0;
}

void ArmedRules::arm_once(Breakpoint breakpoint) {
  std::lock_guard lock(mutex_);
  breakpoint.id = kOnce;
  once_ = std::move(breakpoint);
  arm();
}

void ArmedRules::disarm_once() {
  std::lock_guard lock(mutex_);
  if (!once_) return;
  once_.reset();
  arm();
}

bool ArmedRules::due(const Frame& frame, std::string& condition) {
  std::lock_guard lock(mutex_);
  bool stops = false;
  for (const Breakpoint& found : gate_.breakpoints()) {
    if (std::exchange(seen_[found.id], found.hits) == found.hits) continue;
    const auto rule =
        std::find_if(rules_.begin(), rules_.end(), [&](const BreakRule& r) { return r.when.id == found.id; });
    if (found.id == kOnce) {
      if (!stops) condition = sentence_of(BreakRule(found));
      stops = true;
    } else if (rule != rules_.end() && fits(*rule, frame)) {
      if (++rule->hits < rule->from_hit || stops) continue;
      stops = true;
      condition = sentence_of(*rule);
      if (rule->from_hit > 1) condition += fmt::format(", hit {}", rule->hits);
    }
  }
  return stops;
}

void ArmedRules::overlook() {
  std::lock_guard lock(mutex_);
  for (const Breakpoint& found : gate_.breakpoints()) seen_[found.id] = found.hits;
}

// Gives the gate what it is to look for. Under the mutex.
void ArmedRules::arm() {
  std::vector<Breakpoint> armed;
  for (const BreakRule& rule : rules_) {
    if (!rule.enabled) continue;
    armed.push_back(rule.when);
    armed.back().hits = 0;
  }
  if (once_) armed.push_back(*once_);
  seen_.clear();
  gate_.set_breakpoints(std::move(armed));
}

}  // namespace tapescope
