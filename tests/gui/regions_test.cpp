// Regions of the window: at every size and scale nothing overlaps and nothing lies outside.
#include <cmath>
#include <initializer_list>
#include <string>

#include <fmt/format.h>

#include "tests/support/approval.h"
#include "tests/support/catch.h"
#include "viewer/ui/widgets.h"
#include "viewer/window/regions.h"

using namespace tapescope::ui;

namespace {

bool overlap(const Rect& a, const Rect& b) {
  if (a.empty() || b.empty()) return false;
  const float e = 0.01f;
  return a.x + e < b.right() && b.x + e < a.right() && a.y + e < b.bottom() && b.y + e < a.bottom();
}

}  // namespace

TEST_CASE("regions never overlap and never leave the window") {
  for (const auto& [width, height] : {std::pair{1600.0f, 1000.0f},
                                      {800.0f, 500.0f},
                                      {640.0f, 400.0f},
                                      {3840.0f, 2160.0f},
                                      {320.0f, 200.0f}}) {
    for (const float scale : {0.75f, 1.0f, 1.5f, 2.0f, 3.0f}) {
      for (const bool columns : {true, false}) {
        for (const bool closed : {true, false}) {
          INFO(width << "x" << height << " at " << scale << (columns ? " with" : " without") << " columns");
          const Regions r = place_regions(width, height, metrics_at(scale), Settings{},
                                          {columns, columns, closed, false, false, columns, columns});
          const Rect all[] = {r.menu,           r.toolbar,         r.left,           r.centre,
                              r.column,         r.right,           r.tabs,           r.bottom,
                              r.second,         r.status,          r.left_splitter,  r.column_splitter,
                              r.right_splitter, r.bottom_splitter, r.second_splitter};
          const bool fits = height >= 200 * scale;
          for (std::size_t i = 0; i < std::size(all); ++i) {
            if (all[i].empty()) continue;
            CHECK(all[i].x >= 0);
            CHECK(all[i].right() <= width + 0.01f);
            if (!fits) continue;
            CHECK(all[i].bottom() <= height + 0.01f);
            for (std::size_t j = i + 1; j < std::size(all); ++j) CHECK_FALSE(overlap(all[i], all[j]));
          }
        }
      }
    }
  }
}

TEST_CASE("a panel stands beside the graph where the graph stays wide, and a second one below") {
  const RegionWishes both{.left = true, .right = true, .column = true, .second = true};
  for (const float scale : {1.0f, 2.0f}) {
    const Regions wide = place_regions(1600 * scale, 1000 * scale, metrics_at(scale), Settings{}, both);
    CHECK(wide.column.w == 340 * scale);
    CHECK(wide.centre.w >= 600 * scale);
    CHECK(wide.column.right() + metrics_at(scale).gap == wide.right.x);
    CHECK(std::abs(wide.bottom.w - wide.second.w) <= 1);
    CHECK(wide.second.right() == 1600 * scale);
  }
  CHECK(place_regions(1400, 900, metrics_at(1), Settings{}, both).column.empty());
  const Regions narrow = place_regions(1280, 720, metrics_at(1), Settings{}, both);
  CHECK(narrow.column.empty());
  CHECK(narrow.centre.right() + metrics_at(1).gap == narrow.right.x);
  CHECK_FALSE(narrow.second.empty());
  CHECK(place_regions(640, 400, metrics_at(1), Settings{}, both).second.empty());
  // However far it is dragged, the graph keeps some room.
  const Settings far{.column = 4000, .second_share = 0.9f};
  const Regions dragged = place_regions(1600, 1000, metrics_at(1), far, both);
  CHECK(dragged.centre.w >= 300);
  CHECK(dragged.bottom.w >= 150);
}

TEST_CASE("at the mock's size the regions are the mock's") {
  const Regions r = place_regions(1600, 1000, metrics_at(1), Settings{}, {});
  CHECK(r.menu.h == 28);
  CHECK(r.toolbar.h == 42);
  CHECK(r.left.w == 268);
  CHECK(r.centre.x == 274);
  CHECK(r.right.x == 1236);
  CHECK(r.tabs.y == 730);
  CHECK(r.status.y == 974);
}

