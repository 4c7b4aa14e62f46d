// Live bytes over a step, what the peak is made of, and the tapes that are still held.
#pragma once
#include "viewer/model/held_buffers.h"
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

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

  std::vector<HeldBuffer> parts_;  // alive at the peak
  std::weak_ptr<const StepView> view_;
};

}  // namespace tapescope::ui
