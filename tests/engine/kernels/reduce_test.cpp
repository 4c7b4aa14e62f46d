// Reductions and scans against plain loops in double.
#include "engine/kernels/reduce.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "engine/kernels/map.h"
#include "engine/kernels/thread_pool.h"
#include "tests/support/catch.h"

namespace kernels = tapescope::kernels;
using namespace tapescope;
using kernels::ReduceOp;

namespace {

template <class T>
std::vector<T> numbers(std::int64_t n, unsigned seed = 3) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> draw(0.5, 1.5);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& v : x) v = static_cast<T>(draw(engine));
  return x;
}

// Position in the output of element i.
std::int64_t place(std::int64_t i, const Shape& shape, std::uint32_t axes) {
  std::int64_t at = 0, step = 1;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    const std::int64_t index = i % shape[d];
    i /= shape[d];
    if (axes >> d & 1) continue;
    at += index * step;
    step *= shape[d];
  }
  return at;
}

std::vector<double> plain(ReduceOp op, const std::vector<double>& x, const Shape& shape, std::uint32_t axes) {
  std::int64_t kept = 1, folded = 1;
  for (int d = 0; d < shape.rank(); ++d) (axes >> d & 1 ? folded : kept) *= shape[d];
  const double start = op == ReduceOp::prod  ? 1
                       : op == ReduceOp::max ? -INFINITY
                       : op == ReduceOp::min ? INFINITY
                                             : 0;
  std::vector<double> y(static_cast<std::size_t>(kept), start);
  for (std::size_t i = 0; i < x.size(); ++i) {
    double& to = y[static_cast<std::size_t>(place(static_cast<std::int64_t>(i), shape, axes))];
    switch (op) {
      case ReduceOp::prod: to *= x[i]; break;
      case ReduceOp::max: to = std::max(to, x[i]); break;
      case ReduceOp::min: to = std::min(to, x[i]); break;
      case ReduceOp::norm: to += x[i] * x[i]; break;
      default: to += x[i];
    }
  }
  for (double& v : y)
    v = op == ReduceOp::mean ? v / static_cast<double>(folded) : op == ReduceOp::norm ? std::sqrt(v) : v;
  return y;
}

template <class T>
void check(DType type, double epsilon) {
  const Shape shapes[] = {
      {},     {1},    {5},      {33}, {3, 4}, {4, 1, 5}, {2, 3, 4}, {2, 3, 4, 5}, {2, 1, 3, 2, 3},
      {0, 3}, {3, 0}, {70, 300}};
  for (const Shape& shape : shapes) {
    const std::vector<T> x = numbers<T>(shape.numel());
    const std::vector<double> wide(x.begin(), x.end());
    for (std::uint32_t axes = 0; axes < 1u << shape.rank(); ++axes) {
      for (ReduceOp op :
           {ReduceOp::sum, ReduceOp::mean, ReduceOp::prod, ReduceOp::max, ReduceOp::min, ReduceOp::norm}) {
        if (op == ReduceOp::prod && shape.numel() > 1000) continue;
        const std::vector<double> want = plain(op, wide, shape, axes);
        std::vector<T> y(want.size() + 1, T(77));
        kernels::reduce(op, type, x.data(), shape, axes, y.data());
        INFO(shape.text() << " axes " << axes << " op " << static_cast<int>(op));
        for (std::size_t i = 0; i < want.size(); ++i) {
          if (std::isnan(want[i])) REQUIRE(std::isnan(y[i]));
          else if (std::isinf(want[i])) REQUIRE(static_cast<double>(y[i]) == want[i]);
          else REQUIRE(static_cast<double>(y[i]) == Approx(want[i]).epsilon(epsilon));
        }
        REQUIRE(y.back() == T(77));
      }
    }
  }
}

}  // namespace

TEST_CASE("every set of axes of every shape reduces as plain loops do") {
  check<double>(DType::f64, 1e-13);
  check<float>(DType::f32, 1e-6);
}

TEST_CASE("long float32 sums lose nothing") {
  const std::int64_t n = 3'000'001;
  std::vector<float> x(static_cast<std::size_t>(n), 0.1f);
  float y;
  kernels::reduce(ReduceOp::sum, DType::f32, x.data(), Shape{n}, 1, &y);
  CHECK(y == static_cast<float>(static_cast<double>(0.1f) * static_cast<double>(n)));
  std::vector<float> columns(3);
  kernels::reduce(ReduceOp::sum, DType::f32, x.data(), Shape{1'000'000, 3}, 1, columns.data());
  CHECK(columns[1] == static_cast<float>(static_cast<double>(0.1f) * 1e6));
}

