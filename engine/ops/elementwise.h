// Elementwise ops: arithmetic, comparisons, activations, casts and selection.
//
// Shared by all. Operands are tensors, variables or numbers; a number takes the dtype of the tensor it meets,
// as in TensorFlow: TypeError for one that this dtype has not, as in `x * 0.5` for an int32 x.
// Shapes broadcast as NumPy's, and a gradient is summed back to its operand's shape. Dtypes are the real ones
// (float16, bfloat16, float32, float64), unless said: numeric adds int32 and int64, whose sums and products
// wrap. Halves are computed in float32 and rounded once. NaN gives NaN, unless said. g is the cotangent, y
// the result; a gradient holds in the formula's order of arithmetic, so that 0 times an infinity is NaN.
// Throws InvalidArgument, with op and line, where shapes do not broadcast, dtypes differ or the dtype has no
// such function; ValueError for an absent tensor (None). Formulas, kinks and poles are TensorFlow's
// (math_grad.py, nn_grad.py), but where it says otherwise.
#pragma once
#include <span>

#include "engine/core/public.h"
#include "engine/gate/apply.h"

namespace tapescope TAPESCOPE_PUBLIC {

// ---- two arguments

// a + b, numeric. Gradients g and g.
Tensor add(const Arg& a, const Arg& b);
// a - b, numeric. Gradients g and -g.
Tensor subtract(const Arg& a, const Arg& b);
// a b, numeric. Gradients g b and a g.
Tensor multiply(const Arg& a, const Arg& b);
// a / b; integers are cast to float64 first, as in Python. Infinite where b is 0, NaN where a is 0 too.
// Gradients g / b and g ((-a / b) / b).
Tensor divide(const Arg& a, const Arg& b);
// a / b, but 0 where b is 0, whatever a is. Gradients as divide's, 0 where b is 0.
Tensor divide_no_nan(const Arg& a, const Arg& b);
// floor(a / b), numeric; no gradient. Throws InvalidArgument where an integer b is 0; a float is then
// infinite or NaN.
Tensor floordiv(const Arg& a, const Arg& b);
// a - floor(a / b) b, numeric: has the sign of b. Gradients g and -floor(a / b) g. Throws as floordiv; NaN
// for a float b of 0.
Tensor floormod(const Arg& a, const Arg& b);
// a^b, numeric. 1 where b is 0; NaN for a negative a and a b that is not whole. Gradients g b a^(b-1), NaN
// where a and b are 0, and g y log a, 0 where a <= 0. Throws InvalidArgument for a negative integer exponent.
Tensor pow(const Arg& a, const Arg& b);
// The larger, the smaller, numeric; NaN where either is. The gradient goes to a where a >= b (<=), else to b:
// a tie's to a, a NaN's to b.
Tensor maximum(const Arg& a, const Arg& b);
Tensor minimum(const Arg& a, const Arg& b);
// (a - b)^2, numeric. Gradients 2 g (a - b) and its negative.
Tensor squared_difference(const Arg& a, const Arg& b);
// The angle of the point (x, y), in [-pi, pi]. Gradients x g / (x^2 + y^2) for y and -y g / (x^2 + y^2) for
// x, NaN at the origin.
Tensor atan2(const Arg& y, const Arg& x);
// x log y, 0 where x is 0, even for a y that has no logarithm. Gradients g log y and g x / y, each 0 where x
// is 0.
Tensor xlogy(const Arg& x, const Arg& y);
// x / y, 0 where x is 0. Gradients g / y and -g x / y^2, each 0 where x is 0.
Tensor xdivy(const Arg& x, const Arg& y);
// x log(1 + y), 0 where x is 0. Gradients g log(1 + y) and g x / (1 + y), each 0 where x is 0.
Tensor xlog1py(const Arg& x, const Arg& y);
// The sum of tensors of one type, numeric, in their order; each gradient is g. A single tensor is returned as
// it is. Nothing broadcasts: throws InvalidArgument for other types, ValueError for an empty list.
Tensor add_n(std::span<const Tensor> tensors, Location location = Location::current());

// Comparisons: numeric operands of one dtype, boolean results, no gradient. NaN equals nothing and is neither
// less nor greater. equal and not_equal also take booleans.
Tensor less(const Arg& a, const Arg& b);
Tensor less_equal(const Arg& a, const Arg& b);
Tensor greater(const Arg& a, const Arg& b);
Tensor greater_equal(const Arg& a, const Arg& b);
Tensor equal(const Arg& a, const Arg& b);
Tensor not_equal(const Arg& a, const Arg& b);
// Logic of booleans; no gradient.
Tensor logical_and(const Arg& a, const Arg& b);
Tensor logical_or(const Arg& a, const Arg& b);
Tensor logical_xor(const Arg& a, const Arg& b);  // of four ops: (a or b) and not (a and b)
Tensor logical_not(const Arg& a);
// Whether x is NaN, infinite of either sign, neither; boolean, no gradient.
Tensor is_nan(const Arg& x);
Tensor is_inf(const Arg& x);
Tensor is_finite(const Arg& x);

// ---- one argument

// -x, numeric. Gradient -g.
Tensor negative(const Arg& x);
// |x|, numeric. Gradient g sign(x): 0 at 0.
Tensor abs(const Arg& x);
// -1, 0 or 1, numeric. The gradient is zeros, not None.
Tensor sign(const Arg& x);
// x^2, numeric. Gradient 2 g x.
Tensor square(const Arg& x);
// Square root; NaN below 0. Gradient 0.5 g / y: infinite at 0, but 0 where g is 0.
Tensor sqrt(const Arg& x);
// 1 / sqrt(x); infinite at 0, NaN below. Gradient -0.5 g y^3, 0 where g is 0.
Tensor rsqrt(const Arg& x);
// 1 / x; infinite at 0, with its sign. Gradient -g y^2, 0 where g is 0.
Tensor reciprocal(const Arg& x);
// e^x; infinite above 88.7 in float32, 709.7 in float64. Gradient g y.
Tensor exp(const Arg& x);
// e^x - 1, exact near 0. Gradient g e^x.
Tensor expm1(const Arg& x);
// Natural logarithm; -infinite at 0, NaN below. Gradient g (1 / x): infinite at 0, NaN there where g is 0.
Tensor log(const Arg& x);
// log(1 + x), exact near 0; -infinite at -1, NaN below. Gradient g (1 / (1 + x)).
Tensor log1p(const Arg& x);
// Sine, cosine, tangent of radians; NaN at infinities. Gradients g cos x, -g sin x, g / (cos x)^2.
Tensor sin(const Arg& x);
Tensor cos(const Arg& x);
Tensor tan(const Arg& x);
// Inverse sine and cosine, in radians; NaN outside of [-1, 1]. Gradients g / sqrt(1 - x^2) and its negative:
// infinite at -1 and 1.
Tensor asin(const Arg& x);
Tensor acos(const Arg& x);
// Inverse tangent, in [-pi/2, pi/2]. Gradient g / (1 + x^2).
Tensor atan(const Arg& x);
// Hyperbolic sine and cosine; infinite above 89 in float32. Gradients g cosh x and g sinh x.
Tensor sinh(const Arg& x);
Tensor cosh(const Arg& x);
// Inverse hyperbolic sine. Gradient g / cosh y.
Tensor asinh(const Arg& x);
// Inverse hyperbolic cosine; NaN below 1. Gradient g / sinh y: infinite at 1.
Tensor acosh(const Arg& x);
// Inverse hyperbolic tangent; infinite at -1 and 1, NaN beyond. Gradient g / (1 - x^2).
Tensor atanh(const Arg& x);
// (e^x - e^-x) / (e^x + e^-x); -1 and 1 at the infinities. Gradient g (1 - y^2): 0 once y rounds to 1.
Tensor tanh(const Arg& x);
// 1 / (1 + e^-x); 0 and 1 at the infinities. Gradient g y (1 - y): 0 once y rounds to 0 or 1.
Tensor sigmoid(const Arg& x);
// log sigmoid(x) = -softplus(-x), of three ops; no overflow. Gradient g sigmoid(-x).
Tensor log_sigmoid(const Arg& x);
// max(x, 0), numeric. Gradient g where x > 0, else 0: at 0 and NaN too.
Tensor relu(const Arg& x);
// min(max(x, 0), 6), numeric. Gradient g where 0 < x < 6, else 0.
Tensor relu6(const Arg& x);
// x where x > 0, else alpha x, with alpha rounded to float32 in every dtype. Gradient g where x > 0, else
// alpha g: at 0 too.
Tensor leaky_relu(const Arg& x, double alpha = 0.2);
// x where x >= 0, else e^x - 1; -1 at -infinity. Gradient g where y >= 0, else g (y + 1), which is g e^x.
Tensor elu(const Arg& x);
// s x where x >= 0, else s a (e^x - 1), with s = 1.0507 and a = 1.6733 (Klambauer et al., 2017). Gradient s g
// where y >= 0, else g (y + s a).
Tensor selu(const Arg& x);
// log(1 + e^x) without overflow: x itself above 13.9 in float32, 34.0 in float64. Gradient g / (1 + e^-x).
Tensor softplus(const Arg& x);
// x / (1 + |x|); NaN at infinities. Gradient g / (1 + |x|)^2.
Tensor softsign(const Arg& x);
// x sigmoid(x), also called swish; NaN at -infinity. Gradient g (s + x s (1 - s)) with s = sigmoid(x).
Tensor silu(const Arg& x);
// x P(X <= x) for a standard normal X: 0.5 x erfc(-x / sqrt 2), of several ops. `approximate`:
// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). NaN at -infinity. Gradient by those ops: g (P + x p)
// with the normal density p.
Tensor gelu(const Arg& x, bool approximate = false);
// Error function 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x. Gradient g (2 / sqrt pi) e^(-x^2).
Tensor erf(const Arg& x);
// 1 - erf(x), exact where erf is near 1. Gradient -g (2 / sqrt pi) e^(-x^2).
Tensor erfc(const Arg& x);
// log |Gamma(x)|; infinite at 0 and negative whole numbers. Gradient g digamma(x).
Tensor lgamma(const Arg& x);
// The derivative of lgamma. Gradient g polygamma(1, x).
Tensor digamma(const Arg& x);
// The n-th derivative of digamma at x > 0, for whole n >= 0, elementwise; NaN for other n and, from n = 1 on,
// other x. Gradient g polygamma(n + 1, x) for x, None for n.
Tensor polygamma(const Arg& n, const Arg& x);
// The largest whole number not above x, the smallest not below it, the nearest with halves to the even one.
// No gradient: None, not zeros.
Tensor floor(const Arg& x);
Tensor ceil(const Arg& x);
Tensor round(const Arg& x);

// ---- several arguments

// max(min(x, high), low), numeric, of two ops: low where low > high. Gradient g where low <= x <= high,
// bounds included, else it goes to the bound.
Tensor clip_by_value(const Arg& x, const Arg& low, const Arg& high);
// x in another dtype, any but resource; the same dtype returns x itself. Floats become whole numbers towards
// 0, at most the dtype's ends, NaN 0; bool is x != 0. The gradient is g cast back between floating dtypes,
// None between others.
Tensor cast(const Arg& x, DType dtype);
// a where the condition holds, else b; a and b of one dtype, any. Gradients g where taken, else 0; None for
// the condition. Throws InvalidArgument where the condition is not boolean.
Tensor where(const Arg& condition, const Arg& a, const Arg& b);

// ---- gradients

// The gradient of the op of that name from its output y or input x and the cotangent g. Public because they
// are ops like any other: they have gradients in g, and in y or x where the formula depends on it; those of
// relu, relu6 and leaky_relu are zeros.
Tensor sqrt_grad(const Arg& y, const Arg& g);              // 0.5 g / y; 0 where g is 0
Tensor rsqrt_grad(const Arg& y, const Arg& g);             // -0.5 g y^3; 0 where g is 0
Tensor reciprocal_grad(const Arg& y, const Arg& g);        // -g y^2; 0 where g is 0
Tensor tanh_grad(const Arg& y, const Arg& g);              // g (1 - y^2)
Tensor sigmoid_grad(const Arg& y, const Arg& g);           // g y (1 - y)
Tensor relu_grad(const Arg& g, const Arg& features);       // g where x > 0, else 0; y does as well as x
Tensor relu6_grad(const Arg& g, const Arg& features);      // g where 0 < x < 6, else 0; y does as well as x
Tensor leaky_relu_grad(const Arg& g, const Arg& features,  // g where x > 0, else alpha g
                       double alpha = 0.2);
Tensor elu_grad(const Arg& g, const Arg& outputs);        // g where y >= 0, else g (y + 1)
Tensor selu_grad(const Arg& g, const Arg& outputs);       // s g where y >= 0, else g (y + s a)
Tensor softplus_grad(const Arg& g, const Arg& features);  // g / (1 + e^-x)
Tensor softsign_grad(const Arg& g, const Arg& features);  // g / (1 + |x|)^2

inline Tensor operator+(const Arg& a, const Arg& b) { return add(a, b); }
inline Tensor operator-(const Arg& a, const Arg& b) { return subtract(a, b); }
inline Tensor operator*(const Arg& a, const Arg& b) { return multiply(a, b); }
inline Tensor operator/(const Arg& a, const Arg& b) { return divide(a, b); }
inline Tensor operator%(const Arg& a, const Arg& b) { return floormod(a, b); }
inline Tensor operator-(const Arg& a) { return negative(a); }

// x becomes another tensor: x = x + y. What held the old one still has it.
inline Tensor& operator+=(Tensor& x, const Arg& y) { return x = add({x, y.location()}, y); }
inline Tensor& operator-=(Tensor& x, const Arg& y) { return x = subtract({x, y.location()}, y); }
inline Tensor& operator*=(Tensor& x, const Arg& y) { return x = multiply({x, y.location()}, y); }
inline Tensor& operator/=(Tensor& x, const Arg& y) { return x = divide({x, y.location()}, y); }

// What a comparison makes: a boolean tensor that an `if` asks for its value, as in Python. (Any other tensor
// in an `if` says whether it is there, as a gradient that may be None.) Asking reads the value on the host:
// throws ValueError for several elements, where reduce_all() or reduce_any() says what is meant, and
// AttributeError while a function is traced, where cond() takes a tensor.
class BoolTensor : public Tensor {
 public:
  BoolTensor(Tensor tensor, Location location = Location::current())
      : Tensor(std::move(tensor)), location_(location) {}
  explicit operator bool() const;

