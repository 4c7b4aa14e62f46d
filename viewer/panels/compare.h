// B against A in time: the answer as a sentence, ratios with intervals, both distributions of step times.
#pragma once
#include <array>
#include <atomic>
#include <thread>

#include "viewer/model/statistics.h"
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

inline constexpr int kTimeBins = 120;

// All figures of the panel; made off the user-interface thread, as the intervals need a thousand resamples.
struct TimeComparison {
  bool interleaved = true;  // else A and B were measured in different runs
  std::size_t pairs = 0;    // of different runs: the steps of the shorter one
  std::array<std::size_t, 2> steps{};
  std::array<Ratio, 4> ratios{};           // step, forward, backward, update; B over A
  std::array<double, 2> medians{};         // µs of a step
  std::array<std::vector<float>, 2> bins;  // 0..1 of the fullest bin of both
  double low = 0, high = 0;                // ends of the bins, µs
};
TimeComparison compare_times(const Series<StepSummary>& a, const Series<StepSummary>& b,
                             bool interleaved = true);

// What the ops of one type take in a step, in both directions together: medians, µs. 0 where one has none.
struct TypeCosts {
  std::string_view op;
  double a_us = 0, b_us = 0;
};
// Every type that either has; those whose times differ most first.
std::vector<TypeCosts> type_costs(const Snapshot& a, const Snapshot& b);

// "B's step takes 0.51 of A's"; an interval around 1 is called no difference.
std::string time_sentence(const TimeComparison& times);

class ComparePanel final : public Panel {
 public:
  std::string_view id() const override { return "compare"; }
  std::string_view title() const override { return "Compare"; }
  Place place() const override { return Place::bottom; }
  void draw(PanelContext& c) override;
  bool caught_up() const override { return job_ == nullptr || job_->done.load(); }
  std::string text(const PanelContext& c) const override;

 private:
  struct Job {
    TimeComparison result;
    std::atomic<bool> done{false};
    std::jthread thread;
  };
  void refresh(PanelContext& c);
  void draw_intervals(PanelContext& c, ImVec2 min, float width) const;
  void draw_histograms(PanelContext& c, ImVec2 min, ImVec2 size) const;
  // compare_ops.cpp
  void draw_types(PanelContext& c) const;

  TimeComparison times_;
  std::unique_ptr<Job> job_;
  std::array<std::size_t, 2> steps_asked_{};
  std::pair<std::uint64_t, std::uint64_t> generations_;
  double asked_at_ = -1e9;
};

}  // namespace tapescope::ui
