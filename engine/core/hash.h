// FNV-1a, 64 bits: for values that are compared, never attacked.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tapescope {

inline constexpr std::uint64_t kEmptyHash = 0xcbf29ce484222325u;

inline std::uint64_t hash_of(const void* data, std::size_t bytes, std::uint64_t before = kEmptyHash) {
  const auto* byte = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) before = (before ^ byte[i]) * 0x100000001b3u;
  return before;
}
inline std::uint64_t hash_of(std::string_view text, std::uint64_t before = kEmptyHash) {
  return hash_of(text.data(), text.size(), before);
}

}  // namespace tapescope
