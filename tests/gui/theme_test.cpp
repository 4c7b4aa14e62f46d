// Every theme can be read: contrast of text on what it stands on, and scales that keep their order.
#include "viewer/ui/theme.h"
#include "tests/support/catch.h"

using namespace tapescope::ui;

TEST_CASE("text has a contrast of at least 4.5 to 1 on every background of every theme") {
  for (const ThemeName name : {ThemeName::dark, ThemeName::light, ThemeName::contrast}) {
    const Theme theme = Theme::make(name, 1);
    for (const TextPair& pair : Theme::text_pairs()) {
      INFO(name_of(name) << ": text " << static_cast<int>(pair.text) << " on "
                         << static_cast<int>(pair.background));
      CHECK(contrast_ratio(theme.color(pair.text), theme.color(pair.background)) >= 4.5);
    }
  }
}

TEST_CASE("the high contrast theme keeps 7 to 1 for plain text") {
  const Theme theme = Theme::make(ThemeName::contrast, 1);
  for (const Color background :
       {Color::window, Color::panel, Color::raised, Color::hovered, Color::selection}) {
    CHECK(contrast_ratio(theme.color(Color::text), theme.color(background)) >= 7);
  }
}

TEST_CASE("contrast is that of WCAG") {
  CHECK(contrast_ratio(IM_COL32(0, 0, 0, 255), IM_COL32(255, 255, 255, 255)) == Approx(21));
  CHECK(contrast_ratio(IM_COL32(119, 119, 119, 255), IM_COL32(255, 255, 255, 255)) ==
        Approx(4.48).margin(0.01));
}

TEST_CASE("the heat scale stands out more all the way, so that it reads without colour") {
  for (const ThemeName name : {ThemeName::dark, ThemeName::light, ThemeName::contrast}) {
    const Theme theme = Theme::make(name, 1);
    const ImU32 ground = name == ThemeName::light ? IM_COL32(255, 255, 255, 255) : IM_COL32(0, 0, 0, 255);
    double before = 0;
    for (int i = 0; i <= 20; ++i) {
      const double now = contrast_ratio(theme.heat(static_cast<float>(i) / 20), ground);
      CHECK(now >= before);
      before = now;
    }
  }
}

TEST_CASE("text on a heat cell is black or white, whichever reads") {
  const Theme theme = Theme::make(ThemeName::dark, 1);
  for (int i = 0; i <= 20; ++i) {
    const ImU32 cell = theme.heat(static_cast<float>(i) / 20);
    CHECK(contrast_ratio(theme.text_on(cell), cell) >= 4.5);
  }
}

TEST_CASE("a value that is not finite has the colour of what is broken") {
  const Theme theme = Theme::make(ThemeName::light, 1);
  CHECK(theme.diverging(NAN) == theme.color(Color::broken));
  CHECK(theme.diverging(0) == theme.color(Color::raised));
}

TEST_CASE("metrics grow with the scale and lines stay whole pixels") {
  CHECK(metrics_at(2).row_height == Approx(2 * metrics_at(1).row_height));
  CHECK(metrics_at(0.75f).line == 1);
  CHECK(metrics_at(1.5f).line == 1);
  CHECK(metrics_at(2).line == 2);
}

TEST_CASE("themes have names") {
  ThemeName name = ThemeName::dark;
  CHECK(parse_theme("light", name));
  CHECK(name == ThemeName::light);
  CHECK_FALSE(parse_theme("mauve", name));
  CHECK(name == ThemeName::light);
}
