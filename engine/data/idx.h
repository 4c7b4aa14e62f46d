// IDX files: arrays of bytes with their sizes in front, plain or compressed with gzip.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct IdxArray {
  std::vector<std::int64_t> dims;
  std::vector<std::uint8_t> bytes;  // row-major, as many as the sizes say
};

// Reads an array of bytes of `rank` dimensions. Throws Error (surroundings), one sentence that names the
// file, what is wrong with it and the remedy: it cannot be read, is no IDX file of bytes and that rank, ends
// early, goes on after its end, or its gzip data is damaged.
IdxArray read_idx(const std::string& path, int rank);

}  // namespace tapescope
