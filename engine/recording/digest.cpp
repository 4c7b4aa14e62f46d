// Counts as the store of the viewer counts the same records: a test holds both against each other.
#include "engine/recording/digest.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "engine/events/exchanges.h"
#include "engine/events/records/findings.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/graphs.h"
#include "engine/events/records/replicas.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"

namespace tapescope::record {
namespace {

// Of one step; a longer one is read whole.
constexpr std::size_t kMostOps = 1u << 17, kMostOfOthers = 1u << 14;

bool has_recorded(std::uint32_t answers) {
  for (; answers != 0; answers >>= 4) {
    if ((answers & 15u) == static_cast<std::uint32_t>(TapeAnswer::recorded)) return true;
  }
  return false;
}

// Within 1/16 of it.
std::uint64_t rounded(std::uint64_t span) {
  const int more = std::max(0, static_cast<int>(std::bit_width(span)) - 5);
  return span >> more << more;
}

// As a hash: what is entered and given back is so twice.
std::uint64_t mixed(std::uint64_t number) {
  number *= 0x9e3779b97f4a7c15u;
  return number ^ number >> 29;
}

// Of a step before, which was counted without it.
bool is_late(const OpRecord& op, std::uint64_t begin) { return op.ticks != 0 && op.ticks < begin; }

// Readers compare 32 bits of it.
std::uint64_t folded_hash(std::uint64_t hash) {
  return hash == 0 ? 0 : std::max<std::uint64_t>(1, static_cast<std::uint32_t>(hash ^ hash >> 32));
}

}  // namespace

std::size_t DigestMaker::add(std::uint32_t thread, std::span<const Record> records) {
  ended_ = false;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool was_open = open_;
    take_one(thread, records[i]);
    if (was_open && !open_ && group_records_ >= kGroupRecords) {
      ended_ = true;
      return i + 1;
    }
  }
  return records.size();
}

std::optional<EventBlock> DigestMaker::take() {
  std::optional<EventBlock> made;
  if (ordinary_ && digest_.records.size() > 2 && digest_.records.size() <= kMaxBlockRecords) {
    // Before the end of the last step and its times, which are a step's last record.
    std::vector<Record> times;
    times.reserve(calls_.size());
    for (const auto& [key, calls] : calls_) {
      times.push_back(
          CallTimesRecord{.op = static_cast<OpNameId>(key & 0xffffu), .calls = calls, .took = key >> 16});
    }
    std::ranges::sort(times, {}, [](const Record& time) { return std::pair(time.h, time.x); });
    digest_.records.insert(digest_.records.end() - 2, times.begin(), times.end());
    digest_.batches = {{home_, static_cast<std::uint32_t>(digest_.records.size())}};
    made = std::move(digest_);
  }
  digest_ = {};
  calls_.clear();
  group_records_ = 0;
  ordinary_ = true;
  ended_ = false;
  return made;
}

void DigestMaker::take_one(std::uint32_t thread, const Record& record) {
  ++group_records_;
  ++seen_;
  if (record.is<StepBeginRecord>()) begin_step(thread, record);
  else if (steps_ == 0) ordinary_ = false;
  else if (thread != home_) add_of_another(record);
  else if (record.is<StepEndRecord>()) end_step(record);
  else add_own(record);
}

void DigestMaker::begin_step(std::uint32_t thread, const Record& record) {
  const auto begin = record.as<StepBeginRecord>();
  const bool follows = steps_ == 0 || (!open_ && thread == home_ && begin.step > number_);
  if (!follows || begin.implied != 0 || begin.program != 0 || steps_ < kWholeSteps) ordinary_ = false;
  ++steps_;
  open_ = true;
  home_ = thread;
  number_ = begin.step;
  begin_ = begin.ticks;
  phases_ = {};
  counts_ = {};
  longest_ = 0;
  walks_ = 0;
  expects_ = Operands::of_none;
  asks_ = 0;
  graph_waits_ = false;
  replicas_.clear();
  last_replica_ = 0;
  ran_.clear();
  std::erase_if(others_, [&](const Call& call) { return is_late(call.op.as<OpRecord>(), begin_); });
  keep(record);
}

