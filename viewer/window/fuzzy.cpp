// How well a typed pattern fits a text: letters in order, best where words begin and where they touch.
#include <cctype>

#include "viewer/window/chrome.h"

namespace tapescope::ui {

int fuzzy_score(std::string_view pattern, std::string_view text) {
  // Nothing typed fits all alike: they keep the order they have.
  if (pattern.find_first_not_of(' ') == pattern.npos) return 0;
  const auto lower = [](char x) { return static_cast<char>(std::tolower(static_cast<unsigned char>(x))); };
  int score = 0;
  std::size_t at = 0;
  bool touching = false;
  for (const char letter : pattern) {
    if (letter == ' ') {
      touching = false;
      continue;
    }
    const std::size_t before = at;
    while (at < text.size() && lower(text[at]) != lower(letter)) ++at;
    if (at == text.size()) return -1;
    const bool word_begins = at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]));
    score += 1 + (word_begins ? 6 : 0) + (touching && at == before ? 4 : 0);
    touching = true;
    ++at;
  }
  // Of two that fit alike the shorter one is meant.
  return score * 8 - static_cast<int>(text.size() < 100 ? text.size() : 100) / 4 + 25;
}

}  // namespace tapescope::ui
