// Times and counts of each kind of op over the steps.
#include "viewer/store/kind_table.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <unordered_map>
#include <utility>

#include "engine/events/clock.h"
#include "engine/events/exchanges.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/replicas.h"
#include "engine/events/records/steps.h"
#include "engine/events/step_phases.h"

namespace tapescope {
namespace {

// Whether one of eight four-bit answers is `recorded`: a zero digit after the exclusive or.
bool any_recorded(std::uint32_t answers) {
  const std::uint32_t digits = answers ^ 0x11111111u;
  return ((digits - 0x11111111u) & ~digits & 0x88888888u) != 0;
}

OpNameId call_name() {
  static const OpNameId name = intern_op_name("PartitionedCall");
  return name;
}

// In exchanges.
struct Waited {
  std::uint64_t ticks = 0;
  std::uint64_t longest = 0;
  OpNameId op = 0;
  SiteId site = 0;

  void add(std::uint64_t spent, OpNameId in, SiteId at) {
    ticks += spent;
    if (op != 0 && spent <= longest) return;
    longest = spent;
    op = in;
    site = at;
  }
  void add(const OpRecord& record) { add(record.duration, record.name, record.site); }
};

struct Interval {
  Ticks begin = 0, end = 0;
};

// Of the ops that the step's thread ran, by their ends.
std::vector<Interval> ops_of_home(const StepData& step) {
  std::vector<Interval> ran;
  for (const Segment& segment : step.segments) {
    if (segment.thread != step.home) continue;
    for (const Record& record : segment.records) {
      if (!record.is<OpRecord>() || (record.as<OpRecord>().flags & OpRecord::kTraced)) continue;
      const auto op = record.as<OpRecord>();
      ran.push_back({op.ticks - op.duration, op.ticks});
    }
  }
  std::ranges::sort(ran, {}, &Interval::end);
  return ran;
}

bool any_meets(const std::vector<Interval>& ran, const Interval& with) {
  const auto next = std::ranges::upper_bound(ran, with.begin, {}, &Interval::end);
  return next != ran.end() && next->begin < with.end;
}

float median_of(std::vector<float> values) {
  if (values.empty()) return 0;
  const std::size_t middle = values.size() / 2;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  if (values.size() % 2 == 1) return values[middle];
  const float above = values[middle];
  return (above + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle))) /
         2;
}

}  // namespace

void DurationHistogram::add(std::uint64_t ticks, std::uint32_t times) {
  int bucket = static_cast<int>(ticks);
  if (ticks >= kSub) {
    const int octave = std::bit_width(ticks) - 1;  // at least 4
    bucket = (octave - 3) * kSub + static_cast<int>(ticks >> (octave - 4) & (kSub - 1));
  }
  buckets_[static_cast<std::size_t>(std::min(bucket, kSub * kOctaves - 1))] += times;
  total_ += times;
}

double DurationHistogram::percentile(double share) const {
  if (total_ == 0) return 0;
  auto left = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(total_)));
  left = std::max<std::uint64_t>(left, 1);
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    if (buckets_[i] < left) {
      left -= buckets_[i];
      continue;
    }
    if (i < kSub) return static_cast<double>(i);
    const auto octave = static_cast<int>(i / kSub) + 3;
    return std::ldexp(1.0 + (static_cast<double>(i % kSub) + 0.5) / kSub, octave);
  }
  return 0;
}

KindTable::Totals& KindTable::totals(OpNameId op) {
  if (op >= slot_.size()) slot_.resize(static_cast<std::size_t>(op) + 64, 0);
  if (slot_[op] == 0) {
    scratch_.push_back({.op = op});
    slot_[op] = static_cast<std::uint32_t>(scratch_.size());
  }
  return scratch_[slot_[op] - 1];
}

DurationHistogram& KindTable::calls(OpNameId op) {
  if (op >= calls_.size()) calls_.resize(static_cast<std::size_t>(op) + 64);
  if (calls_[op] == nullptr) calls_[op] = std::make_unique<DurationHistogram>();
  return *calls_[op];
}

bool KindTable::exchanges(OpNameId op) {
  if (op >= exchanges_.size()) exchanges_.resize(static_cast<std::size_t>(op) + 64, kUnknown);
  if (exchanges_[op] == kUnknown) exchanges_[op] = is_exchange(op) ? 1 : 0;
  return exchanges_[op] == 1;
}