 private:
  Location location_;
};
inline BoolTensor operator<(const Arg& a, const Arg& b) { return {less(a, b), a.location()}; }
inline BoolTensor operator<=(const Arg& a, const Arg& b) { return {less_equal(a, b), a.location()}; }
inline BoolTensor operator>(const Arg& a, const Arg& b) { return {greater(a, b), a.location()}; }
inline BoolTensor operator>=(const Arg& a, const Arg& b) { return {greater_equal(a, b), a.location()}; }
// Elementwise; two variables are compared by identity instead, see Variable.
inline BoolTensor operator==(const Arg& a, const Arg& b) { return {equal(a, b), a.location()}; }
inline BoolTensor operator!=(const Arg& a, const Arg& b) { return {not_equal(a, b), a.location()}; }
inline BoolTensor operator&(const Arg& a, const Arg& b) { return {logical_and(a, b), a.location()}; }
inline BoolTensor operator|(const Arg& a, const Arg& b) { return {logical_or(a, b), a.location()}; }
inline BoolTensor operator^(const Arg& a, const Arg& b) { return {logical_xor(a, b), a.location()}; }
inline BoolTensor operator~(const Arg& a) { return {logical_not(a), a.location()}; }

std::span<const OpDef* const> elementwise_ops();

}  // namespace tapescope
