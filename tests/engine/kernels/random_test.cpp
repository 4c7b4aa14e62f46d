// The generator against its published vectors, the distributions against their moments.
#include "engine/kernels/random.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/kernels/map.h"
#include "engine/kernels/thread_pool.h"
#include "tests/support/catch.h"

namespace kernels = tapescope::kernels;
using namespace tapescope;
using Words = std::array<std::uint32_t, 4>;

// Random123's known answers for philox4x32, 10 rounds.
TEST_CASE("Philox gives the published words") {
  CHECK(kernels::philox4x32({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
  CHECK(kernels::philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
        Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
  CHECK(kernels::philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
        Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

namespace {

constexpr std::int64_t kCount = 200'000;

struct Moments {
  double mean = 0, variance = 0, low = 1e9, high = -1e9;
  explicit Moments(const std::vector<float>& x) {
    for (float v : x) {
      mean += static_cast<double>(v) / static_cast<double>(x.size());
      low = std::min(low, static_cast<double>(v));
      high = std::max(high, static_cast<double>(v));
    }
    for (float v : x)
      variance +=
          (static_cast<double>(v) - mean) * (static_cast<double>(v) - mean) / static_cast<double>(x.size());
  }
};

template <class Fill>
std::vector<float> drawn(const Fill& fill, std::int64_t n = kCount) {
  std::vector<float> x(static_cast<std::size_t>(n));
  fill(x.data(), n);
  return x;
}

}  // namespace

TEST_CASE("distributions have their mean, variance and bounds") {
  const Moments uniform(drawn([](float* x, std::int64_t n) {
    kernels::fill_uniform({7, 1}, DType::f32, x, n, -1, 3);
  }));
  CHECK(uniform.mean == Approx(1).margin(0.02));
  CHECK(uniform.variance == Approx(16.0 / 12).epsilon(0.02));
  CHECK((uniform.low >= -1 && uniform.high < 3));
  const Moments normal(drawn([](float* x, std::int64_t n) {
    kernels::fill_normal({7, 1}, DType::f32, x, n, 2, 0.5);
  }));
  CHECK(normal.mean == Approx(2).margin(0.01));
  CHECK(normal.variance == Approx(0.25).epsilon(0.02));
  CHECK(normal.high > 3.5);
  const Moments truncated(drawn([](float* x, std::int64_t n) {
    kernels::fill_truncated_normal({7, 1}, DType::f32, x, n, 0, 1);
  }));
  CHECK(truncated.mean == Approx(0).margin(0.01));
  CHECK(truncated.variance == Approx(0.774).epsilon(0.02));
  CHECK((truncated.low >= -2 && truncated.high <= 2));
}

TEST_CASE("numbers depend on the key alone, not on length, threads or neighbours") {
  const auto fill = [](float* x, std::int64_t n) { kernels::fill_normal({1, 2}, DType::f32, x, n, 0, 1); };
  const std::vector<float> all = drawn(fill), few = drawn(fill, 101);
  CHECK(std::equal(few.begin(), few.end(), all.begin()));
  kernels::set_threads(3);
  const std::vector<float> again = drawn(fill);
  kernels::set_threads(1);
  CHECK(all == again);
  const std::vector<float> other = drawn([](float* x, std::int64_t n) {
    kernels::fill_normal({1, 3}, DType::f32, x, n, 0, 1);
  });
  CHECK(all != other);
}

TEST_CASE("every instruction set gives the same numbers, those of the generator's blocks") {
  const std::uint64_t seed = 0x0123456789abcdef, counter = 0xfedcba9876543210;
  const auto all = [&] {
    std::vector<double> x(4 * 1001);
    kernels::fill_uniform({seed, counter}, DType::f64, x.data(), 1001, -1, 1);
    kernels::fill_normal({seed, counter}, DType::f64, x.data() + 1001, 1001, 1, 2);
    kernels::fill_truncated_normal({seed, counter}, DType::f64, x.data() + 2002, 1001, 1, 2);
    std::vector<std::int64_t> n(1001);
    kernels::fill_integers({seed, counter}, DType::i64, n.data(), 1001, -3, std::int64_t{1} << 40);
    std::copy(n.begin(), n.end(), x.begin() + 3003);
    return x;
  };
  const std::vector<double> wide = all();
  kernels::limit_instructions(kernels::Instructions::baseline);
  CHECK(all() == wide);
  kernels::limit_instructions(kernels::Instructions::avx512);

  std::vector<float> x(1001);
  kernels::fill_uniform({seed, counter}, DType::f32, x.data(), 1001, 0, 1);
  for (std::uint32_t i = 0; i < 1001; ++i) {
    const Words words = kernels::philox4x32({i / 4, 0, static_cast<std::uint32_t>(counter), counter >> 32},
                                            {static_cast<std::uint32_t>(seed), seed >> 32});
    REQUIRE(x[i] == static_cast<float>(words[i % 4] >> 8) * 0x1p-24f);
  }
}

TEST_CASE("doubles use all their bits, whole numbers their whole range") {
  std::vector<double> x(1000);
  kernels::fill_uniform({1, 1}, DType::f64, x.data(), 1000, 0, 1);
  int fine = 0;
  for (double v : x) fine += v != static_cast<double>(static_cast<float>(v));
  CHECK(fine > 990);
  std::vector<std::int32_t> counts(5), draws(10'000);
  kernels::fill_integers({1, 1}, DType::i32, draws.data(), 10'000, -2, 3);
  for (std::int32_t v : draws) {
    REQUIRE((v >= -2 && v < 3));
    ++counts[static_cast<std::size_t>(v + 2)];
  }
  for (std::int32_t count : counts) CHECK(count == Approx(2000).epsilon(0.1));
}
