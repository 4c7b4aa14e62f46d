// Percentiles, medians and ratios of times.
#include "viewer/model/statistics.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace tapescope;
using Times = std::vector<double>;

TEST_CASE("percentiles lie between two values as their share says", "[statistics]") {
  const Times sorted{10, 20, 30, 50};
  CHECK(percentile_of(sorted, 0) == 10);
  CHECK(percentile_of(sorted, 0.5) == 25);
  CHECK(percentile_of(sorted, 0.9) == Approx(44));
  CHECK(percentile_of(sorted, 1) == 50);
  CHECK(std::isnan(percentile_of({}, 0.5)));
  const Quantiles found = quantiles_of({50, 10, 30, 20});
  CHECK(found.median == 25);
  CHECK(found.p10 == Approx(13));
  CHECK(found.p90 == Approx(44));
  CHECK(found.min == 10);
  CHECK(std::isnan(quantiles_of({}).min));
}

TEST_CASE("the median of an even number of values is the middle of two", "[statistics]") {
  Times even{4, 1, 3, 10}, odd{9, 1, 4}, none;
  CHECK(median_of(even) == 3.5);
  CHECK(median_of(odd) == 4);
  CHECK(std::isnan(median_of(none)));
}

TEST_CASE("a ratio is that of pairs, and pairs with a time of zero are none", "[statistics]") {
  const Ratio half = ratio_of(Times{2, 4, 0, 6, 8}, Times{1, 2, 5, 3, 0});
  CHECK(half.value == 0.5);
  CHECK(half.low == 0.5);
  CHECK(half.high == 0.5);
  const Ratio spread = ratio_of(Times(5, 1.0), Times{1, 2, 3, 4, 5});
  CHECK(spread.value == 3);
  CHECK(spread.low < 3);
  CHECK(spread.high > 3);
  CHECK(spread.low >= 1);
  CHECK(spread.high <= 5);
  CHECK(std::isnan(ratio_of(Times{1, 0}, Times{0, 1}).value));
  CHECK(std::isnan(ratio_of({}, Times{1}).high));
}

TEST_CASE("a ratio of two runs is that of their medians, whatever stands beside it", "[statistics]") {
  const Ratio ratio = unpaired_ratio_of(Times{0, 2, 2, 0, 2, 0}, Times{0, 0, 3, 3, 3, 0, 0});
  CHECK(ratio.value == 1.5);
  CHECK(ratio.low == 1.5);
  CHECK(ratio.high == 1.5);
  const Ratio spread = unpaired_ratio_of(Times{1, 2, 3}, Times{10, 20, 30, 40});
  CHECK(spread.value == 12.5);
  CHECK(spread.low < 12.5);
  CHECK(spread.high > 12.5);
  CHECK(std::isnan(unpaired_ratio_of(Times{1}, Times{0}).value));
  CHECK(std::isnan(unpaired_ratio_of(Times{0}, Times{1}).low));
}
