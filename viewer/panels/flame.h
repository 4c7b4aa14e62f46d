// Where a step's time went: phases, scopes and ops, each as wide as the time spent in it.
#pragma once
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
  void tooltip(PanelContext& c, const FlameBox& box) const;

  std::vector<FlameBox> boxes_;
  std::size_t steps_ = 0;  // whose medians they are
  std::weak_ptr<const StepView> view_;
  std::string zoom_;  // path of the box that fills the width; empty: all
};

}  // namespace tapescope::ui
