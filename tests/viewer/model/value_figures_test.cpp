// What is said of values of which some or all are not finite.
#include <cmath>
#include <limits>

#include "engine/ops/ops.h"
#include "tests/support/catch.h"
#include "viewer/model/value_figures.h"

namespace tapescope {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST_CASE("values that are not finite are counted by kind", "[values]") {
  CHECK(nonfinite_text(tensor_stats(constant({1.0, 0.0}))).empty());
  CHECK(nonfinite_text(tensor_stats(constant({1.0, NAN}))) == "1 of 2 is NaN");
  CHECK(nonfinite_text(tensor_stats(constant({-kInfinity, -kInfinity}))) == "2 of 2 are -Infinity");
  CHECK(nonfinite_text(tensor_stats(constant({kInfinity, 1.0, 2.0}))) == "1 of 3 is Infinity");
  CHECK(nonfinite_text(tensor_stats(constant({kInfinity, -kInfinity}))) == "2 of 2 are infinite");
  const Tensor both = constant({NAN, -kInfinity, NAN});
  CHECK(nonfinite_text(tensor_stats(both)) == "2 of 3 are NaN and 1 is -Infinity");
  // Of what came as counts alone the sign is not known.
  CHECK(nonfinite_text({.infinities = 2, .count = 2}) == "2 of 2 are infinite");
}

TEST_CASE("mean, least and largest are of the finite elements, or say what all are", "[values]") {
  const auto all = [](const Tensor& tensor) {
    const ValueFigures figures = figures_of(tensor_stats(tensor));
    return figures.norm + " " + figures.mean + " " + figures.min + " " + figures.max;
  };
  CHECK(all(constant({3.0, 4.0})) == "5 3.5 3 4");
  CHECK(all(constant({3.0, NAN})) == "NaN 3 3 3");
  CHECK(all(constant({-kInfinity, -kInfinity})) == "Infinity -Infinity -Infinity -Infinity");
  CHECK(all(constant({kInfinity})) == "Infinity Infinity Infinity Infinity");
  CHECK(all(constant({-kInfinity, kInfinity})) == "Infinity NaN -Infinity Infinity");
  CHECK(all(constant({NAN, kInfinity})) == "NaN NaN NaN NaN");
  CHECK(figures_of({.norm = kInfinity, .infinities = 2, .count = 2}).min == "not finite");
}

}  // namespace tapescope