void KindTable::count_segment(const Segment& segment, bool home, const StepData& step, StepSummary& summary) {
  const auto& records = segment.records;
  const bool walks = std::any_of(records.begin(), records.end(),
                                 [](const Record& r) { return r.is<BackwardBeginRecord>(); });
  if (walks) {
    // One without outputs, such as an optimizer's step, has no number.
    const auto is_op = [](const Record& r) { return r.is<OpRecord>() && r.as<OpRecord>().output != 0; };
    const auto first = std::find_if(records.begin(), records.end(), is_op);
    const auto last = std::find_if(records.rbegin(), records.rend(), is_op);
    if (first != records.end()) {
      const TensorId from = first->as<OpRecord>().output, to = last->as<OpRecord>().output;
      op_of_.prepare(std::min(from, to), std::max(from, to), records.size() / 2);
    }
  }
  StepPhases phases;
  OpNameId partner = 0;             // the op whose backward step runs
  std::vector<OpNameId> walked_in;  // for each walk that runs, the partner of the step that it began in, or 0
  constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t current = kNone;  // slot of the op whose operands come next
  TensorId output = 0;          // its first
  bool outside_backward = false;
  for (const Record& record : records) {
    switch (record.kind) {
      case OpRecord::kKind: {
        const auto op = record.as<OpRecord>();
        current = kNone;
        phases.op(op);
        if (op.flags & OpRecord::kTraced) break;
        Totals& kind = totals(op.name);
        current = slot_[op.name] - 1;
        output = op.output;
        ++kind.count;
        if (exchanges(op.name)) (home ? own_exchanges_ : others_exchanges_).push_back(op);
        outside_backward = walked_in.empty() && !(op.flags & OpRecord::kBackward);
        if (outside_backward) {
          kind.forward += op.duration;
          if (walks && op.output != 0) op_of_.set(op.output, op.name);
          if (op.duration) calls(op.name).add(op.duration);
          ++summary.counts.executed;
        } else {
          ++kind.backward_runs;
          kind.backward_run += op.duration;
          ++summary.counts.backward_ops;
          // Of a function's gradient no record says which op it serves.
          const bool in_graph = walked_in.empty() || partner == call_name();
          if (partner != 0 || walked_in.empty())
            totals(in_graph ? OpNameId{op.name} : partner).backward += op.duration;
        }
        break;
      }
      case OperandsRecord::kKind: {
        if (current == kNone) break;
        // Later ones of the same op have their first input's index where the answers are.
        const bool recorded = any_recorded(record.as<OperandsRecord>().answers);
        if (outside_backward) ++(recorded ? summary.counts.recorded : summary.counts.not_recorded);
        // Of a higher order, or computed again for an inner tape: it has a separate backward step.
        else if (recorded && walks) op_of_.set(output, scratch_[current].op);
        current = kNone;
        break;
      }
      case BackwardBeginRecord::kKind:
        phases.begin_walk(record.as<BackwardBeginRecord>().ticks);
        walked_in.push_back(std::exchange(partner, 0));
        break;
      case BackwardStepRecord::kKind:
        partner = walks ? op_of_.find(record.as<BackwardStepRecord>().output) : 0;
        break;
      case BackwardEndRecord::kKind:
        partner = walked_in.empty() ? 0 : walked_in.back();
        if (!walked_in.empty()) walked_in.pop_back();
        phases.end_walk(record.as<BackwardEndRecord>().ticks);
        break;
      case GradientAskRecord::kKind: ++summary.asks; break;
      case ResultRecord::kKind: summary.nones += record.as<ResultRecord>().result == ResultKind::none; break;
      case GraphWaitRecord::kKind: graph_waits_.push_back(record.as<GraphWaitRecord>()); break;
      case StepTimesRecord::kKind: times_ = record.as<StepTimesRecord>(); break;
      case StepCountsRecord::kKind: counts_ = record.as<StepCountsRecord>(); break;
      case CallTimesRecord::kKind: {
        const auto time = record.as<CallTimesRecord>();
        calls(time.op).add(time.took, time.calls);
        break;
      }
      case LostRecord::kKind: summary.lost += record.as<LostRecord>().records; break;
      default: break;
    }
  }
  if (!home) return;
  phases.finish();
  const std::uint64_t end = std::max(step.end, step.begin);
  summary.step_us = microseconds(end - step.begin);
  summary.backward_us = microseconds(phases.backward());
  summary.forward_us =
      phases.first() > step.begin ? microseconds(phases.first() - step.begin) : summary.step_us;
  if (phases.last_end() != 0 && end > phases.last_end())
    summary.update_us = microseconds(end - phases.last_end());
}

// What the records of its ops would have said.
void KindTable::count_digested(const StepData& step, StepSummary& summary) const {
  summary.step_us = microseconds(std::max(step.end, step.begin) - step.begin);
  summary.forward_us = microseconds(times_->forward);
  summary.backward_us = microseconds(times_->backward);
  summary.update_us = microseconds(times_->update);
  summary.asks = times_->asks;
  summary.counts.executed = counts_.executed;
  summary.counts.recorded = counts_.recorded;
  summary.counts.not_recorded = counts_.not_recorded;
  summary.counts.backward_ops = counts_.backward_ops;
}

