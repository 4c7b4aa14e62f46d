// Whole words in the text of a program.
#pragma once
#include <cstddef>
#include <string_view>

namespace tapescope {

// Where the word stands as a whole, from `from` on and before `end`: "w" in "2 * w", not in "w2" or "new".
// npos where it does not, and for an empty word.
std::size_t find_word(std::string_view text, std::string_view word, std::size_t from = 0,
                      std::size_t end = std::string_view::npos);
inline bool has_word(std::string_view text, std::string_view word) {
  return find_word(text, word) != std::string_view::npos;
}

}  // namespace tapescope
