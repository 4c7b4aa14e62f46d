// Counts and times by op type, kept while records come in; memory is bounded by the number of op types.
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "engine/events/records/digests.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/replicas.h"
#include "viewer/store/id_index.h"
#include "viewer/store/snapshot.h"
#include "viewer/store/step_data.h"

namespace tapescope {

// Durations in buckets of 1/16 octave: percentiles within 3 %, 2.5 KiB whatever their number.
class DurationHistogram {
 public:
  void add(std::uint64_t ticks, std::uint32_t times = 1);
  double percentile(double share) const;  // ticks; 0 when empty

 private:
  static constexpr int kSub = 16, kOctaves = 40;
  std::vector<std::uint32_t> buckets_ = std::vector<std::uint32_t>(kSub * kOctaves, 0);
  std::uint64_t total_ = 0;
};

class KindTable {
 public:
  // Adds a step that came to its end and fills the summary's times and counts. One pass over its records.
  void count(const StepData& step, StepSummary& summary);
  // Rows of the last 64 steps; the last step's view gives FLOPs and bytes, null leaves them 0.
  std::vector<OpKindRow> rows(const StepView* last) const;
  // Forgets the steps from this number on; the distribution of single calls stays.
  void forget_from(std::uint64_t step);
  void clear();

 private:
  struct Totals {
    OpNameId op = 0;
    std::uint32_t count = 0, backward_runs = 0;
    std::uint64_t forward = 0, backward = 0, backward_run = 0;  // ticks
  };
  struct StepTotals {
    std::uint64_t step = 0;
    std::vector<Totals> kinds;
  };
  Totals& totals(OpNameId op);
  bool exchanges(OpNameId op);
  DurationHistogram& calls(OpNameId op);
  void count_digested(const StepData& step, StepSummary& summary) const;
  void count_segment(const Segment& segment, bool home, const StepData& step, StepSummary& summary);

  std::deque<StepTotals> steps_;
  std::vector<std::unique_ptr<DurationHistogram>> calls_;  // by op name; null for one that never ran
  // Scratch of count().
  std::vector<Totals> scratch_;
  std::vector<std::uint32_t> slot_;  // by op name: 1 + index into scratch_
  static constexpr std::uint8_t kUnknown = 2;
  std::vector<std::uint8_t> exchanges_;   // by op name: whether it is an exchange
  std::optional<StepTimesRecord> times_;  // of a step without its ops, which a digest stands for
  StepCountsRecord counts_;               // likewise
  std::vector<OpRecord> own_exchanges_, others_exchanges_;  // of the step's thread, of others
  std::vector<GraphWaitRecord> graph_waits_;
  IdIndex<OpNameId> op_of_{0};
};

}  // namespace tapescope
