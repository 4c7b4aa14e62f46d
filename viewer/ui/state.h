// What the user is looking at: cursor, selection, filter, camera, theme. The one home of all of it.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "viewer/ui/theme.h"

namespace tapescope::ui {

// Where the program stands on its tape: forward nodes of the step, then its backward nodes.
// Panels read it; to move it they post "seek N", "step-forward" and the like.
struct StepPosition {
  std::uint64_t position = 0;  // nodes executed; 0 is before the first
  std::uint64_t count = 0;     // nodes of the step
  std::uint64_t forward = 0;   // how many of them are forward nodes
  bool live = false;           // a program is paused there; else it is the end of what was recorded
  bool backward() const { return position > forward; }
};

struct Selection {
  enum class Kind : std::uint8_t { none, op, source, alert, line };
  Kind kind = Kind::none;
  std::uint64_t index = 0;  // op: into the shown StepView::ops, as in "graph/op/N"; alert, source: its row
  std::string name;         // source: the variable's or tensor's name; line: "train.py:41"
  int program = 0;          // 0 is A, 1 is B
  bool operator==(const Selection&) const = default;
};

// Steps of a run that the user looks at, both included.
struct StepRange {
  std::uint64_t first = 1, last = 0;
  std::uint64_t asked = 0;  // grows with each choice, so that the same one may be made again
  bool empty() const { return last < first; }
};

// What undo takes back, and what a change of is pushed on the undo list.
struct View {
  Selection selection;
  std::string filter;
  std::map<std::uint64_t, bool> folds;  // by scope key: closed or open; absent: as the layout thinks best
  bool operator==(const View&) const = default;
};

// The graph's camera: the canvas point in the middle and pixels per canvas unit (already with the scale).
struct Camera {
  float x = 0, y = 0;
  float zoom = 1;
  enum class Wish : std::uint8_t { none, fit, focus_selection, follow_cursor };
  Wish wish = Wish::fit;  // what the graph is to do next frame; the graph clears it
};

// What belongs to a program, and is kept where another one takes its place for a while.
struct ProgramPlace {
  View view;
  std::vector<View> undo;
  std::vector<Selection> visited;
  std::size_t visited_at = 0;  // one past the place in visited
  StepPosition cursor;
  Camera camera;
  std::optional<std::uint64_t> health_step;
  StepRange chosen_steps;
};

class AppState {
 public:
  // --- what undo covers; changing it goes through these
  const View& view() const { return view_; }
  const Selection& selection() const { return view_.selection; }
  const std::string& filter() const { return view_.filter; }
  std::uint64_t folds_version() const {
    return folds_version_;
  }                                  // another one when the folds may have changed
  void select(Selection selection);  // also enters the back-and-forward history
  void set_filter(std::string filter);
  void set_fold(std::uint64_t scope, bool closed);
  bool undo();     // false when there is nothing to take back
  bool go_back();  // earlier selections
  bool go_forward();
  bool can_undo() const { return !undo_.empty(); }
  bool can_go_back() const { return visited_at_ > 1; }
  bool can_go_forward() const { return visited_at_ < visited_.size(); }
  // Everything that belongs to the program shown so far is forgotten.
  void forget_program() { put_place({}); }
  ProgramPlace place() const;
  void put_place(ProgramPlace place);

  // --- freely written
  StepPosition cursor;
  Camera camera;
  ThemeName theme = ThemeName::dark;
  float scale = 1;  // the user's, on top of the screen's content scale
  bool reduce_motion = false;
  std::string panel = "graph";               // the panel used last, or asked for
  std::string bottom_tab = "ops";            // the tab that is open in the bottom strip
  std::string second_tab;                    // the one that is open beside it; empty: none
  bool drawer_closed = false;                // the bottom strip shows its tabs only
  std::string maximized;                     // panel that fills the window; empty: none
  std::string find_text;                     // what N and Shift+N look for
  std::optional<std::uint64_t> health_step;  // the step whose gradients are shown; empty: the last one
  StepRange chosen_steps;                    // marked in the strip of the run; empty: none
  int graph_colour = 0;                      // what the graph is coloured by; the graph's own numbering

 private:
  View view_;
  std::uint64_t folds_version_ = 0;
  std::vector<View> undo_;
  std::vector<Selection> visited_;
  std::size_t visited_at_ = 0;  // one past the place in visited_
};

}  // namespace tapescope::ui
