// Ops that a program adds at run time are ops like any other.
#include "engine/gate/register.h"

#include <cmath>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"
#include "tests/support/two_derivatives.h"

using namespace tapescope;

namespace {

void same_type(InferContext& c) { c.out(c.inputs[0]->type); }
void cube(KernelContext& c) {
  for (std::int64_t i = 0; i < c.out_type().numel; ++i) c.out<double>()[i] = std::pow(c.in<double>(0)[i], 3);
}
void cube_vjp(VjpContext& c) { c.set(0, c.grad() * 3.0 * square(c.in(0))); }

const OpDef& cube_op() {
  static const OpDef& row = register_op({.name = "Cube",
                                         .infer = same_type,
                                         .kernel = cube,
                                         .saves = OpDef::in_bit(0),
                                         .vjp = cube_vjp,
                                         .linearity = Linearity::diagonal,
                                         .doc = "x^3"});
  return row;
}

const OpDef& mute_op() {
  static const OpDef& row = register_op({.name = "MuteCube", .infer = same_type, .kernel = cube});
  return row;
}

}  // namespace

TEST_CASE("a registered op is found by name, recorded and differentiated twice", "[register]") {
  CHECK(find_op("Cube") == nullptr);
  const OpDef& row = cube_op();
  CHECK(find_op("Cube") == &row);
  const Tensor x = constant(2.0, DType::f64);
  const TwoDerivatives cubed = two_derivatives(x, [&](const Tensor& in) { return apply(row, in); });
  CHECK(element(cubed.value, 0) == 8);
  CHECK(element(cubed.first, 0) == 12);
  CHECK(element(cubed.second, 0) == 12);
}

TEST_CASE("a registered op without a gradient raises LookupError where one is wanted", "[register]") {
  const Tensor x = constant(2.0, DType::f64);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = apply(mute_op(), x);
  }
  CHECK(kind_of([&] { tape.gradient(y, x); }) == ErrorKind::lookup);
}

TEST_CASE("a row that cannot be is refused", "[register]") {
  cube_op();
  CHECK(error_of([] {
          register_op({.name = "Cube", .infer = same_type, .kernel = cube});
        }).find("'Cube' already") != std::string::npos);
  CHECK(kind_of([] { register_op({.name = "MatMul", .infer = same_type, .kernel = cube}); }) ==
        ErrorKind::value);
  CHECK(kind_of([] { register_op({.name = "", .infer = same_type, .kernel = cube}); }) == ErrorKind::value);
  CHECK(kind_of([] { register_op({.name = "Bare", .infer = same_type}); }) == ErrorKind::value);
}