TEST_CASE("in a small window the graph keeps its place and the columns give way") {
  const Regions r = place_regions(640, 400, metrics_at(1), Settings{}, {});
  CHECK(r.left.empty());
  CHECK(r.centre.w >= 300);
  CHECK(r.centre.h >= 130);
  // However far the strip below is dragged up.
  CHECK(place_regions(640, 400, metrics_at(1), Settings{.bottom = 2000}, {}).centre.h >= 130);
  CHECK(place_regions(1600, 1000, metrics_at(1), Settings{.bottom = 2000}, {}).centre.h >= 130);
  const Regions twice = place_regions(800, 500, metrics_at(2), Settings{}, {});
  CHECK(twice.left.empty());
  CHECK(twice.right.empty());
  CHECK(twice.centre.w == 800);
}

TEST_CASE("the switch between programs takes its room from what is below the toolbar") {
  for (const float scale : {0.75f, 1.0f, 2.0f}) {
    const Regions alone = place_regions(1600, 1000, metrics_at(scale), Settings{}, {});
    const Regions several = place_regions(1600, 1000, metrics_at(scale), Settings{}, {.programs = true});
    CHECK(alone.programs.empty());
    CHECK(several.programs.y == several.toolbar.bottom());
    CHECK(several.programs.h >= metrics_at(scale).hit);
    CHECK_FALSE(overlap(several.programs, several.centre));
    CHECK(several.centre.y == alone.centre.y + several.programs.h);
  }
}

// Each region where it stands, at sizes that have room for all and for less, with columns as they are and as
// they were dragged.
TEST_CASE("regions stand where it was approved") {
  std::string text;
  const auto add = [&](const char* name, const Rect& at) {
    if (!at.empty()) text += fmt::format("  {} {:.0f} {:.0f} {:.0f} {:.0f}", name, at.x, at.y, at.w, at.h);
  };
  Settings dragged;
  dragged.left = 420, dragged.right = 500, dragged.bottom = 600, dragged.column = 520,
  dragged.second_share = 0.75f;
  for (const auto& [width, height] : {std::pair{1600.0f, 1000.0f},
                                      {1250.0f, 560.0f},
                                      {900.0f, 559.0f},
                                      {699.0f, 380.0f},
                                      {500.0f, 300.0f},
                                      {320.0f, 200.0f}}) {
    for (const float scale : {1.0f, 1.25f}) {
      for (const Settings& sizes : {Settings{}, dragged}) {
        for (const RegionWishes& wishes :
             {RegionWishes{}, RegionWishes{.left = false, .column = true, .second = true},
              RegionWishes{.right = false, .programs = true, .strip = true, .column = true},
              RegionWishes{.drawer_closed = true, .strip = true, .second = true}}) {
          const Regions r = place_regions(width, height, metrics_at(scale), sizes, wishes);
          text += fmt::format("{:.0f}x{:.0f} at {}{}{}{}{}{}{}{}{}:", width, height, scale,
                              sizes == dragged ? ", dragged" : "", wishes.left ? ", left" : "",
                              wishes.right ? ", right" : "", wishes.drawer_closed ? ", closed" : "",
                              wishes.programs ? ", programs" : "", wishes.strip ? ", strip" : "",
                              wishes.column ? ", column" : "", wishes.second ? ", second" : "");
          add("menu", r.menu), add("toolbar", r.toolbar), add("programs", r.programs), add("strip", r.strip);
          add("left", r.left), add("centre", r.centre), add("column", r.column), add("right", r.right);
          add("tabs", r.tabs), add("bottom", r.bottom), add("second", r.second), add("status", r.status);
          text += "\n    splitters";
          add("left", r.left_splitter), add("column", r.column_splitter), add("right", r.right_splitter);
          add("bottom", r.bottom_splitter), add("second", r.second_splitter);
          text += "\n";
        }
      }
    }
  }
  tapescope::approve("gui/approved/regions.txt", text);
}
