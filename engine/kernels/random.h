// Random numbers as a function of a key: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
// 1, 2, 3", 2011). The same key gives the same numbers on every machine and with any number of threads.
#pragma once
#include <array>
#include <cstdint>

#include "engine/core/dtype.h"

namespace tapescope::kernels {

// One block of the generator: four words from a counter and a key.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

// One stream of numbers. Different counters, like different seeds, give unrelated streams.
struct RandomStream {
  std::uint64_t seed = 0;
  std::uint64_t counter = 0;
};

// Fill y with n numbers of a floating dtype. Half types are rounded from float32.
void fill_uniform(RandomStream stream, DType type, void* y, std::int64_t n, double low,
                  double high);  // [low, high)
void fill_normal(RandomStream stream, DType type, void* y, std::int64_t n, double mean,
                 double stddev);  // Box-Muller
// Normal, redrawn until within two standard deviations.
void fill_truncated_normal(RandomStream stream, DType type, void* y, std::int64_t n, double mean,
                           double stddev);
// Whole numbers in [low, high) of an integer dtype; low < high.
void fill_integers(RandomStream stream, DType type, void* y, std::int64_t n, std::int64_t low,
                   std::int64_t high);

}  // namespace tapescope::kernels
