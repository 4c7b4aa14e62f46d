// Loss and metrics over steps, both programs of a comparison overlaid.
#pragma once
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

// The smallest and largest value of each column of pixels; a column without a point is left out.
struct LossColumn {
  float x = 0;                         // 0..1 across
  double low = 0, high = 0, last = 0;  // of its finite points; not finite where there are none
  bool broken = false;                 // a point is not finite
};
std::vector<LossColumn> thin_out(const Series<MetricPoint>& points, std::uint64_t first, std::uint64_t last,
                                 std::size_t columns);
// Round marks between two values, at most `most` of them, ends within.
std::vector<double> axis_marks(double low, double high, int most);

class LossPanel final : public Panel {
 public:
  std::string_view id() const override { return "loss"; }
  std::string_view title() const override { return "Loss"; }
  Place place() const override { return Place::bottom; }
  void draw_header(PanelContext& c) override;
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;
  bool has_csv() const override { return true; }

 private:
  const MetricSeries* metric(const Snapshot* snapshot) const;
  std::string chosen_;  // metric; empty: the first, which is the loss
};

}  // namespace tapescope::ui
