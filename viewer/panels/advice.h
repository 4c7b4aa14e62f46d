// What to change, with the evidence, the saving and the place; tries the other variant where the sample has one.
#pragma once
#include "viewer/panels/panel.h"
#include "viewer/store/snapshot.h"

namespace tapescope::ui {

class AdvicePanel final : public Panel {
 public:
  std::string_view id() const override { return "advice"; }
  std::string_view title() const override { return "Advice"; }
  Place place() const override { return Place::bottom; }
  std::string badge(const PanelContext& c) const override;
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;

 private:
  void refresh(const PanelContext& c);
  void draw_row(PanelContext& c, std::size_t index);

  std::vector<AdviceRow> rows_;
  std::weak_ptr<const StepView> of_;
  std::uint64_t steps_ = 0;
  double made_at_ = -1;
};

// The variant to compare `variant` with: "optimized", or what else the sample offers; empty when there is none.
std::string variant_to_try(std::string_view sample, std::string_view variant);

}  // namespace tapescope::ui
