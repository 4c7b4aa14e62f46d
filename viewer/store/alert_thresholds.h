// From where on a finding is an alert: what the user may change, with its words.
#pragma once
#include <span>
#include <string_view>

namespace tapescope {

// A healthy run of any sample stays a factor of ten away from each of the defaults.
struct AlertThresholds {
  double exploding_growth = 100;  // times the median norm of the first steps,
  double exploding_norm = 1e3;    // and at least this large,
  double exploding_steps = 3;     // for so many steps
  double vanishing_ratio = 1e-7;  // smallest over largest norm among the sources of a step
  double vanishing_steps = 3;
  double dead_share = 0.95;  // of the elements are zero
  double dead_steps = 8;
  double leaked_tapes = 3;  // steps whose persistent tapes are still held
  double retraces = 3;      // beyond a first trace
  bool operator==(const AlertThresholds&) const = default;
};

struct ThresholdText {
  std::string_view id;     // "exploding-norm": of settings and the command
  std::string_view label;  // "Exploding: norm at least"
  double AlertThresholds::*value;
  double low, high;  // what makes sense
  bool whole;        // a count
};
std::span<const ThresholdText> threshold_texts();

}  // namespace tapescope
