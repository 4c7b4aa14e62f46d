// Rows of the ops table.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "viewer/model/machine_roof.h"
#include "viewer/panels/op_filter.h"
#include "viewer/panels/ops.h"

namespace tapescope::ui {
namespace {

double ratio_of(double backward, double forward) {
  return forward > 0 && backward > 0 ? backward / forward : NAN;
}

void finish(OpsTable& table, OpsRow row) {
  row.ratio = ratio_of(row.backward_us, row.forward_us);
  table.most_us = std::max({table.most_us, row.forward_us, row.backward_us, row.served_us});
  table.rows.push_back(std::move(row));
}

// Whether the words of a filter fit a row that stands for a whole op type; conditions on single ops are
// looked up in the step.
bool type_matches(const OpFilter& filter, const OpKindRow& kind, const StepView* view) {
  if (filter.matches_text(kind.op)) return true;
  if (view == nullptr) return false;
  return std::any_of(view->ops.begin(), view->ops.end(),
                     [&](const OpRow& row) { return row.op == kind.op && filter.matches(row); });
}

}  // namespace

OpsTable ops_by_type(const Snapshot& snapshot, std::string_view text) {
  OpsTable table;
  const OpFilter filter(text);
  const auto view = snapshot.complete ? snapshot.complete : snapshot.current;
  for (const OpKindRow& kind : snapshot.op_kinds) {
    if (!filter.empty() && !type_matches(filter, kind, view.get())) {
      ++table.hidden;
      continue;
    }
    OpsRow row;
    row.name = std::string(kind.op);
    row.op = kind.op;
    row.calls = static_cast<double>(kind.count);
    row.forward_us = kind.forward_us;
    row.backward_us = kind.backward_us;
    if (kind.forward_us == 0 && kind.backward_us == 0) row.served_us = kind.backward_run_us;
    row.share = kind.share;
    row.flops = kind.flops;
    row.bytes = kind.bytes;
    const double own_us = kind.forward_us + kind.backward_run_us;
    row.rate = own_us > 0 ? kind.flops / own_us / 1e3 : 0;
    row.saved = static_cast<double>(kind.saved_bytes);
    for (std::size_t i = 0; i < std::max(kind.forward_series.size(), kind.backward_series.size()); ++i) {
      const float forward = i < kind.forward_series.size() ? kind.forward_series[i] : 0;
      row.series.push_back(forward + (i < kind.backward_series.size() ? kind.backward_series[i] : 0));
    }
    finish(table, std::move(row));
  }
  return table;
}

OpsTable ops_by_node(const StepView& view, std::string_view text, const OpMedians& medians) {
  OpsTable table;
  const OpFilter filter(text);
  double total = 0;
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    // What a call runs has separate rows.
    if (!is_call(view.ops[i])) total += medians.run_us[i];
  }
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& op = view.ops[i];
    if (op.direction == Direction::backward && op.partner != kNoOp)
      continue;  // its forward op's row has the time
    if (!filter.matches(op)) {
      ++table.hidden;
      continue;
    }
    OpsRow row;
    row.name = op.name;
    row.op = op.op;
    row.index = i;
    row.calls = 1;
    row.forward_us = op.direction == Direction::backward ? 0 : medians.run_us[i];
    row.backward_us = op.direction == Direction::backward ? medians.run_us[i] : 0;
    if (op.direction != Direction::backward && op.backward_step < view.backward_steps.size()) {
      row.backward_us = medians.walk_us[op.backward_step];
    }
    row.share = total > 0 ? (row.forward_us + row.backward_us) / total : 0;
    row.flops = op.flops;
    row.bytes = op.bytes;
    row.rate = medians.run_us[i] > 0 ? op.flops / medians.run_us[i] / 1e3 : 0;
    row.saved = static_cast<double>(op.saved_bytes);
    finish(table, std::move(row));
  }
  return table;
}

void hold_against(OpsTable& table, const MachineRoof& roof) {
  for (OpsRow& row : table.rows) row.of_roof = row.rate / roof.at(row.flops, row.bytes, row.calls);
}

void sort_ops(OpsTable& table, OpsColumn column, bool ascending) {
  const auto key = [column](const OpsRow& row) -> double {
    switch (column) {
      case OpsColumn::calls: return row.calls;
      case OpsColumn::forward: return row.forward_us;
      case OpsColumn::backward: return row.backward_us + row.served_us;
      case OpsColumn::ratio: return std::isfinite(row.ratio) ? row.ratio : -1;
      case OpsColumn::flops: return row.flops;
      case OpsColumn::rate: return row.rate;
      case OpsColumn::roof: return std::isfinite(row.of_roof) ? row.of_roof : -1;
      case OpsColumn::saved: return row.saved;
      default: return row.share;
    }
  };
  std::stable_sort(table.rows.begin(), table.rows.end(), [&](const OpsRow& a, const OpsRow& b) {
    if (column == OpsColumn::name) return ascending ? a.name < b.name : b.name < a.name;
    return ascending ? key(a) < key(b) : key(b) < key(a);
  });
}

std::string ops_plain(const OpsTable& table) {
  std::string text =
      "op\tcalls\tforward_us\tbackward_us\tratio\tshare\tflops\tgflops_per_s\tof_roof\tsaved_bytes\n";
  for (const OpsRow& row : table.rows) {
    text += fmt::format("{}\t{}\t{:.4g}\t{:.4g}\t{}\t{:.4g}\t{:.6g}\t{:.4g}\t{}\t{:.0f}\n", row.name,
                        row.calls, row.forward_us, row.backward_us,
                        std::isfinite(row.ratio) ? fmt::format("{:.4g}", row.ratio) : "", row.share,
                        row.flops, row.rate,
                        std::isfinite(row.of_roof) ? fmt::format("{:.4g}", row.of_roof) : "", row.saved);
  }
  return text;
}

}  // namespace tapescope::ui
