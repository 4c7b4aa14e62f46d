// Escapes, character by character.
#include "engine/recording/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace tapescope::record {
namespace {

struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

// The character at the beginning of `text`, which is not empty.
Character first_of(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = at(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {lead};
  std::uint32_t code = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((at(i) & 0xc0) != 0x80) return {lead};
    code = code << 6 | (at(i) & 0x3fu);
  }
  // Longer than it has to be, half of a pair, or beyond the last one.
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[bytes] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return {lead};
  return {code, bytes, true};
}

bool is_harmless(const Character& c) {
  if (!c.valid || c.code < 0x20 || (c.code >= 0x7f && c.code < 0xa0)) return false;
  // Marks, embeddings and isolates of the bidirectional algorithm; line and paragraph separators.
  return !(c.code == 0x061c || c.code == 0x200e || c.code == 0x200f ||
           (c.code >= 0x2028 && c.code <= 0x202e) || (c.code >= 0x2066 && c.code <= 0x2069));
}

}  // namespace

std::string_view printable(std::string_view text, std::string& scratch) {
  const auto plain = [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f;
  };
  if (text.size() <= kMostTextBytes && std::all_of(text.begin(), text.end(), plain)) return text;
  scratch.clear();
  while (!text.empty()) {
    const Character c = first_of(text);
    if (scratch.size() + c.bytes > kMostTextBytes) {
      scratch += "…";
      break;
    }
    if (is_harmless(c)) scratch += text.substr(0, c.bytes);
    else if (c.code == '\n') scratch += "\\n";
    else if (c.code == '\t') scratch += "\\t";
    else if (c.code < 0x100) scratch += fmt::format("\\x{:02x}", c.code);
    else scratch += fmt::format("\\u{:04x}", c.code);
    text.remove_prefix(c.bytes);
  }
  return scratch;
}

std::string printable(std::string_view text) {
  std::string scratch;
  return std::string(printable(text, scratch));
}

}  // namespace tapescope::record
