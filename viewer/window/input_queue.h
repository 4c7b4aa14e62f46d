// Input that a script or a test makes: one step a frame, as ImGui needs a frame to see each of them.
#pragma once
#include <deque>
#include <string>

#include "viewer/window/workbench.h"

namespace tapescope::ui {

class InputQueue {
 public:
  // Moves there, presses, releases.
  void click(ImVec2 at, int button = 0);
  void drag(ImVec2 from, ImVec2 to);
  void wheel(ImVec2 at, float amount);
  void move(ImVec2 at);
  void key(const Chord& chord);
  void text(std::string utf8);

  // Between the backend's new frame and ImGui's.
  void apply(ImGuiIO& io, Workbench& workbench);
  // Nothing is left, and ImGui has seen all of it.
  bool empty() const { return steps_.empty() && rest_ == 0; }

 private:
  struct Step {
    enum class Kind { move, press, release, wheel, key_down, key_up, text } kind;
    ImVec2 at{0, 0};
    int button = 0;
    float amount = 0;
    Chord chord{};
    std::string text{};
  };
  std::deque<Step> steps_;
  int rest_ = 0;  // frames until what the last step caused is on the screen
  ImVec2 at_{-1, -1};
  bool pressed_ = false;
  int button_ = 0;
};

}  // namespace tapescope::ui
