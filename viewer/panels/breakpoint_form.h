// A breakpoint by choice: kinds, and the ops, names, lines and sources that this program was seen to have.
#pragma once
#include <string>
#include <vector>

#include "viewer/debugger/breakpoint_text.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

// What may stand after a condition, as far as it was seen.
struct SeenInProgram {
  std::vector<std::string> ops, names, lines, sources;
  double largest_norm = 0, smallest_norm = 0;  // of the gradients of the last step; 0: none is known
};
SeenInProgram seen_in(const Snapshot& snapshot);

class BreakpointForm {
 public:
  // The next draw() shows it; with a breakpoint that is edited, else for a new one.
  void open(const Breakpoint* edited = nullptr);
  void draw(PanelContext& c);

 private:
  void draw_kinds(PanelContext& c);
  void draw_values(PanelContext& c, const SeenInProgram& seen);
  void draw_list(PanelContext& c, const char* id, std::string_view heading,
                 const std::vector<std::string>& list, std::string& chosen, bool optional);
  void draw_limit(PanelContext& c, const SeenInProgram& seen);
  void draw_end(PanelContext& c);
  const BreakCondition& condition() const;

  Breakpoint draft_;
  std::uint32_t edited_ = 0;  // its number; 0 for a new one
  bool asked_ = false;
  std::string find_;
};

}  // namespace tapescope::ui