void KindTable::count(const StepData& step, StepSummary& summary) {
  for (const Totals& kind : scratch_) slot_[kind.op] = 0;
  scratch_.clear();
  own_exchanges_.clear();
  others_exchanges_.clear();
  graph_waits_.clear();
  times_.reset();
  counts_ = {};
  for (const Segment& segment : step.segments)
    count_segment(segment, segment.thread == step.home, step, summary);
  Waited waited;
  if (times_) {
    count_digested(step, summary);
    if (counts_.exchange != 0) waited.add(counts_.waited, counts_.exchange, counts_.site);
  }
  for (const OpRecord& exchange : own_exchanges_) waited.add(exchange);
  const std::vector<Interval> ran = others_exchanges_.empty() ? std::vector<Interval>() : ops_of_home(step);
  for (const OpRecord& exchange : others_exchanges_) {
    // A program that exchanges while it computes does not wait; one whose step runs on another thread does.
    if (!any_meets(ran, {exchange.ticks - exchange.duration, exchange.ticks})) waited.add(exchange);
  }
  summary.exchanges_in_graph = !graph_waits_.empty();
  for (const GraphWaitRecord& wait : graph_waits_) {
    if (wait.measured == 0) summary.exchange_unknown = true;
    else if (wait.op != 0) waited.add(wait.waited, wait.op, wait.site);
  }
  summary.exchange_us = microseconds(waited.ticks);
  summary.exchange_op = waited.op;
  summary.exchange_site = waited.site;
  if (times_) return;  // nothing is known of single kinds
  steps_.push_back({step.step, scratch_});
  if (steps_.size() > kRecentSteps) steps_.pop_front();
}

std::vector<OpKindRow> KindTable::rows(const StepView* last) const {
  struct Gathered {
    std::vector<float> forward, backward, run;
  };
  std::map<OpNameId, Gathered> gathered;
  std::size_t seen = 0;
  for (const StepTotals& step : steps_) {
    for (const Totals& kind : step.kinds) {
      Gathered& all = gathered[kind.op];
      // Steps in which the op did not run count as zero.
      for (auto* series : {&all.forward, &all.backward, &all.run}) series->resize(seen, 0.0f);
      all.forward.push_back(static_cast<float>(microseconds(kind.forward)));
      all.backward.push_back(static_cast<float>(microseconds(kind.backward)));
      all.run.push_back(static_cast<float>(microseconds(kind.backward_run)));
    }
    ++seen;
  }
  std::vector<OpKindRow> rows;
  std::unordered_map<OpNameId, std::size_t> row_of;
  double total = 0;
  for (auto& [op, all] : gathered) {
    for (auto* series : {&all.forward, &all.backward, &all.run}) series->resize(seen, 0.0f);
    OpKindRow row;
    row.op = op_name_text(op);
    row.forward_us = median_of(all.forward);
    row.backward_us = median_of(all.backward);
    row.backward_run_us = median_of(all.run);
    row.forward_series = std::move(all.forward);
    row.backward_series = std::move(all.backward);
    if (op < calls_.size() && calls_[op] != nullptr) {
      const double tick = microseconds(1'000'000) * 1e-6;
      row.call_p10 = calls_[op]->percentile(0.1) * tick;
      row.call_median = calls_[op]->percentile(0.5) * tick;
      row.call_p90 = calls_[op]->percentile(0.9) * tick;
    }
    total += row.forward_us + row.backward_run_us;
    row_of[op] = rows.size();
    rows.push_back(std::move(row));
  }
  if (!steps_.empty()) {
    for (const Totals& kind : steps_.back().kinds) {
      OpKindRow& row = rows[row_of[kind.op]];
      row.count = kind.count;
      row.backward_runs = kind.backward_runs;
    }
  }
  if (last) {
    for (const OpRow& op : last->ops) {
      const auto found = row_of.find(op.op_id);
      if (found == row_of.end()) continue;
      OpKindRow& row = rows[found->second];
      row.flops += op.flops;
      row.bytes += op.bytes;
      row.saved_bytes += op.saved_bytes;
    }
  }
  for (OpKindRow& row : rows) row.share = total > 0 ? (row.forward_us + row.backward_run_us) / total : 0;
  // In millionths: of kinds that take equally long each process may round otherwise, and number them
  // otherwise.
  std::ranges::sort(rows, {}, [](const OpKindRow& row) {
    return std::pair(-std::llround(row.share * 1e6), std::string_view(row.op));
  });
  return rows;
}

void KindTable::forget_from(std::uint64_t step) {
  while (!steps_.empty() && steps_.back().step >= step) steps_.pop_back();
}

void KindTable::clear() { *this = KindTable(); }

}  // namespace tapescope
