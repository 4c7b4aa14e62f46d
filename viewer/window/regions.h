// Where everything goes: the window's regions as rectangles. Pure arithmetic, so that tests can try every
// size.
#pragma once
#include "viewer/ui/theme.h"
#include "viewer/window/settings.h"

namespace tapescope::ui {

struct Rect {
  float x = 0, y = 0, w = 0, h = 0;
  bool empty() const { return w <= 0 || h <= 0; }
  float right() const { return x + w; }
  float bottom() const { return y + h; }
};

struct Regions {
  Rect menu, toolbar, programs, strip, left, centre, column, right, tabs, bottom, second, status;
  Rect left_splitter, column_splitter, right_splitter, bottom_splitter, second_splitter;
};

// What there is to place. A column that does not fit is left out: the centre comes first.
struct RegionWishes {
  bool left = true, right = true;
  bool drawer_closed = false;
  bool programs = false;  // the switch between several
  bool strip = false;     // of the whole run
  bool column = false;    // a panel right of the centre, where that stays wide
  bool second = false;    // a second panel in the bottom strip
};

Regions place_regions(float width, float height, const Metrics& metrics, const Settings& sizes,
                      const RegionWishes& wishes);

}  // namespace tapescope::ui
