// What the program and the tool said, line by line.
#pragma once
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

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
