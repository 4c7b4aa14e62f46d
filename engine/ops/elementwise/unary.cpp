// Rows and functions of one argument: arithmetic, exponentials, trigonometry, special functions, rounding.
#include "engine/ops/creation.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/rows.h"

namespace tapescope {
namespace {

using namespace rows;

void neg_vjp(VjpContext& c) { c.set(0, -c.grad()); }
void abs_vjp(VjpContext& c) { c.set(0, c.grad() * sign(c.in(0))); }
// A tensor of zeros, not None: TensorFlow registers one.
void sign_vjp(VjpContext& c) { c.set(0, zeros(c.in_type(0).shape, c.in_type(0).dtype)); }
void square_vjp(VjpContext& c) { c.set(0, c.grad() * (2 * c.in(0))); }
void sqrt_vjp(VjpContext& c) { c.set(0, sqrt_grad(c.out(), c.grad())); }
void rsqrt_vjp(VjpContext& c) { c.set(0, rsqrt_grad(c.out(), c.grad())); }
void reciprocal_vjp(VjpContext& c) { c.set(0, reciprocal_grad(c.out(), c.grad())); }
void exp_vjp(VjpContext& c) { c.set(0, c.grad() * c.out()); }
void expm1_vjp(VjpContext& c) { c.set(0, c.grad() * exp(c.in(0))); }
void log_vjp(VjpContext& c) { c.set(0, c.grad() * reciprocal(c.in(0))); }
void log1p_vjp(VjpContext& c) { c.set(0, c.grad() * reciprocal(1 + c.in(0))); }
void sin_vjp(VjpContext& c) { c.set(0, c.grad() * cos(c.in(0))); }
void cos_vjp(VjpContext& c) { c.set(0, -c.grad() * sin(c.in(0))); }
void tan_vjp(VjpContext& c) { c.set(0, square(reciprocal(cos(c.in(0)))) * c.grad()); }
void asin_vjp(VjpContext& c) { c.set(0, c.grad() * reciprocal(sqrt(1 - square(c.in(0))))); }
void acos_vjp(VjpContext& c) { c.set(0, -c.grad() * reciprocal(sqrt(1 - square(c.in(0))))); }
void atan_vjp(VjpContext& c) { c.set(0, c.grad() * reciprocal(1 + square(c.in(0)))); }
void sinh_vjp(VjpContext& c) { c.set(0, c.grad() * cosh(c.in(0))); }
void cosh_vjp(VjpContext& c) { c.set(0, c.grad() * sinh(c.in(0))); }
void asinh_vjp(VjpContext& c) { c.set(0, c.grad() / cosh(c.out())); }
void acosh_vjp(VjpContext& c) { c.set(0, c.grad() / sinh(c.out())); }
void atanh_vjp(VjpContext& c) { c.set(0, c.grad() * reciprocal(1 - square(c.in(0)))); }
void erf_vjp(VjpContext& c) {
  constexpr double kTwoOverRootPi = 1.1283791670955126;
  c.set(0, c.grad() * kTwoOverRootPi * exp(-square(c.in(0))));
}
void erfc_vjp(VjpContext& c) {
  constexpr double kMinusTwoOverRootPi = -1.1283791670955126;
  c.set(0, c.grad() * kMinusTwoOverRootPi * exp(-square(c.in(0))));
}
void lgamma_vjp(VjpContext& c) { c.set(0, c.grad() * digamma(c.in(0))); }
void digamma_vjp(VjpContext& c) { c.set(0, c.grad() * polygamma(1, c.in(0))); }

// Of several functions each: why their gradient can be zero everywhere.

constinit const OpDef kNeg = unary<UnaryOp::neg>({.name = "Neg", .vjp = neg_vjp, .doc = "-x"});
constinit const OpDef kAbs = unary<UnaryOp::abs>(
    {.name = "Abs", .saves = kIn0, .vjp = abs_vjp, .doc = "|x|; gradient g sign(x), 0 at 0"});
constinit const OpDef kSign =
    unary<UnaryOp::sign>({.name = "Sign", .vjp = sign_vjp, .doc = "-1, 0 or 1; gradient zeros"});
constinit const OpDef kSquare = unary<UnaryOp::square>(
    {.name = "Square", .saves = kIn0, .vjp = square_vjp, .doc = "x^2; gradient g (2 x)"});
constinit const OpDef kSqrt =
    unary<UnaryOp::sqrt>({.name = "Sqrt",
                          .saves = kOut,
                          .vjp = sqrt_vjp,
                          .doc = "square root; gradient 0.5 g / y, infinite at 0 unless g is 0",
                          .sampler = {0.1, 3}});
constinit const OpDef kRsqrt =
    unary<UnaryOp::rsqrt>({.name = "Rsqrt",
                           .saves = kOut,
                           .vjp = rsqrt_vjp,
                           .doc = "1 / sqrt(x); gradient -0.5 g y^3, 0 where g is 0",
                           .sampler = {0.2, 3}});
constinit const OpDef kReciprocal =
    unary<UnaryOp::reciprocal>({.name = "Reciprocal",
                                .saves = kOut,
                                .vjp = reciprocal_vjp,
                                .doc = "1 / x; gradient -g y^2, 0 where g is 0",
                                .sampler = {0.3, 3}});
constinit const OpDef kExp =
    unary<UnaryOp::exp>({.name = "Exp", .saves = kOut, .vjp = exp_vjp, .doc = "e^x; gradient g y"});
constinit const OpDef kExpm1 = unary<UnaryOp::expm1>(
    {.name = "Expm1", .saves = kIn0, .vjp = expm1_vjp, .doc = "e^x - 1; gradient g e^x"});
constinit const OpDef kLog =
    unary<UnaryOp::log>({.name = "Log",
                         .saves = kIn0,
                         .vjp = log_vjp,
                         .doc = "natural logarithm; gradient g (1 / x), infinite at 0",
                         .sampler = {0.2, 3}});
constinit const OpDef kLog1p = unary<UnaryOp::log1p>({.name = "Log1p",
                                                      .saves = kIn0,
                                                      .vjp = log1p_vjp,
                                                      .doc = "log(1 + x); gradient g (1 / (1 + x))",
                                                      .sampler = {-0.5, 3}});
constinit const OpDef kSin =
    unary<UnaryOp::sin>({.name = "Sin", .saves = kIn0, .vjp = sin_vjp, .doc = "sine; gradient g cos x"});
constinit const OpDef kCos =
    unary<UnaryOp::cos>({.name = "Cos", .saves = kIn0, .vjp = cos_vjp, .doc = "cosine; gradient -g sin x"});
constinit const OpDef kTan = unary<UnaryOp::tan>({.name = "Tan",
                                                  .saves = kIn0,
                                                  .vjp = tan_vjp,
                                                  .doc = "tangent; gradient (1 / cos x)^2 g",
                                                  .sampler = {-1, 1}});
constinit const OpDef kAsin =
    unary<UnaryOp::asin>({.name = "Asin",
                          .saves = kIn0,
                          .vjp = asin_vjp,
                          .doc = "arc sine; gradient g / sqrt(1 - x^2), infinite at -1 and 1",
                          .sampler = {-0.8, 0.8}});
constinit const OpDef kAcos = unary<UnaryOp::acos>({.name = "Acos",
                                                    .saves = kIn0,
                                                    .vjp = acos_vjp,
                                                    .doc = "arc cosine; gradient -g / sqrt(1 - x^2)",
                                                    .sampler = {-0.8, 0.8}});
constinit const OpDef kAtan = unary<UnaryOp::atan>(
    {.name = "Atan", .saves = kIn0, .vjp = atan_vjp, .doc = "arc tangent; gradient g / (1 + x^2)"});
constinit const OpDef kSinh = unary<UnaryOp::sinh>(
    {.name = "Sinh", .saves = kIn0, .vjp = sinh_vjp, .doc = "hyperbolic sine; gradient g cosh x"});
constinit const OpDef kCosh = unary<UnaryOp::cosh>(
    {.name = "Cosh", .saves = kIn0, .vjp = cosh_vjp, .doc = "hyperbolic cosine; gradient g sinh x"});
constinit const OpDef kAsinh = unary<UnaryOp::asinh>(
    {.name = "Asinh", .saves = kOut, .vjp = asinh_vjp, .doc = "inverse of sinh; gradient g / cosh y"});
constinit const OpDef kAcosh = unary<UnaryOp::acosh>({.name = "Acosh",
                                                      .saves = kOut,
                                                      .vjp = acosh_vjp,
                                                      .doc = "inverse of cosh, x >= 1; gradient g / sinh y",
                                                      .sampler = {1.2, 3}});
constinit const OpDef kAtanh = unary<UnaryOp::atanh>({.name = "Atanh",
                                                      .saves = kIn0,
                                                      .vjp = atanh_vjp,
                                                      .doc = "inverse of tanh; gradient g / (1 - x^2)",
                                                      .sampler = {-0.8, 0.8}});
constinit const OpDef kErf =
    unary<UnaryOp::erf>({.name = "Erf",
                         .saves = kIn0,
                         .vjp = erf_vjp,
                         .doc = "error function; gradient g (2 / sqrt pi) e^(-x^2)"});
constinit const OpDef kErfc =
    unary<UnaryOp::erfc>({.name = "Erfc",
                          .saves = kIn0,
                          .vjp = erfc_vjp,
                          .doc = "1 - erf(x) without cancellation; gradient -g (2 / sqrt pi) e^(-x^2)"});
constinit const OpDef kLgamma = unary<UnaryOp::lgamma>({.name = "Lgamma",
                                                        .saves = kIn0,
                                                        .vjp = lgamma_vjp,
                                                        .doc = "log |Gamma(x)|; gradient g digamma(x)",
                                                        .sampler = {0.5, 4}});
constinit const OpDef kDigamma =
    unary<UnaryOp::digamma>({.name = "Digamma",
                             .saves = kIn0,
                             .vjp = digamma_vjp,
                             .doc = "derivative of lgamma; gradient g polygamma(1, x)",
                             .sampler = {0.5, 4}});
constinit const OpDef kFloor =
    unary<UnaryOp::floor>({.name = "Floor", .doc = "largest whole number not above x; no gradient"});
constinit const OpDef kCeil =
    unary<UnaryOp::ceil>({.name = "Ceil", .doc = "smallest whole number not below x; no gradient"});
constinit const OpDef kRound =
    unary<UnaryOp::round>({.name = "Round", .doc = "nearest whole number, halves to even; no gradient"});

constexpr const OpDef* kElementwiseUnaryRows[] = {
    &kNeg,   &kAbs,   &kSign, &kSquare, &kSqrt,   &kRsqrt,   &kReciprocal, &kExp,  &kExpm1, &kLog,
    &kLog1p, &kSin,   &kCos,  &kTan,    &kAsin,   &kAcos,    &kAtan,       &kSinh, &kCosh,  &kAsinh,
    &kAcosh, &kAtanh, &kErf,  &kErfc,   &kLgamma, &kDigamma, &kFloor,      &kCeil, &kRound};

}  // namespace

std::span<const OpDef* const> rows::unary_rows() { return kElementwiseUnaryRows; }

Tensor negative(const Arg& x) { return apply(kNeg, x); }
Tensor abs(const Arg& x) { return apply(kAbs, x); }
Tensor sign(const Arg& x) { return apply(kSign, x); }
Tensor square(const Arg& x) { return apply(kSquare, x); }
Tensor sqrt(const Arg& x) { return apply(kSqrt, x); }
Tensor rsqrt(const Arg& x) { return apply(kRsqrt, x); }
Tensor reciprocal(const Arg& x) { return apply(kReciprocal, x); }
Tensor exp(const Arg& x) { return apply(kExp, x); }
Tensor expm1(const Arg& x) { return apply(kExpm1, x); }
Tensor log(const Arg& x) { return apply(kLog, x); }
Tensor log1p(const Arg& x) { return apply(kLog1p, x); }
Tensor sin(const Arg& x) { return apply(kSin, x); }
Tensor cos(const Arg& x) { return apply(kCos, x); }
Tensor tan(const Arg& x) { return apply(kTan, x); }
Tensor asin(const Arg& x) { return apply(kAsin, x); }
Tensor acos(const Arg& x) { return apply(kAcos, x); }
Tensor atan(const Arg& x) { return apply(kAtan, x); }
Tensor sinh(const Arg& x) { return apply(kSinh, x); }
Tensor cosh(const Arg& x) { return apply(kCosh, x); }
Tensor asinh(const Arg& x) { return apply(kAsinh, x); }
Tensor acosh(const Arg& x) { return apply(kAcosh, x); }
Tensor atanh(const Arg& x) { return apply(kAtanh, x); }
Tensor erf(const Arg& x) { return apply(kErf, x); }
Tensor erfc(const Arg& x) { return apply(kErfc, x); }
Tensor lgamma(const Arg& x) { return apply(kLgamma, x); }
Tensor digamma(const Arg& x) { return apply(kDigamma, x); }
Tensor floor(const Arg& x) { return apply(kFloor, x); }
Tensor ceil(const Arg& x) { return apply(kCeil, x); }
Tensor round(const Arg& x) { return apply(kRound, x); }

}  // namespace tapescope
