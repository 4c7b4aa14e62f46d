// A name that others begin or end with is found alone.
#include "engine/debug/find_word.h"

#include "engine/debug/program_text.h"

namespace tapescope {

std::size_t find_word(std::string_view text, std::string_view word, std::size_t from, std::size_t end) {
  if (word.empty()) return std::string_view::npos;
  for (std::size_t at = text.find(word, from); at < end; at = text.find(word, at + 1)) {
    const std::size_t behind = at + word.size();
    if ((at == 0 || !of_word(text[at - 1])) && (behind == text.size() || !of_word(text[behind]))) return at;
  }
  return std::string_view::npos;
}

}  // namespace tapescope
