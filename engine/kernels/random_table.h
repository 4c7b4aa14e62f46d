// The loops of random numbers, of one instruction set. Internal to the kernels.
#pragma once
#include <cstdint>

#include "engine/kernels/random.h"

namespace tapescope::kernels {

// The same bits on every instruction set. Both round their count up to a multiple of kTogether, for which the
// arrays have room.
struct RandomTable {
  static constexpr std::int64_t kTogether = 4;
  // Four words for each of the stream's blocks from `first` on.
  void (*words)(RandomStream stream, std::uint64_t first, std::int64_t blocks, std::uint32_t* to);
  // Box and Muller's transform: two words make a pair of numbers of mean 0 and variance 1.
  void (*normals)(const std::uint32_t* words, std::int64_t pairs, double* to);
};
extern const RandomTable kRandomBaseline;
extern const RandomTable kRandomAvx2;

}  // namespace tapescope::kernels
