// Rows of softmax against plain loops in double, with each instruction set and several threads.
#include "engine/kernels/softmax_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engine/kernels/map.h"
#include "engine/kernels/thread_pool.h"
#include "tests/support/catch.h"

namespace kernels = tapescope::kernels;

namespace {

using Floats = std::vector<float>;

Floats numbers(std::size_t count, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> draw(-4, 4);
  Floats x(count);
  for (float& v : x) v = draw(engine);
  return x;
}

// What every function gives of the same rows, one after the other.
template <class T>
std::vector<T> all_of(const std::vector<T>& x, const std::vector<T>& g, std::int64_t rows, std::int64_t n) {
  std::vector<T> all(6 * x.size());
  T* to = all.data();
  std::vector<kernels::SoftmaxFacts<T>> facts(static_cast<std::size_t>(rows));
  std::vector<T> labels = g, losses(static_cast<std::size_t>(rows));
  for (T& label : labels) label = label < 0 ? 0 : label;
  kernels::softmax_rows(x.data(), rows, n, to, facts.data());
  kernels::log_softmax_rows(x.data(), rows, n, to + x.size());
  kernels::softmax_grad_rows(to, g.data(), rows, n, to + 2 * x.size());
  kernels::log_softmax_grad_rows(to + x.size(), g.data(), rows, n, to + 3 * x.size());
  std::copy(to, to + x.size(), to + 4 * x.size());
  kernels::cross_entropy_rows(x.data(), labels.data(), facts.data(), rows, n, to + 4 * x.size(),
                              losses.data());
  std::copy(losses.begin(), losses.end(), to + 5 * x.size());
  return all;
}

}  // namespace

TEST_CASE("rows of any length are as right as float32 can be, in place too") {
  for (std::int64_t n : {1, 2, 7, 8, 15, 16, 17, 31, 33, 100, 1000, 2500}) {
    INFO(n);
    const std::int64_t rows = 3;
    const Floats x = numbers(static_cast<std::size_t>(rows * n), 1), g = numbers(x.size(), 2);
    const std::vector<double> wide =
        all_of(std::vector<double>(x.begin(), x.end()), std::vector<double>(g.begin(), g.end()), rows, n);
    const Floats got = all_of(x, g, rows, n);
    for (std::size_t i = 0; i < got.size(); ++i)
      REQUIRE(got[i] == Approx(wide[i]).margin(2e-5).epsilon(2e-5));
    for (std::int64_t r = 0; r < rows; ++r) {
      double sum = 0, largest = -1e9;
      for (std::int64_t i = 0; i < n; ++i)
        largest = std::max<double>(largest, x[static_cast<std::size_t>(r * n + i)]);
      for (std::int64_t i = 0; i < n; ++i) sum += std::exp(x[static_cast<std::size_t>(r * n + i)] - largest);
      for (std::int64_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(r * n + i);
        REQUIRE(wide[at] == Approx(std::exp(x[at] - largest) / sum).epsilon(1e-12));
        REQUIRE(wide[x.size() + at] == Approx(x[at] - largest - std::log(sum)).margin(1e-12));
      }
    }
    Floats again = x;
    kernels::softmax_rows<float>(again.data(), rows, n, again.data(), nullptr);
    CHECK(std::equal(again.begin(), again.end(), got.begin()));
    again = x;
    kernels::log_softmax_rows(again.data(), rows, n, again.data());
    CHECK(std::equal(again.begin(), again.end(), got.begin() + static_cast<std::ptrdiff_t>(x.size())));
  }
}

TEST_CASE("rows of softmax are the same with each instruction set and any number of threads") {
  for (std::int64_t n : {3, 16, 45, 1030}) {
    const std::int64_t rows = 200'000 / n;
    const Floats x = numbers(static_cast<std::size_t>(rows * n), 1), g = numbers(x.size(), 2);
    const Floats one = all_of(x, g, rows, n);
    for (const kernels::Instructions used : kernels::kInstructions) {
      kernels::limit_instructions(used);
      CHECK(all_of(x, g, rows, n) == one);
    }
    kernels::set_threads(3);
    CHECK(all_of(x, g, rows, n) == one);
    kernels::set_threads(1);
  }
}

TEST_CASE("what is not finite spoils its own row of softmax") {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN(),
                  kInf = std::numeric_limits<float>::infinity();
  for (std::int64_t n : {5, 40}) {
    for (std::int64_t place : {std::int64_t{0}, n / 2, n - 1}) {
      Floats x = numbers(static_cast<std::size_t>(2 * n), 1), y(x.size()), z(x.size());
      for (float bad : {kNan, kInf}) {
        x[static_cast<std::size_t>(place)] = bad;
        kernels::softmax_rows<float>(x.data(), 2, n, y.data(), nullptr);
        kernels::log_softmax_rows(x.data(), 2, n, z.data());
        CHECK(std::isnan(y[static_cast<std::size_t>(place)]));
        if (bad != bad)
          for (std::int64_t i = 0; i < n; ++i) {
            CHECK(std::isnan(y[static_cast<std::size_t>(i)]));
            CHECK(std::isnan(z[static_cast<std::size_t>(i)]));
          }
        for (std::int64_t i = n; i < 2 * n; ++i) CHECK(std::isfinite(y[static_cast<std::size_t>(i)]));
      }
      // No probability at all.
      x[static_cast<std::size_t>(place)] = -kInf;
      kernels::softmax_rows<float>(x.data(), 2, n, y.data(), nullptr);
      CHECK(y[static_cast<std::size_t>(place)] == 0);
      CHECK(std::isfinite(y[static_cast<std::size_t>(place == 0 ? 1 : 0)]));
    }
  }
}