void DigestMaker::end_step(const Record& record) {
  const auto end = record.as<StepEndRecord>();
  if (!open_ || end.abandoned != 0) ordinary_ = false;
  open_ = false;
  phases_.finish();
  const std::uint64_t last = std::max<std::uint64_t>(end.ticks, begin_);
  count_others(last);
  if (asks_ > 255 || (graph_waits_ && counts_.exchange != 0)) ordinary_ = false;
  if (!ordinary_ || digest_.records.size() > kMaxBlockRecords) {
    ordinary_ = false;
    digest_.records.clear();
  } else {
    const std::size_t before = digest_.records.size();
    const bool tapes_stay = tapes_stay_ || tapes_ != 0, sources_change = sources_ != former_sources_;
    for (const auto& [one, when] : step_) {
      const bool wanted = when == Kept::always || (when == Kept::where_tapes_stay && tapes_stay) ||
                          (when == Kept::where_sources_change && sources_change);
      if (wanted) digest_.records.push_back(one);
    }
    digest_.records.insert(digest_.records.end(), replicas_.begin(), replicas_.end());
    const std::size_t kept = digest_.records.size() - before + 1;
    digest_.records.push_back(counts_);
    digest_.records.push_back(StepTimesRecord{
        .asks = static_cast<std::uint8_t>(asks_),
        .left_out = static_cast<std::uint32_t>(seen_ - kept),
        .forward = phases_.first() > begin_ ? phases_.first() - begin_ : last - begin_,
        .backward = phases_.backward(),
        .update = phases_.last_end() != 0 && last > phases_.last_end() ? last - phases_.last_end() : 0});
    digest_.records.push_back(record);
  }
  former_sources_ = std::exchange(sources_, 0);
  tapes_ = 0;
  tapes_stay_ = false;
  step_.clear();
  seen_ = 0;
}

void DigestMaker::add_own(const Record& record) {
  switch (record.kind) {
    case OpRecord::kKind: return add_op(record.as<OpRecord>());
    case OperandsRecord::kKind: return add_operands(record.as<OperandsRecord>());
    case BackwardBeginRecord::kKind:
      if (!open_) return;
      phases_.begin_walk(record.as<BackwardBeginRecord>().ticks);
      ++walks_;
      return;
    case BackwardEndRecord::kKind:
      if (!open_) return;
      walks_ = std::max(0, walks_ - 1);
      return phases_.end_walk(record.as<BackwardEndRecord>().ticks);
    case GradientAskRecord::kKind:
      if (record.as<GradientAskRecord>().flags & GradientAskRecord::kTraced) ordinary_ = false;
      asks_ += open_;
      return keep(record, Kept::where_tapes_stay);
    case SourceRecord::kKind:
      note_source(record.as<SourceRecord>().tensor, 0);
      return keep(record, Kept::where_sources_change);
    case ResultRecord::kKind: {
      const auto result = record.as<ResultRecord>();
      note_source(result.source, 1 + static_cast<std::uint64_t>(result.result));
      return keep(record, result.result == ResultKind::none ? Kept::always : Kept::where_sources_change);
    }
    case TapeEnterRecord::kKind:
      tapes_ ^= mixed(record.as<TapeEnterRecord>().tape + 1u);
      return keep(record, Kept::where_tapes_stay);
    case TapeRecord::kReset: tapes_stay_ = true; return keep(record, Kept::where_tapes_stay);
    case TapeRecord::kDestroyed:
      tapes_ ^= mixed(record.as<TapeRecord>().tape + 1u);
      return keep(record, Kept::where_tapes_stay);
    // What is made between steps may be for all that follow.
    case CreateRecord::kKind:
    case TensorNameRecord::kKind: return open_ ? void() : keep(record);
    case StepResultRecord::kKind:
      if (record.as<StepResultRecord>().results.nonfinite()) ordinary_ = false;
      return;
    case FunctionCallRecord::kKind: {
      constexpr std::uint8_t kPlain = 2 | 16;  // within a trace, or of a concrete function
      if (record.as<FunctionCallRecord>().flags & ~kPlain) ordinary_ = false;
      return keep(record);
    }
    case ReplicaRecord::kKind: return add_replica(record.as<ReplicaRecord>());
    case GraphWaitRecord::kKind: graph_waits_ = true; return keep(record);
    case ScalarRecord::kKind:
    case MessageRecord::kKind:
    case FindingRecord::kKind:
    case FindingFiguresRecord::kKind:
    case FindingStepRecord::kKind:
    case FunctionEndRecord::kKind:
    case EarlierTensorRecord::kKind:
    case BatchFallbackRecord::kKind: return keep(record);
    case OutputRecord::kKind:
    case VariableValueRecord::kKind:
    case AssignRecord::kKind:
    case HostReadRecord::kKind:
    case TapeRecord::kExit:
    case TapeRecord::kPause:
    case TapeRecord::kResume:
    case TapeRecord::kConsumed:
    case WatchRecord::kKind:
    case SilenceBeginRecord::kKind:
    case SilenceEndRecord::kKind:
    case TargetRecord::kKind:
    case BackwardStepRecord::kKind: return;
    default: ordinary_ = false;
  }
}

void DigestMaker::add_op(const OpRecord& op) {
  expects_ = Operands::of_none;
  if (op.flags & OpRecord::kTraced || ran_.size() == kMostOps) ordinary_ = false;
  if (!open_ || !ordinary_) return;
  phases_.op(op);
  ran_.push_back({op.ticks - op.duration, op.ticks});
  if (exchanges(op.name)) wait_in(op);
  if (walks_ > 0 || op.flags & OpRecord::kBackward) {
    ++counts_.backward_ops;
    return;
  }
  expects_ = Operands::of_forward;
  count_forward(op);
}

