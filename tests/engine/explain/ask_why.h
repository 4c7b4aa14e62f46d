// Asks a tape for a gradient and for the reason why there is none, and approves the answer.
#pragma once
#include <string>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

namespace tapescope {

inline Variable variable(const char* name, double value = 3.0, bool trainable = true,
                         Location place = Location::current()) {
  return Variable(constant(value), {.name = name, .trainable = trainable}, place);
}

// Two numbers as float32.
inline Tensor row(double a, double b, Location place = Location::current()) {
  return constant({a, b}, DType::f32, place);
}

// Gives the reason that the tape's own records prove; the break must be in the file that asks. What is said
// is compared with an approved file named after the test, its lines counted from the one that asks.
std::string why(GradientTape& tape, const Traced& target, const Traced& source,
                Location place = Location::current());
// The same once the question was put, and where it raised.
std::string why_after(GradientTape& tape, const Traced& target, const Traced& source,
                      Location place = Location::current());

}  // namespace tapescope
