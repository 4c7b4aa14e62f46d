// The figures of a tensor's values, as people read them.
#pragma once
#include <string>

#include "engine/events/stats.h"

namespace tapescope {

// Mean, least and largest of the finite elements; where there are none, what all of them are: "NaN",
// "-Infinity", or "not finite" where that is not known.
struct ValueFigures {
  std::string norm, mean, min, max;
};
ValueFigures figures_of(const TensorStats& stats);

// "2 of 8 are NaN and 1 is Infinity"; empty where all are finite.
std::string nonfinite_text(const TensorStats& stats);

}  // namespace tapescope
