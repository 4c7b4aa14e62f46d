// A copy of the snapshot for each pair of one and a report.
#include "viewer/window/job_alerts.h"

#include <utility>
#include <vector>

namespace tapescope::ui {
namespace {

std::vector<AlertRow> alerts_of(const JobReport& report) {
  std::vector<AlertRow> alerts;
  for (const JobFinding& finding : report.findings) {
    if (finding.kind == "only") continue;  // the rank has the alert itself
    AlertRow row;
    row.kind = finding.kind;
    row.subject = finding.subject;
    row.message = finding.message;
    row.location = finding.location;
    row.fix = finding.fix;
    row.step = finding.step.value_or(0);
    alerts.push_back(std::move(row));
  }
  return alerts;
}

}  // namespace

std::shared_ptr<const Snapshot> JobAlerts::put_into(std::shared_ptr<const Snapshot> snapshot,
                                                    const JobReport& report, std::uint64_t made) {
  if (snapshot == nullptr) return snapshot;
  if (snapshot == completed_) snapshot = of_;
  if (of_ == snapshot && made_ == made && completed_ != nullptr) return completed_;
  of_ = completed_ = nullptr;
  std::vector<AlertRow> alerts = alerts_of(report);
  if (alerts.empty()) return snapshot;
  auto completed = std::make_shared<Snapshot>(*snapshot);
  // Another picture than the store's of that version: who draws compares them.
  completed->version += (made + 1) << 40;
  completed->alerts.insert(completed->alerts.begin(), alerts.begin(), alerts.end());
  of_ = std::move(snapshot);
  made_ = made;
  completed_ = std::move(completed);
  return completed_;
}

}  // namespace tapescope::ui
