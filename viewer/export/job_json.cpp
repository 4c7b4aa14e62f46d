// Field by field.
#include "viewer/export/job_json.h"

namespace tapescope {

namespace {

Json clock_json(const ClockPlace& clock) {
  if (!clock.offset_us) return nullptr;
  return {{"offset_us", json_number(*clock.offset_us)},
          {"error_us", json_number(clock.error_us)},
          {"exchanges", clock.exchanges}};
}

}  // namespace

Json json_of(const JobReport& report) {
  Json ranks = Json::array(), findings = Json::array();
  for (const RankRow& row : report.ranks) {
    ranks.push_back({{"rank", row.rank},
                     {"recording", row.title},
                     {"host", row.host},
                     {"steps", row.steps},
                     {"step_us", json_number(row.step_us)},
                     {"compute_us", json_measured(row.compute_us)},
                     {"exchange_us", json_measured(row.exchange_us)},
                     {"slowest", row.slowest},
                     {"loss", row.loss ? json_number(*row.loss) : Json(nullptr)},
                     {"waits_in", row.waits_in},
                     {"waits_at", row.waits_at},
                     {"clock", clock_json(row.clock)}});
  }
  for (const JobFinding& finding : report.findings) {
    findings.push_back({{"kind", finding.kind},
                        {"subject", finding.subject},
                        {"ranks", finding.ranks},
                        {"step", finding.step ? Json(*finding.step) : Json(nullptr)},
                        {"message", finding.message},
                        {"location", finding.location},
                        {"fix", finding.fix}});
    if (!finding.alert.empty()) findings.back()["alert"] = finding.alert;
  }
  return {{"job", report.job},
          {"size", report.size},
          {"compared_steps", report.compared_steps},
          {"timed_steps", report.timed_steps},
          {"missing", report.missing},
          {"ranks", std::move(ranks)},
          {"findings", std::move(findings)}};
}

}  // namespace tapescope
