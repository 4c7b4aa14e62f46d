// Live bytes over a step, what the peak is made of, and the tapes that are still held.
#pragma once
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

struct PeakPart {
  std::uint32_t op = kNoOp;  // that made it
  std::string name, type, held;
  std::int64_t bytes = 0;
  bool saved = false;  // kept for the backward pass
};
// The buffers alive at the peak, largest first.
std::vector<PeakPart> peak_parts(const StepView& view);

class MemoryPanel final : public Panel {
 public:
  std::string_view id() const override { return "memory"; }
  std::string_view title() const override { return "Memory"; }
  Place place() const override { return Place::bottom; }
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;
  bool has_csv() const override { return true; }

 private:
  void draw_chart(PanelContext& c, const StepView& view, ImVec2 min, ImVec2 size) const;

  std::vector<PeakPart> parts_;
  std::weak_ptr<const StepView> view_;
};

}  // namespace tapescope::ui
