// What is wrong with a run, most important first: a pure function of the tables.
#pragma once
#include <span>
#include <unordered_set>
#include <vector>

#include "viewer/store/alert_thresholds.h"
#include "viewer/store/gradient_table.h"
#include "viewer/store/snapshot.h"
#include "viewer/store/tape_holds.h"

namespace tapescope {

struct AlertInputs {
  const StepView* view = nullptr;  // of the step that the rows are of; null: none yet
  std::span<const GradientRow> gradients;
  const std::unordered_set<TensorId>* skipped = nullptr;  // gradients that are not finite and do not count
  const GradientTable* table = nullptr;
  std::span<const MetricSeries> metrics;
  std::span<const TapesOfLine> tapes;
  std::span<const FunctionRow> functions;
  AlertThresholds thresholds;
  std::uint64_t step_base = 0;  // Snapshot::step_base
};

std::vector<AlertRow> make_alerts(const AlertInputs& inputs);

}  // namespace tapescope
