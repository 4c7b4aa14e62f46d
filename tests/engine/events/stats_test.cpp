// Summaries against a plain double loop, with every kind of value that must not poison them.
#include "engine/events/stats.h"

#include <cmath>
#include <limits>

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

TensorStats plain(const std::vector<double>& values) {
  TensorStats s;
  double squares = 0, sum = 0;
  s.min = std::numeric_limits<double>::infinity();
  s.max = -s.min;
  for (double v : values) {
    s.nans += std::isnan(v);
    s.infinities += std::isinf(v);
    if (!std::isfinite(v)) continue;
    sum += v;
    squares += v * v;
    s.min = std::min(s.min, v);
    s.max = std::max(s.max, v);
    s.zeros += v == 0;
    ++s.count;
  }
  s.mean = s.count ? sum / static_cast<double>(s.count) : 0;
  s.norm = std::sqrt(squares);
  return s;
}

}  // namespace

TEST_CASE("statistics of every length and dtype", "[stats]") {
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const std::int64_t n : {1, 7, 31, 32, 33, 1000, 1024, 1025, 5000}) {
      std::vector<double> values;
      for (std::int64_t i = 0; i < n; ++i)
        values.push_back(i % 5 == 0 ? 0 : static_cast<float>(std::sin(0.7 * i)));
      const TensorStats expected = plain(values), got = tensor_stats(make_tensor(values, Shape{n}, dtype));
      CHECK(got.count == n);
      CHECK(got.zeros == expected.zeros);
      CHECK(got.min == expected.min);
      CHECK(got.max == expected.max);
      CHECK(got.norm == Approx(expected.norm).epsilon(1e-6));
      CHECK(got.mean == Approx(expected.mean).margin(1e-6));
    }
  }
}

TEST_CASE("values that are not finite are counted and spoil nothing but the norm", "[stats]") {
  std::vector<double> values(2000, 2.0);
  values[70] = NAN;
  values[1500] = INFINITY;
  values[1501] = -INFINITY;
  const TensorStats got = tensor_stats(make_tensor(values, Shape{2000}, DType::f32));
  CHECK(got.nans == 1);
  CHECK(got.infinities == 2);
  CHECK(got.min == 2);
  CHECK(got.max == 2);
  CHECK(got.mean == 2);
  CHECK(std::isnan(got.norm));
}

TEST_CASE("large values whose squares overflow float32 still have a norm", "[stats]") {
  const std::vector<double> values(64, 1e30);
  CHECK(tensor_stats(make_tensor(values, Shape{64}, DType::f32)).norm == Approx(8e30).epsilon(1e-6));
}

TEST_CASE("no elements, and None", "[stats]") {
  CHECK(tensor_stats(make_full(Shape{0}, 0, DType::f32)).count == 0);
  CHECK(tensor_stats(Tensor()).count == 0);
}