TEST_CASE("reductions depend neither on the threads nor on the instruction set") {
  const std::vector<float> x = numbers<float>(2'000'000);
  const std::pair<Shape, std::uint32_t> cases[] = {
      {{2'000'000}, 1}, {{2000, 1000}, 1}, {{2000, 1000}, 2}, {{100, 200, 100}, 2}, {{1'000'000, 2}, 1}};
  for (const auto& [shape, axes] : cases) {
    for (ReduceOp op : {ReduceOp::sum, ReduceOp::max}) {
      std::vector<float> one(2'000'000), three(2'000'000), other(2'000'000);
      kernels::reduce(op, DType::f32, x.data(), shape, axes, one.data());
      kernels::set_threads(3);
      kernels::reduce(op, DType::f32, x.data(), shape, axes, three.data());
      kernels::set_threads(1);
      INFO(shape.text());
      CHECK(one == three);
      for (const kernels::Instructions used : kernels::kInstructions) {
        kernels::limit_instructions(used);
        kernels::reduce(op, DType::f32, x.data(), shape, axes, other.data());
        CHECK(one == other);
      }
    }
  }
}

TEST_CASE("a NaN stays the largest and the smallest") {
  std::vector<float> x(40, 1.f);
  x[17] = std::numeric_limits<float>::quiet_NaN();
  float y[2];
  kernels::reduce(ReduceOp::max, DType::f32, x.data(), Shape{40}, 1, y);
  kernels::reduce(ReduceOp::min, DType::f32, x.data(), Shape{2, 20}, 1u << 1, y + 0);
  CHECK(std::isnan(y[0]));
  CHECK(y[1] == 1);
}

TEST_CASE("integers and booleans reduce exactly") {
  const std::int32_t x[] = {1, 2, 3, 4, 5, 6};
  std::int32_t y[3];
  kernels::reduce(ReduceOp::sum, DType::i32, x, Shape{2, 3}, 1, y);
  CHECK((y[0] == 5 && y[1] == 7 && y[2] == 9));
  kernels::reduce(ReduceOp::mean, DType::i32, x, Shape{2, 3}, 2, y);
  CHECK((y[0] == 2 && y[1] == 5));
  kernels::reduce(ReduceOp::max, DType::i32, x, Shape{2, 3}, 3, y);
  CHECK(y[0] == 6);
  const std::uint8_t b[] = {1, 0, 1, 1};
  std::uint8_t t[2];
  kernels::reduce(ReduceOp::all, DType::boolean, b, Shape{2, 2}, 2, t);
  CHECK((t[0] == 0 && t[1] == 1));
  kernels::reduce(ReduceOp::any, DType::boolean, b, Shape{2, 2}, 3, t);
  CHECK(t[0] == 1);
}

TEST_CASE("scans run either way, with or without the element itself") {
  const float x[] = {1, 2, 3, 4};
  float y[4];
  kernels::scan(false, DType::f32, x, y, 1, 4, 1, false, false);
  CHECK(std::vector<float>(y, y + 4) == std::vector<float>{1, 3, 6, 10});
  kernels::scan(false, DType::f32, x, y, 1, 4, 1, true, false);
  CHECK(std::vector<float>(y, y + 4) == std::vector<float>{0, 1, 3, 6});
  kernels::scan(true, DType::f32, x, y, 1, 4, 1, false, true);
  CHECK(std::vector<float>(y, y + 4) == std::vector<float>{24, 24, 12, 4});
  kernels::scan(true, DType::f32, x, y, 1, 2, 2, true, true);
  CHECK(std::vector<float>(y, y + 4) == std::vector<float>{3, 4, 1, 1});
}

TEST_CASE("the first of equal extremes is found") {
  const float x[] = {1, 5, 5, 0, 2, 2, 7, 7};
  std::int64_t y[4];
  kernels::arg_extreme(true, DType::f32, x, 2, 4, 1, DType::i64, y);
  CHECK((y[0] == 1 && y[1] == 2));
  std::int32_t z[4];
  kernels::arg_extreme(false, DType::f32, x, 1, 2, 4, DType::i32, z);
  CHECK((z[0] == 0 && z[1] == 1 && z[2] == 0 && z[3] == 0));
}
