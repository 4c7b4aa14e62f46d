// What one core of this machine can do at most: the roof that an op's arithmetic is measured against.
#pragma once
#include <array>
#include <string>

namespace tapescope {

struct MachineRoof {
  // How fast data is read and written that fits into so many bytes: caches first, memory last.
  struct Level {
    double bytes = 0, gigabytes = 0;  // gigabytes a second
  };
  double gflops = 0;  // fused multiply-adds of AVX2; NaN where there are none
  std::array<Level, 4> levels{};
  // The most that `calls` calls can do that move `bytes` together for `flops`, in GFLOP/s; NaN where it is
  // not known.
  double at(double flops, double bytes, double calls = 1) const;
};

// The peak of fused multiply-adds, in GFLOP/s: the best of a hundred short runs. NaN without AVX2.
double fma_peak_gflops();
// Both; takes some tenths of a second of processor time. Any thread.
MachineRoof measure_machine_roof();

// "74.2 %"; ">100 %" where an op did better than what was measured as the most, on a machine that was busy.
std::string roof_text(double share);

}  // namespace tapescope
