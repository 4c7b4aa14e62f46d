// Two programs side by side: their ops aligned, their times as a ratio with an interval, and what follows
// from both.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "viewer/model/compared.h"
#include "viewer/model/report.h"
#include "viewer/store/step_view.h"

namespace tapescope {

// One line of the aligned lists: an op of A, of B, or both.
struct AlignedOp {
  std::uint32_t a = kNoOp, b = kNoOp;
  bool changed = false;  // both, but shapes, dtype or the tape's answer differ
};

struct Alignment {
  std::vector<AlignedOp> ops;                                  // in an order that keeps both
  std::int64_t only_a = 0, only_b = 0, both = 0, changed = 0;  // changed ones are not among `both`
};

// Ops of one type, scope and direction pair up, in the order both have: first those of equal shapes, then,
// between them, the others; at last, between those, ops of equal shapes whose scopes differ. A backward op
// also wants its forward op's kind. Quadratic in what differs up to some thousands of ops, linear beyond.
Alignment align(const StepView& a, const StepView& b);

struct Comparison {
  RunReport a, b;
  Ratio step, forward, backward, update;  // B over A
  bool same_loss = true, same_gradients = true;
  double max_loss_difference = 0, max_gradient_difference = 0;
  std::string first_difference;  // "gradient of weights at step 3"; empty when none
  Compared compared = Compared::elements;
  std::int64_t only_a = 0, only_b = 0, both = 0, changed = 0;
  bool interleaved = true;  // else the two were measured in different runs
  std::string verdict;      // one sentence
};

// Ratios from the steps of both, in pairs; the first pair is warm-up and left out where there are more.
void add_ratios(Comparison& comparison, const Series<StepSummary>& a, const Series<StepSummary>& b);
void add_ratios(Comparison& comparison, const std::vector<double>& a_us, const std::vector<double>& b_us);
// The same for steps of different runs, which no pair belongs to. What changed on the machine between the two
// is in no interval.
void add_unpaired_ratios(Comparison& comparison, const Series<StepSummary>& a, const Series<StepSummary>& b);
void add_alignment(Comparison& comparison, const StepView& a, const StepView& b);
// Needs all the rest.
std::string verdict_of(const Comparison& comparison);

std::string comparison_text(const Comparison& comparison);
std::string comparison_markdown(const Comparison& comparison);

}  // namespace tapescope
