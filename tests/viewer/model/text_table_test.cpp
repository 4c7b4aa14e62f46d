// Tables for people: aligned for a terminal, and as Markdown.
#include "viewer/model/text_table.h"

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("a table of Markdown has its columns' alignment, and no cell ends early") {
  TextTable table({"op", ">time"});
  table.row({"a|b", "1.0 µs"});
  table.row({"two\nlines"});
  CHECK(table.markdown() == "| op | time |\n|---|---:|\n| a\\|b | 1.0 µs |\n| two lines |  |\n");
  CHECK(markdown_text("*a_b* <c> `d`") == "\\*a\\_b\\* \\<c> \\`d\\`");
}
