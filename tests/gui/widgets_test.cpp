// Words over several lines.
#include "viewer/ui/widgets.h"

#include "tests/support/catch.h"
#include "viewer/ui/fonts.h"

using namespace tapescope;
using namespace tapescope::ui;

TEST_CASE("lines are broken at blanks, not within a number") {
  ImFontAtlas atlas;
  const ImFont* font = bake_fonts(atlas, 1).text;
  const auto lines = [&](std::string_view text, std::string_view room) {
    return in_lines(font, text, text_width(font, room));
  };
  CHECK(lines("", "x") == "");
  CHECK(lines("one two", "one two") == "one two");
  CHECK(lines("the loss is 0.2345", "the loss is 0.2") == "the loss is\n0.2345");
  CHECK(lines("of 30,720 bytes", "of 30,7") == "of\n30,720\nbytes");
  CHECK(lines("one  two", "one t") == "one\ntwo");
  CHECK(lines("first\n\nsecond line", "second l") == "first\n\nsecond\nline");
  CHECK(lines("ends\n", "ends") == "ends\n");
  // A word wider than the room is broken where it must be, and nothing of it is lost.
  const std::string broken = lines("see model/dense_1/kernel", "model/d");
  CHECK(broken.starts_with("see\n"));
  std::string whole;
  for (const char letter : broken) {
    if (letter != '\n') whole += letter;
  }
  CHECK(whole == "seemodel/dense_1/kernel");
  CHECK(in_lines(font, "αβ", 0).size() == std::string_view("α\nβ").size());
  CHECK(lines("a b 1.5", "a b 1.") == "a b\n1.5");
  CHECK(lines("last  ", "last") == "last  ");  // blanks at the end take no room
}

TEST_CASE("a path that is too long keeps its end, another name its beginning") {
  ImFontAtlas atlas;
  const ImFont* font = bake_fonts(atlas, 1).text;
  const auto shown = [&](std::string_view name, std::string_view room) {
    return elide_name(font, name, text_width(font, room) + 0.5f);
  };
  CHECK(shown("model/hidden/kernel", "model/hidden/kernel") == "model/hidden/kernel");
  CHECK(shown("model/hidden/kernel", "…en/kernel") == "…en/kernel");
  CHECK(shown("model/scores/kernel", "…es/kernel") == "…es/kernel");
  CHECK(shown("classifier/extra/kernel", "…fier/extra/kernel") == "…/extra/kernel");
  CHECK(shown("model.encoder.0.weight", "…oder.0.weight") == "…0.weight");
  CHECK(shown("learning_rate", "learn…") == "learn…");
  CHECK(shown("modèle/é", "…/é") == "…/é");
  CHECK(fitting_end("abc", 0, [](std::string_view part) { return float(part.size()); }).empty());
}
