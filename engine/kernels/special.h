// Special functions of one real argument, in double.
#pragma once

namespace tapescope::kernels {

// log |Gamma(x)|; unlike the C library's it writes no global.
double log_gamma(double x);
// Derivative of log Gamma. NaN at zero and the negative whole numbers. Error below 1e-14 of the larger of 1
// and the value.
double digamma(double x);
// n-th derivative of digamma for whole n >= 0 and x > 0 (n = 0: any x); NaN elsewhere. Relative error below
// 1e-12. From n = 171 on n! is infinite, as is the result, or NaN where x^-(n + 1) is 0.
double polygamma(double n, double x);

}  // namespace tapescope::kernels
