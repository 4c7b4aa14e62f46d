// The columns give way before the centre does, the bottom strip before the graph.
#include "viewer/window/regions.h"

#include <algorithm>
#include <cmath>

namespace tapescope::ui {
namespace {
// At scale 1: below these a region says nothing any more.
constexpr float kLeastLeft = 180, kLeastRight = 220, kLeastCentre = 300, kLeastGraph = 130, kLeastStrip = 70;
constexpr float kLeastColumn = 280, kLeastBesideColumn = 560, kLeastForTwo = 700;
constexpr float kProgramsBar = 30, kRunStrip = 40, kLeastForRun = 560;
// Shares of the window that no region outgrows in a small one; sizes the user dragged may.
constexpr float kMostLeft = 0.24f, kMostRight = 0.28f, kMostStrip = 0.42f, kMostColumn = 0.36f;

// Right of what is left of the centre.
void place_column(const Metrics& m, const Settings& sizes, Regions& r) {
  const Rect all = r.centre;
  if (all.w < m.px(kLeastColumn + kLeastBesideColumn) + m.gap) return;
  float width = m.px(sizes.column);
  if (sizes.column <= Settings{}.column) width = std::min(width, all.w * kMostColumn);
  width = std::round(std::clamp(width, m.px(kLeastColumn), all.w - m.gap - m.px(kLeastCentre)));
  r.column = {all.right() - width, all.y, width, all.h};
  r.centre.w = all.w - width - m.gap;
  r.column_splitter = {r.centre.right(), all.y, m.gap, all.h};
}

void place_second(const Metrics& m, const Settings& sizes, Regions& r) {
  const Rect all = r.bottom;
  if (all.empty() || all.w < m.px(kLeastForTwo)) return;
  const float width = std::round((all.w - m.gap) * sizes.second_share);
  r.second = {all.right() - width, all.y, width, all.h};
  r.bottom.w = all.w - width - m.gap;
  r.second_splitter = {r.bottom.right(), all.y, m.gap, all.h};
}

}  // namespace

Regions place_regions(float width, float height, const Metrics& m, const Settings& sizes,
                      const RegionWishes& wishes) {
  Regions r;
  r.menu = {0, 0, width, m.menu_height};
  r.toolbar = {0, r.menu.bottom(), width, m.toolbar_height};
  r.status = {0, height - m.status_height, width, m.status_height};
  r.programs = {0, r.toolbar.bottom(), width, wishes.programs ? std::round(m.px(kProgramsBar)) : 0};
  // A small window has no room to spare for the run.
  const bool strip_fits = wishes.strip && height >= m.px(kLeastForRun);
  r.strip = {0, r.programs.bottom(), width, strip_fits ? std::round(m.px(kRunStrip)) : 0};
  const float top = r.strip.bottom() + std::round(m.px(2));
  const float bottom = r.status.y;
  const float room = std::max(0.0f, bottom - top);

  // Downwards: graph, splitter, tabs, strip.
  float strip = wishes.drawer_closed ? 0 : std::round(m.px(sizes.bottom)) - m.tab_height;
  if (sizes.bottom <= Settings{}.bottom) strip = std::min(strip, std::round(room * kMostStrip));
  const float strip_room = room - m.gap - m.tab_height - m.px(kLeastGraph);
  strip = strip_room < m.px(kLeastStrip)
              ? 0
              : std::clamp(strip, std::min(m.px(kLeastStrip), strip_room), strip_room);
  if (wishes.drawer_closed) strip = 0;
  r.bottom = {0, bottom - strip, width, strip};
  r.tabs = {0, r.bottom.y - m.tab_height, width, m.tab_height};
  r.bottom_splitter = {0, r.tabs.y - m.gap, width, m.gap};
  const float high = std::max(0.0f, r.bottom_splitter.y - top);

  // Across: left, splitter, centre, splitter, right.
  float left = wishes.left ? m.px(sizes.left) : 0;
  float right = wishes.right ? m.px(sizes.right) : 0;
  if (sizes.left <= Settings{}.left) left = std::min(left, width * kMostLeft);
  if (sizes.right <= Settings{}.right) right = std::min(right, width * kMostRight);
  if (wishes.left) left = std::max(left, m.px(kLeastLeft));
  if (wishes.right) right = std::max(right, m.px(kLeastRight));
  const auto centre = [&] { return width - left - right - (left > 0 ? m.gap : 0) - (right > 0 ? m.gap : 0); };
  float lack = m.px(kLeastCentre) - centre();
  if (lack > 0 && right > 0) {
    const float give = std::min(lack, right - m.px(kLeastRight));
    right -= give;
    lack -= give;
  }
  if (lack > 0 && left > 0) {
    const float give = std::min(lack, left - m.px(kLeastLeft));
    left -= give;
    lack -= give;
  }
  if (lack > 0.5f && left > 0) {
    left = 0;
    // The room it leaves goes back to the right column as far as it wants it.
    if (right > 0) right = std::max(right, std::min(m.px(sizes.right), width - m.gap - m.px(kLeastCentre)));
    lack = m.px(kLeastCentre) - centre();
  }
  if (lack > 0.5f && right > 0) right = 0;
  left = std::round(left);
  right = std::round(right);
  r.left = {0, top, left, high};
  r.right = {width - right, top, right, high};
  const float from = left > 0 ? left + m.gap : 0;
  const float to = right > 0 ? r.right.x - m.gap : width;
  r.centre = {from, top, std::max(0.0f, to - from), high};
  if (left > 0) r.left_splitter = {left, top, m.gap, high};
  if (right > 0) r.right_splitter = {to, top, m.gap, high};
  if (wishes.column) place_column(m, sizes, r);
  if (wishes.second) place_second(m, sizes, r);
  return r;
}

}  // namespace tapescope::ui
