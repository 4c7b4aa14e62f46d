// Numeric comparison of two steps.
#include "viewer/debugger/comparison.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viewer/debugger/arrived.h"
#include "viewer/store/snapshot.h"

namespace tapescope {
namespace {

constexpr std::uint64_t kJudgedSteps = 10;

double tolerance(DType dtype) {
  if (dtype == DType::f64) return 1e-10;
  return is_half(dtype) ? 2e-2 : 1e-5;
}

// Largest difference relative to the largest element of either; infinite where only one is finite.
double difference(const Tensor& a, const Tensor& b) {
  double largest = 0, apart = 0;
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    const double x = element_value(a, i), y = element_value(b, i);
    if (std::isnan(x) && std::isnan(y)) continue;
    if (x == y) {
      largest = std::max(largest, std::isfinite(x) ? std::abs(x) : 0);
      continue;
    }
    if (!std::isfinite(x) || !std::isfinite(y)) return INFINITY;
    largest = std::max({largest, std::abs(x), std::abs(y)});
    apart = std::max(apart, std::abs(x - y));
  }
  return apart == 0 ? 0 : apart / largest;
}

void note_difference(ComparisonResult& result, bool& same, const std::string& what, std::uint64_t step) {
  same = false;
  if (result.first_difference.empty()) result.first_difference = fmt::format("{} at step {}", what, step);
}

}  // namespace

void compare_step(const StepContext& a, const StepContext& b, ComparisonResult& result) {
  const bool judged = a.step < kJudgedSteps;
  if (a.loss_value && b.loss_value) {
    const double apart = std::abs(*a.loss_value - *b.loss_value);
    const double scale = std::max(std::abs(*a.loss_value), std::abs(*b.loss_value));
    if (!std::isnan(apart)) result.max_loss_difference = std::max(result.max_loss_difference, apart);
    const bool both_nan = std::isnan(*a.loss_value) && std::isnan(*b.loss_value);
    if (judged && !both_nan && !(apart <= 1e-5 * scale))
      note_difference(result, result.same_loss, "loss", a.step);
  } else if (judged && a.loss_value.has_value() != b.loss_value.has_value()) {
    note_difference(result, result.same_loss, "loss", a.step);
  }
  for (const SampleOutput& gradient : a.gradients) {
    const std::size_t place = place_among_namesakes(a.gradients, gradient);
    const auto other = std::find_if(b.gradients.begin(), b.gradients.end(), [&](const SampleOutput& g) {
      return g.name == gradient.name && place_among_namesakes(b.gradients, g) == place;
    });
    // A source that only one of them asks for is a difference of the programs, not of what they compute.
    if (other == b.gradients.end()) continue;
    const std::string what = "gradient of " + numbered_name(gradient.name, place);
    if (static_cast<bool>(gradient.value) != static_cast<bool>(other->value) ||
        (gradient.value && gradient.value.shape() != other->value.shape())) {
      if (judged) note_difference(result, result.same_gradients, what, a.step);
      continue;
    }
    if (!gradient.value) continue;
    const double apart = difference(gradient.value, other->value);
    result.max_gradient_difference = std::max(result.max_gradient_difference, apart);
    const double allowed = std::max(tolerance(gradient.value.dtype()), tolerance(other->value.dtype()));
    if (judged && !(apart <= allowed)) note_difference(result, result.same_gradients, what, a.step);
  }
}

