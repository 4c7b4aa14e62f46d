// Moves the graph's camera: fit, focus, follow, within 200 ms; notices when the user takes it over.
#pragma once
#include "viewer/panels/graph_canvas.h"
#include "viewer/ui/state.h"

namespace tapescope::ui {

class GraphCamera {
 public:
  // To be called each frame before drawing. `canvas` is one pane's size; `selected` and `now` are boxes or
  // kNone. True while it moves.
  bool update(AppState& state, const GraphPicture& picture, ImVec2 canvas, float scale, double time,
              std::uint32_t selected, std::uint32_t now);
  // A new program: the next fit may show a tall graph from its top instead of as a thread.
  void forget() { first_ = true, automatic_ = true, moving_ = false; }
  // The user moved the camera in this panel.
  void taken_over() { automatic_ = false, moving_ = false; }
  // Keeps the middle of a box where it is on screen while the layout around it changes.
  static void keep_in_place(AppState& state, const layout::Box& before, const layout::Box& after);

 private:
  struct Place {
    float x = 0, y = 0, zoom = 1;
  };
  static Place fitted(const layout::Layout& layout, ImVec2 canvas, float scale, bool from_top);
  static bool in_view(const Place& place, const layout::Box& box, ImVec2 canvas, float scale);
  void go(AppState& state, Place to, bool at_once, double time);

  bool first_ = true;      // nothing was fitted yet
  bool automatic_ = true;  // fitted, and the user has not moved since: stays fitted
  bool from_top_ = true;   // how it was fitted
  bool moving_ = false;
  double since_ = 0;
  Place from_, to_, last_;
  std::uint32_t followed_ = layout::kNone;
  float scale_ = 0;  // of the last frame
  ImVec2 fitted_canvas_{0, 0};
  std::uint64_t fitted_signature_ = 0;
};

}  // namespace tapescope::ui
