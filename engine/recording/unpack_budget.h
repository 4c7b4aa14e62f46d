// What a recording may become in memory: packed, some hundred bytes can stand for 16 MiB, chunk after chunk.
#pragma once
#include <cstdint>

namespace tapescope::record {

// Small recordings may grow as they like. Of large ones the limits are some ten times what programs write,
// whose times and ids do not pack any better. `file_bytes` are those read so far.
class UnpackBudget {
 public:
  void unpacked(std::uint64_t bytes) { unpacked_ += bytes; }
  void kept(std::uint64_t bytes) { kept_ += bytes; }  // as long as the reader lives
  // What may still be kept.
  std::uint64_t left(std::uint64_t file_bytes) const {
    const std::uint64_t most = kKept + kKeptPerByte * file_bytes;
    return most > kept_ ? most - kept_ : 0;
  }
  bool holds(std::uint64_t file_bytes) const {
    return unpacked_ <= kUnpacked + kUnpackedPerByte * file_bytes && left(file_bytes) > 0;
  }

 private:
  static constexpr std::uint64_t kUnpacked = 256u << 20, kUnpackedPerByte = 100;
  static constexpr std::uint64_t kKept = 96u << 20, kKeptPerByte = 8;
  std::uint64_t unpacked_ = 0, kept_ = 0;
};

}  // namespace tapescope::record
