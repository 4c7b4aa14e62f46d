// Looks at what the op read and made, whole or as a digest.
#include "viewer/debugger/stop_alert.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "engine/events/stats.h"
#include "viewer/model/value_figures.h"
#include "viewer/store/nonfinite.h"

namespace tapescope {
namespace {

using List = record::PlacedDigest::List;

// Of the first of those values that is not finite; nothing where all are, as far as they are known.
std::optional<TensorStats> first_wrong(const FrameView& stop, const std::vector<FrameTensor>& items,
                                       List list) {
  for (std::uint32_t i = 0; i < items.size(); ++i) {
    const record::TensorDigest* const digest = record::digest_of(stop.digests, list, i);
    const bool whole = items[i].value && is_floating(items[i].value.dtype());
    if (!whole && digest == nullptr) continue;
    const TensorStats stats = whole ? tensor_stats(items[i].value) : digest->stats;
    if (stats.nans + stats.infinities > 0) return stats;
  }
  return std::nullopt;
}

std::string value_of(const TensorStats& stats) {
  if (stats.nans > 0) return "nan";
  return stats.signs_known && stats.negative_infinities == stats.infinities ? "-inf" : "inf";
}

bool has_nonfinite_alert(const Snapshot& run) {
  return std::ranges::any_of(run.alerts, [](const AlertRow& alert) { return alert.kind == "nonfinite"; });
}

}  // namespace

std::optional<AlertRow> alert_at(const FrameView& stop, const Snapshot& run) {
  const Frame& frame = stop.frame;
  const std::shared_ptr<const StepView> view = run.shown();
  if (view == nullptr || frame.inner > 0 || frame.cursor == 0) return std::nullopt;
  const std::optional<TensorStats> made = frame.backward
                                              ? first_wrong(stop, frame.cotangents_out, List::cotangents_out)
                                              : first_wrong(stop, frame.outputs, List::outputs);
  if (!made || (made->nans == 0 && stop.breakpoint.empty())) return std::nullopt;
  const bool read_wrong = first_wrong(stop, frame.inputs, List::inputs) ||
                          first_wrong(stop, frame.cotangents_in, List::cotangents_in);
  const std::uint32_t op = view->op_of_tensor(frame.output);
  if (read_wrong || op == kNoOp) return std::nullopt;
  const OpRow& row = view->ops[op];
  NonFiniteOrigin origin;
  origin.step = stop.step;
  origin.node = static_cast<std::int64_t>(frame.cursor) - 1;
  origin.backward = frame.backward;
  origin.value = value_of(*made);
  origin.op = row.name;
  origin.op_type = row.op;
  origin.location = row.location;
  origin.dtype = row.dtype;
  AlertRow alert;
  alert.kind = "nonfinite";
  alert.subject = alert.op = origin.op;
  alert.op_type = origin.op_type;
  alert.message =
      fmt::format("{} at {} is the first of step {} whose {} is not finite: {}. The step is not over",
                  row.name, row.location, run.step_shown(stop.step),
                  frame.backward ? "gradient" : "output", nonfinite_text(*made));
  alert.location = origin.location;
  alert.fix = remedy_of(origin);
  alert.direction = frame.backward ? "backward" : "forward";
  alert.value = origin.value;
  alert.step = stop.step;
  alert.node = origin.node;
  const std::uint32_t at = op_at(origin, *view);
  alert.op_index = at == kNoOp ? op : at;
  return alert;
}

std::shared_ptr<const Snapshot> StopAlert::put_into(std::shared_ptr<const Snapshot> run,
                                                    const RunStatus& status) {
  if (run == nullptr) return run;
  if (std::exchange(generation_, status.generation) != status.generation) alert_.reset();
  if (status.frame && status.frame != stop_.lock()) {
    stop_ = status.frame;
    if (std::optional<AlertRow> found = alert_at(*status.frame, *run)) {
      alert_ = std::move(found);
      of_ = completed_ = nullptr;
    }
  }
  // What the program's end of the step says counts more.
  const bool over = alert_ && run->complete && run->complete->step >= alert_->step && !status.frame;
  if (over || (alert_ && status.frame && status.frame->step != alert_->step)) alert_.reset();
  if (!alert_ || has_nonfinite_alert(*run)) return run;
  if (of_ != run) {
    auto completed = std::make_shared<Snapshot>(*run);
    // Another picture than any store's: who draws compares versions.
    completed->version = std::uint64_t{1} << 61 | ++made_;
    completed->alerts.insert(completed->alerts.begin(), *alert_);
    of_ = std::move(run);
    completed_ = std::move(completed);
  }
  return completed_;
}

}  // namespace tapescope
