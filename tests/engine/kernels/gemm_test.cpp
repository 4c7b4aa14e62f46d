// Matrix products of every library against plain loops in double.
#include "engine/kernels/gemm.h"

#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "engine/core/half.h"
#include "engine/kernels/map.h"
#include "engine/kernels/thread_pool.h"
#include "tests/support/catch.h"

namespace kernels = tapescope::kernels;
using namespace tapescope;
using kernels::Gemm;
using kernels::GemmLibrary;

namespace {

template <class T>
std::vector<T> numbers(std::int64_t n, unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> draw(-1, 1);
  std::vector<T> x(static_cast<std::size_t>(n));
  for (T& v : x) v = static_cast<T>(draw(engine));
  return x;
}

template <class T>
std::vector<double> plain(const Gemm& g, const std::vector<T>& a, const std::vector<T>& b,
                          const std::vector<T>& before) {
  std::vector<double> c(before.begin(), before.end());
  for (std::int64_t i = 0; i < g.m; ++i) {
    for (std::int64_t j = 0; j < g.n; ++j) {
      double sum = 0;
      for (std::int64_t p = 0; p < g.k; ++p) {
        sum +=
            static_cast<double>(a[static_cast<std::size_t>(g.transpose_a ? p * g.lda + i : i * g.lda + p)]) *
            static_cast<double>(b[static_cast<std::size_t>(g.transpose_b ? j * g.ldb + p : p * g.ldb + j)]);
      }
      double& to = c[static_cast<std::size_t>(i * g.ldc + j)];
      to = g.accumulate ? to + sum : sum;
    }
  }
  return c;
}

template <class T, class Run>
void check(std::int64_t m, std::int64_t n, std::int64_t k, bool ta, bool tb, bool accumulate,
           std::int64_t slack, const Run& run) {
  Gemm g = Gemm::of(ta, tb, m, n, k, accumulate);
  g.lda += slack, g.ldb += slack, g.ldc += slack;
  const std::vector<T> a = numbers<T>((ta ? k : m) * g.lda + 1, 1),
                       b = numbers<T>((tb ? n : k) * g.ldb + 1, 2);
  std::vector<T> c = numbers<T>(m * g.ldc + 1, 3);
  const std::vector<double> want = plain(g, a, b, c);
  run(g, a.data(), b.data(), c.data());
  const double limit = (sizeof(T) == 4 ? 2e-6 : 1e-14) * (1 + static_cast<double>(k));
  for (std::size_t i = 0; i < c.size(); ++i) {
    if (std::fabs(static_cast<double>(c[i]) - want[i]) > limit) {
      INFO("m " << m << " n " << n << " k " << k << " ta " << ta << " tb " << tb << " add " << accumulate
                << " slack " << slack << " at " << i);
      REQUIRE(static_cast<double>(c[i]) == want[i]);
    }
  }
}

constexpr std::int64_t kSizes[] = {1, 2, 3, 5, 7, 8, 9, 16, 17, 31, 64};

template <class T, class Run>
void check_all(const Run& run) {
  for (int flags = 0; flags < 8; ++flags) {
    for (std::int64_t m : kSizes) {
      for (std::int64_t n : kSizes) {
        for (std::int64_t k : {std::int64_t{1}, std::int64_t{2}, std::int64_t{9}, std::int64_t{33}})
          check<T>(m, n, k, flags & 1, flags & 2, flags & 4, (m + n) % 3, run);
      }
    }
    // Deeper than a panel of our own loops.
    check<T>(13, 21, 700, flags & 1, flags & 2, flags & 4, 0, run);
  }
}

}  // namespace

TEST_CASE("every library multiplies every combination of flags and sizes right") {
  for (GemmLibrary library :
       {GemmLibrary::own, GemmLibrary::openblas, GemmLibrary::onednn, GemmLibrary::eigen}) {
    INFO(kernels::name_of(library));
    if (kernels::has(library, DType::f32)) {
      check_all<float>([&](const Gemm& g, const float* a, const float* b, float* c) {
        kernels::gemm_with(library, g, a, b, c);
      });
    }
    if (kernels::has(library, DType::f64)) {
      check_all<double>([&](const Gemm& g, const double* a, const double* b, double* c) {
        kernels::gemm_with(library, g, a, b, c);
      });
    }
  }
}

TEST_CASE("our own loops are right on the baseline too") {
  kernels::limit_instructions(kernels::Instructions::baseline);
  check_all<float>([](const Gemm& g, const float* a, const float* b, float* c) {
    kernels::gemm_with(GemmLibrary::own, g, a, b, c);
  });
  kernels::limit_instructions(kernels::Instructions::avx512);
}

