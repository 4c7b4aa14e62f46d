// Findings by subject: the last answer about a source counts, each alert and advice once.
#include "viewer/store/framework_findings.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "engine/events/records/findings.h"

namespace tapescope {
namespace {

std::string text_of(NameId name) { return std::string(name_text(name)); }
std::string place_of(SiteId site) { return site ? location_text(site_with_id(site)) : std::string(); }

GradientStatus status_of(std::string_view text) {
  for (const GradientStatus status : {GradientStatus::zero, GradientStatus::nonfinite, GradientStatus::none,
                                      GradientStatus::unconnected_zero}) {
    if (name_of(status) == text) return status;
  }
  return GradientStatus::value;
}

// The first op of that type which was called there: in that very expression, else in that line.
std::uint32_t op_at(const StepView& view, const AlertRow& alert, SiteId site) {
  if (alert.op_type.empty() || site == 0) return kNoOp;
  const auto is_it = [&](const OpRow& row) {
    const bool backward = row.direction == Direction::backward;
    return row.op == alert.op_type && backward == (alert.direction == "backward");
  };
  std::uint32_t in_line = kNoOp;
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& row = view.ops[i];
    if (row.site == site && is_it(row)) return i;
    if (in_line == kNoOp && row.location == alert.location && is_it(row)) in_line = i;
  }
  return in_line;
}

}  // namespace

void FrameworkFindings::add(const Record& record, std::uint64_t step) {
  if (record.is<FindingStepRecord>()) {
    if (last_answer_ >= answers_.size()) return;
    const auto found = record.as<FindingStepRecord>();
    answers_[last_answer_].path.push_back(
        {std::string(op_name_text(found.op)), text_of(found.name), place_of(found.site), 0});
    return;
  }
  if (record.is<FindingFiguresRecord>()) return add_figures(record);
  if (!record.is<FindingRecord>()) return;
  const auto found = record.as<FindingRecord>();
  const std::string op(op_name_text(found.op));
  last_answer_ = ~std::size_t{0};
  last_is_retrace_ = found.about == FindingKind::retrace;
  switch (found.about) {
    case FindingKind::answer: {
      const auto [known, fresh] = by_source_.try_emplace(text_of(found.subject), answers_.size());
      if (fresh) answers_.emplace_back();
      // The tensor has a better name by now, or nothing is to be said about it.
      if (name_text(found.detail) == "withdrawn") {
        answers_[known->second].source.clear();
        break;
      }
      last_answer_ = known->second;
      GradientRow row;
      row.source = text_of(found.subject);
      row.target = text_of(found.target);
      row.status = status_of(name_text(found.detail));
      row.reason = name_text(found.reason);
      row.message = name_text(found.message);
      row.location = place_of(found.site);
      row.fix = name_text(found.fix);
      row.edge = {op, op, row.location, 0};
      row.call = kNoOp;
      row.step = step;
      answers_[last_answer_] = std::move(row);
      break;
    }
    case FindingKind::alert: {
      AlertRow alert;
      alert.kind = name_text(found.reason);
      alert.subject = name_text(found.subject);
      alert.op = alert.op_type = op;
      alert.message = name_text(found.message);
      alert.location = place_of(found.site);
      alert.fix = name_text(found.fix);
      const std::string_view detail = name_text(found.detail);
      const std::size_t space = detail.find(' ');
      alert.direction = detail.substr(0, space);
      if (space != detail.npos) alert.value = detail.substr(space + 1);
      alert.step = step;
      if (std::find(alerts_.begin(), alerts_.end(), alert) != alerts_.end()) break;
      alerts_.push_back(std::move(alert));
      alert_sites_.push_back(found.site);
      break;
    }
    case FindingKind::advice: {
      AdviceRow row;
      row.kind = name_text(found.reason);
      row.subject = name_text(found.subject);
      row.evidence = name_text(found.message);
      row.location = place_of(found.site);
      row.fix = name_text(found.fix);
      const bool known = std::any_of(advice_.begin(), advice_.end(), [&](const AdviceRow& other) {
        return other.kind == row.kind && other.subject == row.subject && other.location == row.location;
      });
      if (!known) advice_.push_back(std::move(row));
      break;
    }
    case FindingKind::retrace: {
      const std::string name = text_of(found.subject);
      auto function = std::find_if(functions_.begin(), functions_.end(),
                                   [&](const FunctionRow& row) { return row.name == name; });
      if (function == functions_.end()) {
        functions_.emplace_back().name = name;
        function = functions_.end() - 1;
      }
      std::rotate(function, function + 1, functions_.end());  // the last one: figures that follow are its
      if (found.reason == 0) break;                           // its first trace
      Retrace retrace;
      retrace.kind = name_text(found.reason);
      retrace.argument = name_text(found.detail);
      retrace.from = name_text(found.target);
      retrace.to = name_text(found.message);
      retrace.location = place_of(found.site);
      retrace.fix = name_text(found.fix);
      functions_.back().retraces.push_back(std::move(retrace));
      break;
    }
  }
}

void FrameworkFindings::add_figures(const Record& record) {
  const auto figures = record.as<FindingFiguresRecord>();
  if (last_is_retrace_ && !functions_.empty()) {
    FunctionRow& function = functions_.back();
    function.calls = std::max<std::uint64_t>(function.calls, figures.elements);
    function.traces = figures.count;
    function.trace_us += figures.norm;
    if (!function.retraces.empty() && function.retraces.back().call == 0) {
      function.retraces.back().call = figures.elements;
      function.retraces.back().trace_us = figures.norm;
    }
  } else if (last_answer_ < answers_.size()) {
    GradientRow& row = answers_[last_answer_];
    row.has_stats = true;
    row.norm = figures.norm;
    row.nonfinite = static_cast<std::int64_t>(figures.elements);
    row.norms.push_back(static_cast<float>(figures.norm));
  }
}

void FrameworkFindings::answer(std::vector<GradientRow>& rows) const {
  for (const auto& [source, number] : by_source_) {
    std::erase_if(rows, [&](const GradientRow& row) { return row.source == source; });
  }
  for (const GradientRow& answer : answers_) {
    if (!answer.source.empty()) rows.push_back(answer);
  }
}

void FrameworkFindings::alert(std::vector<AlertRow>& alerts, const StepView* view) const {
  const bool first_known = std::any_of(alerts_.begin(), alerts_.end(),
                                       [](const AlertRow& alert) { return alert.kind == "nonfinite"; });
  if (first_known) std::erase_if(alerts, [](const AlertRow& alert) { return alert.kind == "nonfinite"; });
  alerts.insert(alerts.begin(), alerts_.begin(), alerts_.end());
  for (std::size_t i = 0; view != nullptr && i < alerts_.size(); ++i)
    alerts[i].op_index = op_at(*view, alerts_[i], alert_sites_[i]);
}

void FrameworkFindings::add_functions(std::vector<FunctionRow>& functions) const {
  functions.insert(functions.end(), functions_.begin(), functions_.end());
}

}  // namespace tapescope
