// Rows about sources: what each gradient call answered, with statistics and the reasons for None.
#pragma once
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/events/session.h"
#include "engine/explain/explain.h"
#include "viewer/store/snapshot.h"
#include "viewer/store/step_data.h"

namespace tapescope {

// Norms of one source's gradients, the last 64 steps.
struct NormHistory {
  using Point = HealthPoint;
  NameId name = 0;
  std::deque<Point> points;
  std::deque<Point> first;  // of the first steps, to know what is usual
  TensorStats last;         // of the last point
  std::uint64_t asked = 0;  // which question, by number, named it last
  std::optional<std::uint64_t> none_since;  // the first step of those up to the last in which it was None
  bool lasting = false;
};

// Whether the step's records say what its tensors held.
bool saw_values(const StepData& data);

class GradientTable {
 public:
  // Ingest thread. Sources that no call of this program named are kept back for a while, then dropped.
  void add_stats(std::span<const StatsEntry> entries);
  // The program asked about this source. A `lasting` one, a variable, is remembered for good; of others,
  // which may be new in each step, some thousand.
  void learn_source(TensorId source, bool lasting);

  // Rows of the view's answers, most important first. `history_of_none` makes the reasons; with `may_explain`
  // off an older reason of the same question is shown.
  std::vector<GradientRow> rows(const StepView& view, const StepData& data,
                                const std::vector<Segment>* prologue, bool may_explain);
  // Explains the zeros of steps with values of tensors, for the same questions of later steps. Steps whose
  // gradients' summaries have not come yet stay in the list.
  void learn_zeros(std::vector<std::shared_ptr<const StepData>>& steps, const std::vector<Segment>* prologue);
  // Most important first, else as asked.
  static void sort(std::vector<GradientRow>& rows);
  // A row of an earlier step, asked while a function was traced, as the same question was answered in this
  // one: the reason stands, the figures are those of the gradient that the function returned, if it did.
  void renew(GradientRow& row, const StepView& view) const;
  // Explains the zeros of gradient calls inside functions in a step with values of tensors, for
  // explain_traced_zeros().
  void learn_traced_zeros(const StepData& data, const std::vector<Segment>* prologue);
  // Of such rows, renewed: which zeros come from branches that did not run in this step, and what the values
  // of a step showed.
  void explain_traced_zeros(std::vector<GradientRow>& rows, const StepView& view, const StepData& data,
                            const std::vector<Segment>* prologue);
  const std::unordered_map<TensorId, NormHistory>& sources() const { return sources_; }
  // The first not finite gradient seen, oldest first.
  struct NonFinite {
    std::uint64_t step = 0;
    TensorId source = 0, gradient = 0;
    NameId name = 0;
    bool nan = false;
  };
  const std::vector<NonFinite>& nonfinite() const { return nonfinite_; }
  // Whether its gradient was finite in one of the first or last steps since step `from`, and in one of the
  // last `steps`.
  bool was_finite(TensorId source, std::uint64_t from, std::size_t steps) const;
  // What that step answered about a source.
  void learn_result(TensorId source, bool none, std::uint64_t step);
  std::optional<std::uint64_t> none_since(TensorId source) const;
  void forget_from(std::uint64_t step);
  void clear();
  // How long the last explanations took.
  double explain_seconds() const { return explain_seconds_; }

 private:
  bool take(const StatsEntry& entry);
  void explain(std::vector<GradientRow>& rows, const StepView& view, const StepData& data,
               const std::vector<Segment>* prologue);
  // `former`: the step before, which counts where it is given; then only rows that say little are answered.
  void explain_after(const StepData* former, std::vector<GradientRow>& rows, const StepView& view,
                     const StepData& data, const std::vector<Segment>* prologue);
  void remember(std::string question, Explanation explanation);

  static constexpr std::size_t kMaxPending = 4096, kMaxTensors = 4096, kMaxPassing = 8192;
  std::unordered_map<TensorId, NormHistory> sources_;
  std::uint64_t asked_ = 0;
  std::size_t passing_ = 0;                          // sources that are not lasting
  std::unordered_map<TensorId, TensorStats> stats_;  // by gradient tensor
  std::deque<TensorId> order_;
  std::deque<StatsEntry> pending_;  // of sources that no call has asked for yet
  bool learned_ = false;            // a source, since those were looked at
  std::vector<NonFinite> nonfinite_;
  std::unordered_map<std::string, Explanation> known_;  // by question
  std::unordered_map<std::string, Explanation> zeros_;  // the last one of any step, by question
  double explain_seconds_ = 0;
};

}  // namespace tapescope
