// The UI map: where every interactive item of the last frame is, under a stable id, for scripts and tests.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "imgui.h"

namespace tapescope::ui {

struct UiItem {
  std::string id;                    // "toolbar/run", "tab/ops", "gradients/row/w", "graph/op/17"
  std::string label;                 // what a person reads there
  float x = 0, y = 0, w = 0, h = 0;  // window pixels
  bool enabled = true;
};

class UiMap {
 public:
  void begin_frame();
  // The item that ImGui drew last.
  void item(std::string_view id, std::string_view label, bool enabled = true);
  // Something drawn by hand, such as a node of the graph.
  void rect(std::string_view id, std::string_view label, ImVec2 min, ImVec2 max, bool enabled = true);
  // Set by the tooltip helpers, so that a test can find buttons without one.
  void has_tooltip(std::string_view id);

  const std::vector<UiItem>& items() const { return items_; }
  // The item of that id, or null.
  const UiItem* find(std::string_view id) const;
  // Ids that were given twice in this frame: a defect, looked for by tests.
  const std::vector<std::string>& duplicates() const { return duplicates_; }
  bool tooltip_of(std::string_view id) const;
  std::uint64_t frame() const { return frame_; }

 private:
  std::uint64_t frame_ = 0;
  std::vector<UiItem> items_;
  std::map<std::string, std::size_t, std::less<>> index_;
  std::map<std::string, bool, std::less<>> tooltips_;  // over all frames
  std::vector<std::string> duplicates_;
};

}  // namespace tapescope::ui
