// A card of the first screen: its frame with title and keys, and fields in it.
#pragma once
#include <string>

#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"

namespace tapescope::ui {

class StartCard {
 public:
  StartCard(PanelContext& c, const char* id, const char* title, const std::string& keys, const Rect& at);

  const Rect& inside() const { return inside_; }
  // It has little height: its contents are to take less.
  bool low() const { return low_; }
  // A field at the foot of `at` with its label above it. True where Enter ends it.
  bool field(const char* id, const char* label, const std::string& hint, const char* tooltip,
             std::string& text, const Rect& at, bool focus = false);
  // One of the fields so far is typed in.
  bool active() const { return active_; }
  // Draws its edge, which says whether one of its fields is typed in.
  void end();

 private:
  PanelContext& c_;
  const Rect at_;
  const bool low_;
  const Region frame_;
  Rect inside_;
  bool active_ = false;
};

void draw_launch(Workbench& w, PanelContext& c, const Rect& at);

}  // namespace tapescope::ui
