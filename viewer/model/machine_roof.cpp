// Measures the machine.
#include "viewer/model/machine_roof.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "viewer/model/units.h"

namespace tapescope {
namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds_since(Clock::time_point begin) {
  return std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
}

// Scales one half of so many bytes into the other, as an elementwise op does; each byte is read once or
// written once. The best of many runs that are shorter than a scheduler's turn: beside busy programs one of
// them is whole. (memcpy is no measure: its string instructions are many times slower for some alignments.)
double scale_gigabytes(std::size_t bytes) {
  using Vector = float __attribute__((vector_size(32)));
  constexpr std::size_t kLeast = std::size_t{4}
                                 << 20;  // moved in a run: shorter ones the clock would not resolve
  const int runs = bytes > kLeast ? 6 : 24;
  const std::size_t half = bytes / 2 / sizeof(Vector);
  std::vector<Vector> from(half, Vector{} + 1), to(half, Vector{});
  const std::size_t turns = std::max<std::size_t>(1, kLeast / bytes);
  double best = 0;
  for (int r = 0; r < runs; ++r) {
    const auto begin = Clock::now();
    for (std::size_t t = 0; t < turns; ++t) {
      for (std::size_t i = 0; i < half; ++i) to[i] = from[i] * 0.5f;
      asm volatile("" : : "r"(to.data()) : "memory");  // what is not used may not be computed at all
    }
    best = std::max(best, static_cast<double>(2 * half * sizeof(Vector) * turns) / nanoseconds_since(begin));
  }
  return best;
}

// Peak of fused multiply-adds on one core: ten independent chains of eight floats, AVX2.
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) double time_fma() {
  using Vector = float __attribute__((vector_size(32)));
  const Vector factor = Vector{} + 0.999999f, term = Vector{} + 1e-7f;
  // Named one by one: an array would live in memory.
  Vector a = term, b = term, c = term, d = term, e = term, f = term, g = term, h = term, i = term, j = term;
  constexpr int kLoop = 100'000, kRuns = 100;  // a quarter of a millisecond each
  double best = 0;
  for (int r = 0; r < kRuns; ++r) {
    const auto begin = Clock::now();
    for (int n = 0; n < kLoop; ++n) {
      asm volatile(
          "vfmadd132ps %11, %10, %0\n vfmadd132ps %11, %10, %1\n vfmadd132ps %11, %10, %2\n"
          "vfmadd132ps %11, %10, %3\n vfmadd132ps %11, %10, %4\n vfmadd132ps %11, %10, %5\n"
          "vfmadd132ps %11, %10, %6\n vfmadd132ps %11, %10, %7\n vfmadd132ps %11, %10, %8\n"
          "vfmadd132ps %11, %10, %9"
          : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f), "+x"(g), "+x"(h), "+x"(i), "+x"(j)
          : "x"(term), "x"(factor));
    }
    const double time = nanoseconds_since(begin);
    best = std::max(best, 10.0 * 8 * 2 * kLoop / time);
  }
  return best;
}
bool has_fma() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
#else
double time_fma() { return 0; }
bool has_fma() { return false; }
#endif

}  // namespace

double fma_peak_gflops() { return has_fma() ? time_fma() : std::numeric_limits<double>::quiet_NaN(); }

double MachineRoof::at(double flops, double bytes, double calls) const {
  if (!(flops > 0) || !std::isfinite(gflops) || gflops <= 0) return std::numeric_limits<double>::quiet_NaN();
  if (!(bytes > 0)) return gflops;
  const double each = bytes / std::max(1.0, calls);
  const auto level =
      std::find_if(levels.begin(), levels.end() - 1, [&](const Level& l) { return each <= l.bytes; });
  return std::min(gflops, level->gigabytes * flops / bytes);
}

MachineRoof measure_machine_roof() {
  MachineRoof roof;
  roof.gflops = fma_peak_gflops();
  // Within the caches of one core, a shared one, and beyond all of them.
  constexpr std::size_t kKiB = 1024;
  std::size_t at = 0;
  for (const std::size_t bytes : {16 * kKiB, 256 * kKiB, 4096 * kKiB, 65536 * kKiB}) {
    roof.levels[at++] = {static_cast<double>(bytes), scale_gigabytes(bytes)};
  }
  return roof;
}

std::string roof_text(double share) { return share > 1 ? ">100 %" : format_percent(share); }

}  // namespace tapescope
