// Four lanes, so that a hash costs what reading the bytes costs.
#include "engine/events/replica_hash.h"

#include <algorithm>
#include <cstring>

namespace tapescope {
namespace {

// The odd number nearest to 2^64 over the golden ratio: its products spread over all bits (Knuth, "The Art of
// Computer Programming", volume 3, 6.4).
constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15u;

std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * kGolden;
  return hash ^ hash >> 32;
}

}  // namespace

std::uint64_t replica_hash(const void* data, std::size_t count) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  std::uint64_t lanes[4] = {1, 2, 3, 4}, words[4];
  std::size_t at = 0;
  for (; at + sizeof words <= count; at += sizeof words) {
    std::memcpy(words, bytes + at, sizeof words);
    for (int lane = 0; lane < 4; ++lane) lanes[lane] = mixed(lanes[lane], words[lane]);
  }
  std::memset(words, 0, sizeof words);
  if (at < count) std::memcpy(words, bytes + at, count - at);
  std::uint64_t hash = count;
  for (int lane = 0; lane < 4; ++lane) hash = mixed(hash, mixed(lanes[lane], words[lane]));
  return std::max<std::uint64_t>(hash, 1);
}

}  // namespace tapescope
