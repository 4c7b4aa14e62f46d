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
  // Sources whose gradients that are not finite do not count, as the program skipped them and went on; null
  // where there are none.
  const std::unordered_set<TensorId>* skipped_sources = nullptr;
  const GradientTable* table = nullptr;
  std::span<const MetricSeries> metrics;
  std::span<const TapesOfLine> tapes;
  std::span<const FunctionRow> functions;
  AlertThresholds thresholds;
  std::uint64_t step_base = 0;  // Snapshot::step_base
};

std::vector<AlertRow> make_alerts(const AlertInputs& inputs);

}  // namespace tapescope
