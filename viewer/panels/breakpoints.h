// The breakpoints of the sample: what each waits for, how often it was met, on or off, edited, removed.
#pragma once
#include "viewer/panels/breakpoint_form.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

class BreakpointsPanel final : public Panel {
 public:
  std::string_view id() const override { return "breakpoints"; }
  std::string_view title() const override { return "Breakpoints"; }
  Place place() const override { return Place::bottom; }
  std::string badge(const PanelContext& c) const override;
  void draw_header(PanelContext& c) override;
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;

 private:
  BreakpointForm form_;
};

}  // namespace tapescope::ui
