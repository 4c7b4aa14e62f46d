// Names are found whole, wherever they stand.
#include "engine/debug/find_word.h"

#include <string>

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("a name is found where it stands alone, and not in a longer one", "[source]") {
  constexpr std::size_t kNone = std::string_view::npos;
  CHECK(find_word("w", "w") == 0);
  CHECK(find_word("2 * w", "w") == 4);
  CHECK(find_word("w2 + new_w + _w + w.T", "w") == 18);
  CHECK(find_word("2*w", "w") == 2);
  CHECK(find_word("new", "w") == kNone);
  CHECK(find_word("w_", "w") == kNone);
  CHECK(find_word("", "w") == kNone);
  CHECK(find_word("w", "") == kNone);
  CHECK(find_word("w + w", "w", 1) == 4);
  CHECK(find_word("w + w", "w", 5) == kNone);
  CHECK(find_word("aa aaa aa", "aa", 1) == 7);
  CHECK(find_word("w + w", "w", 1, 5) == 4);
  CHECK(find_word("w + w", "w", 1, 4) == kNone);
  // Whatever stands before and after it.
  for (int letter = 1; letter < 128; ++letter) {
    const char beside = static_cast<char>(letter);
    const bool of_name =
        std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_").find(beside) !=
        kNone;
    CHECK(has_word(std::string(1, beside) + "rate = 0", "rate") == !of_name);
    CHECK(has_word(std::string("= rate") + beside, "rate") == !of_name);
  }
}
