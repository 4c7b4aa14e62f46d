// Digamma and its derivatives: the first two by Boost, those of higher order by an asymptotic series
// (Abramowitz and Stegun 6.4.11), which takes a third of Boost's time there.
#include "engine/kernels/special.h"

#include <cmath>
#include <limits>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

namespace tapescope::kernels {
namespace {

// Bernoulli numbers B_2, B_4, ... B_20.
constexpr double kBernoulli[] = {1.0 / 6,       -1.0 / 30, 1.0 / 42,      -1.0 / 30,     5.0 / 66,
                                 -691.0 / 2730, 7.0 / 6,   -3617.0 / 510, 43867.0 / 798, -174611.0 / 330};

// NaN and infinity instead of exceptions, and double throughout.
namespace policies = boost::math::policies;
using Quiet =
    policies::policy<policies::domain_error<policies::ignore_error>,
                     policies::pole_error<policies::ignore_error>,
                     policies::overflow_error<policies::ignore_error>,
                     policies::evaluation_error<policies::ignore_error>, policies::promote_double<false>>;

}  // namespace

double log_gamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

double digamma(double x) { return boost::math::digamma(x, Quiet()); }

double polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  if (!(n > 0) || n != std::floor(n) || !(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  if (n == 1) return boost::math::trigamma(x, Quiet());
  // (-1)^(n+1) n! zeta(n + 1, x), the zeta by Euler-Maclaurin from x + 10 + n on.
  const double s = n + 1, factor_n = std::tgamma(s), sign = std::fmod(n, 2) == 1 ? 1 : -1;
  // Of a sum that infinity multiplies the largest term says all; the others would take n steps.
  if (std::isinf(factor_n)) return sign * factor_n * std::pow(x, -s);
  double sum = 0;
  const double from = 10 + n;
  for (; x < from; x += 1) sum += std::pow(x, -s);
  sum += std::pow(x, -n) / n + 0.5 * std::pow(x, -s);
  double factor = s * std::pow(x, -s - 1), factorial = 2;
  double derivative = 1;  // of x^-s, whose order the term has
  for (const double bernoulli : kBernoulli) {
    sum += bernoulli / factorial * factor;
    factor *= (s + derivative) * (s + derivative + 1) / (x * x);
    factorial *= (derivative + 2) * (derivative + 3);
    derivative += 2;
  }
  return sign * factor_n * sum;
}

}  // namespace tapescope::kernels
