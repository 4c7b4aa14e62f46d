// Elementwise ops: arithmetic, comparisons, activations, casts and selection, with NumPy's broadcasting.
//
// Every function takes tensors, variables or numbers, returns a new tensor, and throws InvalidArgument
// where shapes do not broadcast or dtypes differ. Conventions at kinks and poles are TensorFlow's.
#pragma once
#include <span>

#include "engine/gate/apply.h"

namespace tapescope {

// Arithmetic of two tensors of one dtype; a number takes the other's dtype.
Tensor add(const Arg& a, const Arg& b);
Tensor subtract(const Arg& a, const Arg& b);
Tensor multiply(const Arg& a, const Arg& b);
// a / b; integers become float64 first, as in Python.
Tensor divide(const Arg& a, const Arg& b);
// a / b, but 0 where b is 0, in the gradients too.
Tensor divide_no_nan(const Arg& a, const Arg& b);
// Largest integer not above a / b; no gradient. Throws InvalidArgument for an integer zero divisor.
Tensor floordiv(const Arg& a, const Arg& b);
// a - floor(a / b) * b: has the divisor's sign.
Tensor floormod(const Arg& a, const Arg& b);
// a^b. The exponent's gradient is 0 where a <= 0.
Tensor pow(const Arg& a, const Arg& b);
// The larger (smaller) one; a tie's gradient goes to the first.
Tensor maximum(const Arg& a, const Arg& b);
Tensor minimum(const Arg& a, const Arg& b);
// (a - b)^2
Tensor squared_difference(const Arg& a, const Arg& b);
// Angle of the point (x, y), in (-pi, pi].
Tensor atan2(const Arg& y, const Arg& x);
// x log y, x / y and x log(1 + y), each 0 where x is 0, in both gradients too.
Tensor xlogy(const Arg& x, const Arg& y);
Tensor xdivy(const Arg& x, const Arg& y);
Tensor xlog1py(const Arg& x, const Arg& y);
// Sum of tensors of one type; one tensor is returned as it is. Throws ValueError for an empty list.
Tensor add_n(std::span<const Tensor> tensors, Location location = Location::current());

// Comparisons and logic: boolean outputs, no gradient.
Tensor less(const Arg& a, const Arg& b);
Tensor less_equal(const Arg& a, const Arg& b);
Tensor greater(const Arg& a, const Arg& b);
Tensor greater_equal(const Arg& a, const Arg& b);
Tensor equal(const Arg& a, const Arg& b);
Tensor not_equal(const Arg& a, const Arg& b);
Tensor logical_and(const Arg& a, const Arg& b);
Tensor logical_or(const Arg& a, const Arg& b);
Tensor logical_xor(const Arg& a, const Arg& b);
Tensor logical_not(const Arg& a);
Tensor is_nan(const Arg& x);
Tensor is_inf(const Arg& x);
Tensor is_finite(const Arg& x);

// One argument.
Tensor negative(const Arg& x);
Tensor abs(const Arg& x);
Tensor sign(const Arg& x);  // gradient: zeros
Tensor square(const Arg& x);
Tensor sqrt(const Arg& x);
Tensor rsqrt(const Arg& x);       // 1 / sqrt(x)
Tensor reciprocal(const Arg& x);  // 1 / x
Tensor exp(const Arg& x);
Tensor expm1(const Arg& x);
Tensor log(const Arg& x);
Tensor log1p(const Arg& x);
Tensor sin(const Arg& x);
Tensor cos(const Arg& x);
Tensor tan(const Arg& x);
Tensor asin(const Arg& x);
Tensor acos(const Arg& x);
Tensor atan(const Arg& x);
Tensor sinh(const Arg& x);
Tensor cosh(const Arg& x);
Tensor asinh(const Arg& x);
Tensor acosh(const Arg& x);
Tensor atanh(const Arg& x);
Tensor tanh(const Arg& x);
Tensor sigmoid(const Arg& x);
Tensor log_sigmoid(const Arg& x);  // -softplus(-x)
Tensor relu(const Arg& x);         // gradient 0 at 0
Tensor relu6(const Arg& x);
Tensor leaky_relu(const Arg& x, double alpha = 0.2);
Tensor elu(const Arg& x);
Tensor selu(const Arg& x);
Tensor softplus(const Arg& x);
Tensor softsign(const Arg& x);
Tensor silu(const Arg& x);
Tensor gelu(const Arg& x, bool approximate = false);
Tensor erf(const Arg& x);
Tensor erfc(const Arg& x);  // 1 - erf(x)
Tensor lgamma(const Arg& x);
Tensor digamma(const Arg& x);
// The n-th derivative of digamma at x, for whole n >= 0 given elementwise; n gets no gradient.
Tensor polygamma(const Arg& n, const Arg& x);
// Rounding: no gradient. `round` takes halves to even.
Tensor floor(const Arg& x);
Tensor ceil(const Arg& x);
Tensor round(const Arg& x);
// max(min(x, high), low), of two ops; the gradient passes at the bounds.
Tensor clip_by_value(const Arg& x, const Arg& low, const Arg& high);

// Converts; a gradient exists between floating dtypes only. The same dtype returns x itself.
Tensor cast(const Arg& x, DType dtype);
// a where the condition holds, else b; all three broadcast.
Tensor where(const Arg& condition, const Arg& a, const Arg& b);

// The gradient ops. Public because they are ops like any other: they have their own gradients.
Tensor sqrt_grad(const Arg& y, const Arg& g);          // 0.5 g / y; 0 where g is 0
Tensor rsqrt_grad(const Arg& y, const Arg& g);         // -0.5 g y^3; 0 where g is 0
Tensor reciprocal_grad(const Arg& y, const Arg& g);    // -g y^2; 0 where g is 0
Tensor tanh_grad(const Arg& y, const Arg& g);          // g (1 - y^2)
Tensor sigmoid_grad(const Arg& y, const Arg& g);       // g y (1 - y)
Tensor relu_grad(const Arg& g, const Arg& features);   // g where features > 0, else 0
Tensor relu6_grad(const Arg& g, const Arg& features);  // g where 0 < features < 6, else 0
Tensor leaky_relu_grad(const Arg& g, const Arg& features, double alpha = 0.2);
Tensor elu_grad(const Arg& g, const Arg& outputs);
Tensor selu_grad(const Arg& g, const Arg& outputs);
Tensor softplus_grad(const Arg& g, const Arg& features);  // g / (1 + exp(-x))
Tensor softsign_grad(const Arg& g, const Arg& features);  // g / (1 + |x|)^2

inline Tensor operator+(const Arg& a, const Arg& b) { return add(a, b); }
inline Tensor operator-(const Arg& a, const Arg& b) { return subtract(a, b); }
inline Tensor operator*(const Arg& a, const Arg& b) { return multiply(a, b); }
inline Tensor operator/(const Arg& a, const Arg& b) { return divide(a, b); }
inline Tensor operator-(const Arg& a) { return negative(a); }
inline Tensor operator<(const Arg& a, const Arg& b) { return less(a, b); }
inline Tensor operator<=(const Arg& a, const Arg& b) { return less_equal(a, b); }
inline Tensor operator>(const Arg& a, const Arg& b) { return greater(a, b); }
inline Tensor operator>=(const Arg& a, const Arg& b) { return greater_equal(a, b); }

std::span<const OpDef* const> elementwise_ops();

}  // namespace tapescope
