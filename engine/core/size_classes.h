// Size classes of the pool: multiples of 64 up to 256 bytes, then four to each power of two.
#pragma once
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tapescope {

inline constexpr int kSizeClasses = 160;  // up to 2^47 bytes, an address space

constexpr std::uint8_t size_class_of(std::size_t bytes) {
  if (bytes <= 256) return static_cast<std::uint8_t>(bytes == 0 ? 0 : (bytes - 1) / 64);
  const int power = std::bit_width(bytes - 1) - 1;  // 2^power < bytes <= 2^(power+1)
  const std::size_t quarter = (bytes - 1 - (std::size_t{1} << power)) >> (power - 2);
  return static_cast<std::uint8_t>(4 + (power - 8) * 4 + static_cast<int>(quarter));
}

inline constexpr std::array<std::size_t, kSizeClasses> kClassBytes = [] {
  std::array<std::size_t, kSizeClasses> bytes{};
  for (std::size_t i = 0; i < 4; ++i) bytes[i] = (i + 1) * 64;
  for (std::size_t i = 4; i < kSizeClasses; ++i) {
    const std::size_t power = 8 + (i - 4) / 4;
    bytes[i] = (std::size_t{1} << power) + ((i - 4) % 4 + 1) * (std::size_t{1} << (power - 2));
  }
  return bytes;
}();
static_assert(kClassBytes[size_class_of(257)] == 320 && kClassBytes[size_class_of(1024)] == 1024 &&
              kClassBytes[size_class_of(1025)] == 1280);

}  // namespace tapescope
