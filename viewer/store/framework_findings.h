// What the hooks of a framework found out themselves, as rows of the snapshot.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "engine/events/records/record.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

class FrameworkFindings {
 public:
  // Kinds of findings.h; others change nothing. `step` is the one under way.
  void add(const Record& record, std::uint64_t step);
  bool empty() const { return answers_.empty() && alerts_.empty() && advice_.empty() && functions_.empty(); }
  // Answers take the place of the rows about the same sources; those that were withdrawn leave none.
  void answer(std::vector<GradientRow>& rows) const;
  // Alerts come first; one that names the op that made the first value that is not finite takes the place of
  // those that only noticed it. Each is placed at the op that it names in the view, which may be null.
  void alert(std::vector<AlertRow>& alerts, const StepView* view) const;
  const std::vector<AdviceRow>& advice() const { return advice_; }
  void add_functions(std::vector<FunctionRow>& functions) const;

 private:
  void add_figures(const Record& record);

  std::vector<GradientRow> answers_;
  std::map<std::string, std::size_t> by_source_;
  std::vector<AlertRow> alerts_;
  std::vector<SiteId> alert_sites_;  // of the same alerts
  std::vector<AdviceRow> advice_;
  std::vector<FunctionRow> functions_;
  std::size_t last_answer_ = ~std::size_t{0};  // what figures and steps that follow belong to
  bool last_is_retrace_ = false;
};

}  // namespace tapescope