void DigestMaker::count_forward(const OpRecord& op) {
  ++counts_.executed;
  if (op.duration != 0) ++calls_[rounded(op.duration) << 16 | op.name];
}

// Those that follow the first of an op say nothing of tapes.
void DigestMaker::add_operands(const OperandsRecord& operands) {
  if (std::exchange(expects_, Operands::of_none) == Operands::of_none) return;
  ++(has_recorded(operands.answers) ? counts_.recorded : counts_.not_recorded);
}

void DigestMaker::add_of_another(const Record& record) {
  switch (record.kind) {
    case OpRecord::kKind:
      if (record.as<OpRecord>().flags & OpRecord::kTraced || others_.size() == kMostOfOthers)
        ordinary_ = false;
      if (ordinary_ && !(open_ && is_late(record.as<OpRecord>(), begin_))) others_.push_back({record});
      return;
    case OperandsRecord::kKind:
      if (!others_.empty() && !std::exchange(others_.back().answered, true))
        others_.back().recorded = has_recorded(record.as<OperandsRecord>().answers);
      return;
    case OutputRecord::kKind: return;
    default: ordinary_ = false;
  }
}

// What other threads ran until the step's end. One that exchanges while the step computes keeps it from
// nothing.
void DigestMaker::count_others(std::uint64_t end) {
  if (others_.empty()) return;
  std::ranges::sort(ran_, {}, &Interval::end);
  std::erase_if(others_, [&](const Call& call) {
    const auto op = call.op.as<OpRecord>();
    if (op.ticks > end) return false;
    if (exchanges(op.name)) {
      const auto next = std::ranges::upper_bound(ran_, op.ticks - op.duration, {}, &Interval::end);
      if (next == ran_.end() || next->begin >= op.ticks) wait_in(op);
    }
    if (op.flags & OpRecord::kBackward) {
      ++counts_.backward_ops;
      return true;
    }
    count_forward(op);
    if (call.answered) ++(call.recorded ? counts_.recorded : counts_.not_recorded);
    return true;
  });
}

void DigestMaker::wait_in(const OpRecord& op) {
  counts_.waited = counts_.waited + op.duration;
  if (counts_.exchange != 0 && op.duration <= longest_) return;
  longest_ = op.duration;
  counts_.exchange = op.name;
  counts_.site = op.site;
}

// One record for each source of a step, which says what was noted last.
void DigestMaker::add_replica(ReplicaRecord replica) {
  replica.hash = folded_hash(replica.hash);
  replica.order = 0;
  if (!open_) return keep(replica);
  const auto is_same = [&](const ReplicaRecord& other) {
    return other.index == replica.index && other.name == replica.name;
  };
  // Most often of the source before, or of the next one.
  auto found = replicas_.begin() + static_cast<std::ptrdiff_t>(last_replica_);
  if (found != replicas_.end() && !is_same(*found)) ++found;
  if (found == replicas_.end() || !is_same(*found)) found = std::ranges::find_if(replicas_, is_same);
  if (found == replicas_.end()) {
    found = replicas_.insert(found, replica);
    found->value = 2;
    found->hash = 0;
  }
  last_replica_ = static_cast<std::size_t>(found - replicas_.begin());
  const std::uint64_t low = found->hash & 0xffffffffu, high = found->hash >> 32;
  found->hash = replica.value ? replica.hash << 32 | low : high << 32 | replica.hash;
}

void DigestMaker::note_source(std::uint64_t tensor, std::uint64_t more) {
  sources_ = std::rotl(sources_ ^ tensor * 0x9e3779b97f4a7c15u ^ more, 23) * 0xff51afd7ed558ccdu + 1;
}

bool DigestMaker::exchanges(OpNameId op) {
  if (op >= exchanges_.size()) exchanges_.resize(static_cast<std::size_t>(op) + 64);
  if (exchanges_[op] == 0) exchanges_[op] = is_exchange(op) ? 2 : 1;
  return exchanges_[op] == 2;
}

void StatisticsDigestMaker::add(std::span<const StatsEntry> entries) {
  for (const StatsEntry& entry : entries) {
    if (entry.stats.nans + entry.stats.infinities > 0 || (step_ && entry.step < *step_)) ordinary_ = false;
    if (step_ && entry.step != *step_) end_step();
    step_ = entry.step;
    sources_ += mixed(mixed(entry.source_id) + entry.source);
  }
}

void StatisticsDigestMaker::end_step() {
  if (digest_.sources != sources_ && digest_.steps > 0) ordinary_ = false;
  digest_.sources = std::exchange(sources_, 0);
  ++digest_.steps;
}

std::optional<StatisticsDigest> StatisticsDigestMaker::take() {
  const StatisticsDigest made = digest_;
  digest_.steps = 0;
  return std::exchange(ordinary_, true) ? std::optional(made) : std::nullopt;
}

}  // namespace tapescope::record