namespace {

// Relative to the larger one; infinite where only one is finite.
double apart(double x, double y) {
  if (x == y || (std::isnan(x) && std::isnan(y))) return 0;
  if (!std::isfinite(x) || !std::isfinite(y)) return INFINITY;
  return std::abs(x - y) / std::max(std::abs(x), std::abs(y));
}

// The norms of a gradient in the steps of which both are known: those inside a function are looked at in some
// of its calls.
struct NormPair {
  std::uint64_t step = 0;
  double a = 0, b = 0;
};
std::vector<NormPair> norms_of_same_steps(const GradientRow& a, const GradientRow& b) {
  std::vector<NormPair> norms;
  for (const HealthPoint& left : a.health) {
    const auto right = std::ranges::find(b.health, left.step, &HealthPoint::step);
    if (right != b.health.end()) norms.push_back({left.step, left.norm, right->norm});
  }
  if (norms.empty() && a.has_stats && b.has_stats && a.step == b.step)
    norms.push_back({a.step, a.norm, b.norm});
  return norms;
}

// By what is known of gradients without their elements.
void compare_seen(const Snapshot& a, const Snapshot& b, ComparisonResult& result) {
  constexpr double kNormTolerance = 1e-4;  // norms are sums of float32
  const auto differ = [&](std::string what) {
    result.same_gradients = false;
    if (result.first_difference.empty()) result.first_difference = std::move(what);
  };
  bool known = false;
  for (const GradientRow& left : a.gradients) {
    const auto right = std::ranges::find(b.gradients, left.source, &GradientRow::source);
    if (right == b.gradients.end()) continue;
    result.compared = Compared::norms;
    // A None and a zero have no more to be known.
    known |= left.status == GradientStatus::none || left.status == GradientStatus::zero;
    if (left.status != right->status) {
      differ(fmt::format("gradient of {}, {} against {}", left.source, name_of(left.status),
                         name_of(right->status)));
    } else if (a.steps.size() == b.steps.size()) {
      const std::vector<NormPair> pairs = norms_of_same_steps(left, *right);
      known |= !pairs.empty();
      for (const NormPair& pair : pairs) {
        const double norms = apart(pair.a, pair.b);
        if (std::isfinite(norms))
          result.max_gradient_difference = std::max(result.max_gradient_difference, norms);
        const bool judged = pair.step < kJudgedSteps || pairs.front().step >= kJudgedSteps;
        if (judged && norms > kNormTolerance) differ(fmt::format("norm of the gradient of {}", left.source));
      }
    }
  }
  if (result.compared == Compared::norms && !known) result.compared = Compared::losses;
}

}  // namespace

ComparisonResult compare_results(const ProgramResult& a, const ProgramResult& b, const Snapshot* seen_a,
                                 const Snapshot* seen_b) {
  const bool kept = !a.gradients.empty() && !b.gradients.empty();
  ComparisonResult same{.compared = kept ? Compared::elements : Compared::nothing};
  StepContext x, y;
  // Of those that a window let go of in a long run the first ones are compared.
  const std::size_t all = std::min(a.loss.size(), b.loss.size());
  const std::size_t count = a.left == b.left ? all : std::min(all, ProgramResult::kFirstSteps);
  for (std::size_t i = 0; i < count; ++i) {
    if (!kept) same.compared = Compared::norms;
    x.step = y.step = i < ProgramResult::kFirstSteps ? i : i + a.left;
    x.loss_value = a.loss[i];
    y.loss_value = b.loss[i];
    compare_step(x, y, same);
  }
  if (!kept && seen_a && seen_b) compare_seen(*seen_a, *seen_b, same);
  const std::uint64_t steps = a.step_us.size() + a.left;
  if (!kept || steps != b.step_us.size() + b.left || steps == 0) return same;
  x.loss_value.reset();
  y.loss_value.reset();
  x.step = y.step = steps - 1;
  x.gradients = a.gradients;
  y.gradients = b.gradients;
  compare_step(x, y, same);
  return same;
}

void add_results(Comparison& comparison, const ComparisonResult& results) {
  comparison.same_loss = results.same_loss;
  comparison.same_gradients = results.same_gradients;
  comparison.max_loss_difference = results.max_loss_difference;
  comparison.max_gradient_difference = results.max_gradient_difference;
  comparison.first_difference = results.first_difference;
  comparison.compared = results.compared;
}

}  // namespace tapescope
