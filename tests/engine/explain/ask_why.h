// Asks a tape for a gradient and for the reason why there is none.
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

// Gives the reason that the tape's own records prove; `place` is the file that the break must be in.
inline std::string why(GradientTape& tape, const Traced& target, const Traced& source,
                       Location place = Location::current()) {
  const Tensor gradient = tape.gradient(target, source);
  const Explanation e = tape.explain(target, source);
  INFO(e.message);
  if (gradient) {
    CHECK(e.reason == Reason::none);
  } else {
    const std::string file = location_text(place);
    CHECK(e.reason != Reason::none);
    CHECK_FALSE(e.message.empty());
    CHECK_FALSE(e.fix.empty());
    CHECK(e.location.starts_with(file.substr(0, file.find(':') + 1)));
    CHECK(e.location == e.edge.location);
  }
  return std::string(name_of(e.reason));
}

}  // namespace tapescope
