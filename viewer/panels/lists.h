// Two panels that are lists of sentences: functions with their traces, and the log.
#pragma once
#include "viewer/panels/panel.h"
#include "viewer/store/snapshot.h"

namespace tapescope::ui {

class FunctionsPanel final : public Panel {
 public:
  std::string_view id() const override { return "functions"; }
  std::string_view title() const override { return "Functions"; }
  Place place() const override { return Place::bottom; }
  std::string badge(const PanelContext& c) const override;  // retraces
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;
};

class LogPanel final : public Panel {
 public:
  std::string_view id() const override { return "log"; }
  std::string_view title() const override { return "Log"; }
  Place place() const override { return Place::bottom; }
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;

 private:
  std::vector<std::uint32_t> shown_;  // lines that match the filter
  std::string filter_;
  std::uint64_t version_ = 0;
};

}  // namespace tapescope::ui
