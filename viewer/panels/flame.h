// Where a step's time went: phases, scopes and ops, each as wide as the time spent in it.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "viewer/model/op_medians.h"
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

struct FlameBox {
  std::string label;
  int depth = 0;
  double start = 0, us = 0;      // µs from the left edge, and its own width
  double self = 0;               // of it, in no box below
  std::uint32_t calls = 0;       // ops in it
  std::uint32_t op = kNoOp;      // its first op
  std::uint32_t parent = kNoOp;  // index of the box above
  Direction direction = Direction::forward;
  bool leaf = false;  // an op type
};
// Phases in the order of a step, below them scopes and op types, the widest first. Each op is as wide as its
// median. Linear in ops, times the depth.
std::vector<FlameBox> make_flame(const StepView& view, const OpMedians& medians);

class FlamePanel final : public Panel {
 public:
  std::string_view id() const override { return "flame"; }
  std::string_view title() const override { return "Flame"; }
  Place place() const override { return Place::bottom; }
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;
  bool has_csv() const override { return true; }

 private:
  // A program's boxes: of a comparison A's stand above B's, on one scale.
  struct Program {
    std::vector<FlameBox> boxes;
    std::vector<std::string> paths;                // of the boxes
    std::map<std::string, std::uint32_t> by_path;  // which box
    std::size_t steps = 0;                         // whose medians they are
    std::weak_ptr<const StepView> view;

    double us() const;  // of the whole step
    const FlameBox* at(const std::string& path) const;
  };

  void refresh(const PanelContext& c, int program);
  // From the cursor down.
  void draw_program(PanelContext& c, int program, double width_us);
  void tooltip(PanelContext& c, int program, std::uint32_t index) const;

  std::array<Program, 2> programs_;
  std::string zoom_;  // path of the box that fills the width; empty: all
};

}  // namespace tapescope::ui