TEST_CASE("the table's choice multiplies right, empty matrices included") {
  check_all<float>(
      [](const Gemm& g, const float* a, const float* b, float* c) { kernels::gemm(g, a, b, c); });
  std::vector<float> c(6, 5.f);
  kernels::gemm(Gemm::of(false, false, 2, 3, 0), nullptr, nullptr, c.data());
  CHECK(c == std::vector<float>(6, 0.f));
  c.assign(6, 5.f);
  kernels::gemm(Gemm::of(false, false, 2, 3, 0, true), nullptr, nullptr, c.data());
  CHECK(c == std::vector<float>(6, 5.f));
  kernels::gemm(Gemm::of(false, false, 0, 3, 2), nullptr, c.data(), c.data());
}

TEST_CASE("large products are right in their pieces, by one thread and by several") {
  for (int threads : {1, 3}) {
    kernels::set_threads(threads);
    for (int flags = 0; flags < 8; ++flags) {
      for (const auto& [m, n, k] :
           {std::array<std::int64_t, 3>{700, 530, 40}, {390, 1030, 30}, {520, 520, 33}})
        check<float>(
            m, n, k, flags & 1, flags & 2, flags & 4, flags % 3,
            [](const Gemm& g, const float* a, const float* b, float* c) { kernels::gemm(g, a, b, c); });
    }
    check<double>(
        600, 512, 41, true, false, true, 1,
        [](const Gemm& g, const double* a, const double* b, double* c) { kernels::gemm(g, a, b, c); });
  }
  kernels::set_threads(1);
}

TEST_CASE("a product repeats bit for bit, with any number of threads") {
  const std::int64_t sizes[][3] = {{64, 128, 784}, {784, 128, 64},   {256, 256, 256}, {64, 10, 128},
                                   {32, 128, 128}, {256, 1024, 784}, {1000, 700, 60}};
  for (const auto& [m, n, k] : sizes) {
    const std::vector<float> a = numbers<float>(m * k, 1), b = numbers<float>(k * n, 2);
    std::vector<float> first(static_cast<std::size_t>(m * n)), again(first.size());
    kernels::gemm(Gemm::of(false, false, m, n, k), a.data(), b.data(), first.data());
    kernels::set_threads(3);
    kernels::gemm(Gemm::of(false, false, m, n, k), a.data(), b.data(), again.data());
    kernels::set_threads(1);
    CHECK(first == again);
  }
}

TEST_CASE("batches divide among threads without a difference, and repeat matrices by index") {
  const std::int64_t count = 64;
  const Gemm g = Gemm::of(false, true, 16, 16, 32);
  const std::vector<float> a = numbers<float>(count * 16 * 32, 1), b = numbers<float>(2 * 16 * 32, 2);
  std::vector<std::int64_t> index(count);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = static_cast<std::int64_t>(i % 2);
  std::vector<float> one(count * 256), three(one.size()), single(256);
  kernels::gemm_batch(DType::f32, g, count, a.data(), nullptr, b.data(), index.data(), one.data());
  kernels::set_threads(3);
  kernels::gemm_batch(DType::f32, g, count, a.data(), nullptr, b.data(), index.data(), three.data());
  kernels::set_threads(1);
  CHECK(one == three);
  kernels::gemm(g, a.data() + 5 * 512, b.data() + 512, single.data());
  CHECK(std::equal(single.begin(), single.end(), one.begin() + 5 * 256));
}

TEST_CASE("half products accumulate in float32 and round once") {
  const std::int64_t k = 3000;
  std::vector<std::uint16_t> a(static_cast<std::size_t>(k), float_to_half(1)),
      b(static_cast<std::size_t>(k), float_to_half(1));
  std::uint16_t c = 0;
  kernels::gemm(DType::f16, Gemm::of(false, false, 1, 1, k), a.data(), b.data(), &c);
  CHECK(half_to_float(c) == 3000);  // a float16 accumulator would stop at 2048
  std::fill(a.begin(), a.end(), float_to_bfloat(1));
  std::fill(b.begin(), b.end(), float_to_bfloat(1));
  kernels::gemm(DType::bf16, Gemm::of(false, false, 1, 1, k), a.data(), b.data(), &c);
  CHECK(bfloat_to_float(c) == 3008);  // 3000 rounded to even; a bfloat16 accumulator would stop at 256
}

TEST_CASE("integer products are exact") {
  const std::int64_t a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  std::int64_t c[4];
  kernels::gemm(DType::i64, Gemm::of(false, false, 2, 2, 2), a, b, c);
  CHECK((c[0] == 19 && c[1] == 22 && c[2] == 43 && c[3] == 50));
  kernels::gemm(DType::i64, Gemm::of(true, true, 2, 2, 2), a, b, c);
  CHECK((c[0] == 23 && c[1] == 31 && c[2] == 34 && c[3] == 46));
}
