// One row per op type, or per op: calls, times in both directions, their ratio, share, FLOPs, saved bytes.
#pragma once
#include <array>
#include <cmath>

#include "viewer/model/op_medians.h"
#include "viewer/panels/step_at_cursor.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

struct OpsRow {
  std::string name;
  std::string_view op;
  std::uint32_t index = kNoOp;  // by node: the op
  double calls = 0, forward_us = 0, backward_us = 0;
  double served_us = 0;        // its runs in the backward steps of others, where it has no time of its kind
  double ratio = 0;            // backward over forward; NaN where either is missing
  double share = 0;            // of the step's op time
  double flops = 0, rate = 0;  // FLOP; GFLOP/s
  double bytes = 0;            // read and written
  double of_roof = NAN;  // rate over what the machine can do at most for such work, 0 to 1; NaN: not known
  double saved = 0;      // bytes
  std::vector<float> series;  // µs a step, both directions
};

enum class OpsColumn : std::uint8_t {
  name,
  calls,
  forward,
  backward,
  ratio,
  share,
  flops,
  rate,
  roof,
  saved,
  series,
  count_
};

struct OpsTable {
  std::vector<OpsRow> rows;
  double most_us = 0;      // of either direction: both bars have one scale
  std::size_t hidden = 0;  // rows the filter hides
};
// By op type, as the store keeps them.
OpsTable ops_by_type(const Snapshot& snapshot, std::string_view filter);
// One row per op of the step; backward ops belong to the row of their forward op.
OpsTable ops_by_node(const StepView& view, std::string_view filter, const OpMedians& medians);
// Fills of_roof.
void hold_against(OpsTable& table, const MachineRoof& roof);
void sort_ops(OpsTable& table, OpsColumn column, bool ascending);
// With tabs between columns.
std::string ops_plain(const OpsTable& table);

class OpsPanel final : public Panel {
 public:
  std::string_view id() const override { return "ops"; }
  std::string_view title() const override { return "Ops"; }
  Place place() const override { return Place::bottom; }
  void draw_header(PanelContext& c) override;
  void draw(PanelContext& c) override;
  std::string text(const PanelContext&) const override { return ops_plain(table_); }
  bool has_csv() const override { return true; }

 private:
  void refresh(PanelContext& c);
  void draw_head(PanelContext& c, const std::array<float, 12>& x);
  void draw_row(PanelContext& c, std::size_t index, const std::array<float, 12>& x);

  OpsTable table_;
  OpsColumn sorted_by_ = OpsColumn::share;
  bool ascending_ = false, by_node_ = false;
  bool stale_ = true;
  bool roofed_ = false;                 // the machine was measured when it was made
  std::weak_ptr<const StepView> view_;  // the step, and the version of the picture, that it was made from
  std::uint64_t version_ = 0;
  std::string filter_;
  std::array<char, 256> typed_{};  // the filter field's text
};

}  // namespace tapescope::ui
