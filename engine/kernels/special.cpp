// Digamma and its derivatives by recurrence and asymptotic series (Abramowitz and Stegun 6.3.18, 6.4.11).
#include "engine/kernels/special.h"

#include <cmath>
#include <limits>

namespace tapescope::kernels {
namespace {

// Bernoulli numbers B_2, B_4, ... B_20.
constexpr double kBernoulli[] = {1.0 / 6,       -1.0 / 30, 1.0 / 42,      -1.0 / 30,     5.0 / 66,
                                 -691.0 / 2730, 7.0 / 6,   -3617.0 / 510, 43867.0 / 798, -174611.0 / 330};

}  // namespace

double log_gamma(double x) {
  int sign;
  return ::lgamma_r(x, &sign);
}

double digamma(double x) {
  constexpr double kPi = 3.14159265358979323846;
  if (x <= 0) {
    if (x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
    return digamma(1 - x) - kPi / std::tan(kPi * x);
  }
  double sum = 0;
  // The series' error at 10 is below 1e-16.
  for (; x < 10; x += 1) sum -= 1 / x;
  const double inverse = 1 / (x * x);
  double power = inverse, series = 0;
  for (int k = 0; k < 8; ++k, power *= inverse) series += kBernoulli[k] / (2 * (k + 1)) * power;
  return sum + std::log(x) - 0.5 / x - series;
}

double polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  if (!(n > 0) || n != std::floor(n) || !(x > 0)) return std::numeric_limits<double>::quiet_NaN();
  // (-1)^(n+1) n! zeta(n + 1, x), the zeta by Euler-Maclaurin from x + 10 + n on.
  const double s = n + 1;
  double sum = 0;
  const double from = 10 + n;
  for (; x < from; x += 1) sum += std::pow(x, -s);
  sum += std::pow(x, -n) / n + 0.5 * std::pow(x, -s);
  double factor = s * std::pow(x, -s - 1), factorial = 2;
  for (int k = 0; k < 10; ++k) {
    sum += kBernoulli[k] / factorial * factor;
    factor *= (s + 2 * k + 1) * (s + 2 * k + 2) / (x * x);
    factorial *= (2 * k + 3) * (2 * k + 4);
  }
  const double magnitude = std::tgamma(s) * sum;
  return static_cast<long long>(n) % 2 == 1 ? magnitude : -magnitude;
}

}  // namespace tapescope::kernels
