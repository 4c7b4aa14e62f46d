// Texts of recordings as they are shown.
#include "engine/recording/printable.h"

#include "tests/support/catch.h"

using namespace tapescope::record;

TEST_CASE("what a terminal would obey is escaped", "[record]") {
  CHECK(printable("a\x1b[31mred") == "a\\x1b[31mred");
  CHECK(printable("\x1b]0;title\a") == "\\x1b]0;title\\x07");
  CHECK(printable("two\nlines\r\tand\x7f") == "two\\nlines\\x0d\\tand\\x7f");
  CHECK(printable("c1: \xc2\x9b"
                  "31m") == "c1: \\x9b31m");
  CHECK(printable("abc\u202exe.c\u2066") == "abc\\u202exe.c\\u2066");
  CHECK(printable("\x80 \xff \xc0\xaf \xed\xa0\x80") == "\\x80 \\xff \\xc0\\xaf \\xed\\xa0\\x80");
  CHECK(printable("cut \xe2\x82") == "cut \\xe2\\x82");
}

TEST_CASE("other texts are what they were", "[record]") {
  for (const char* text : {"", "w", "model/dense_1", "∂loss/∂w · é 漢字 😀", "a\\nb"})
    CHECK(printable(text) == text);
  CHECK(printable(std::string(kMostTextBytes, 'x')) == std::string(kMostTextBytes, 'x'));
}

TEST_CASE("a long text is cut between two characters, with a mark", "[record]") {
  CHECK(printable(std::string(100'000, 'x')) == std::string(kMostTextBytes, 'x') + "…");
  std::string wide;
  while (wide.size() < 10'000) wide += "漢";
  const std::string cut = printable(wide);
  CHECK(cut.size() <= kMostTextBytes + 3);
  CHECK(cut == wide.substr(0, kMostTextBytes / 3 * 3) + "…");
}
