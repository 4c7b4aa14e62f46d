// What needs looking at, most important first: a sign, the subject, the reason and the place.
#pragma once
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {

struct AlertText {
  Sign sign = Sign::info;
  Color color = Color::caution;
  std::string subject;  // "temperature has no gradient"
  std::string detail;   // "stop_gradient · mnist_mlp.cpp:37"
};
// `reason` of the row of the same source, for None.
AlertText describe_alert(const AlertRow& row, std::string_view reason = {});

class AlertsPanel final : public Panel {
 public:
  std::string_view id() const override { return "alerts"; }
  std::string_view title() const override { return "Alerts"; }
  Place place() const override { return Place::left; }
  bool shown(const PanelContext& c) const override { return !c.comparing(); }
  float wanted_height(const PanelContext& c) const override;
  std::string badge(const PanelContext& c) const override;
  void draw_header(PanelContext& c) override;  // the thresholds, to be looked at and changed
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;

 private:
  float story_height_ = 0;  // of the words beneath the selected row, in pixels
};

}  // namespace tapescope::ui
