// Holds a step's records until it ends, as the program may stop in it, and then all of them are wanted.
#include "engine/live/thinner.h"

#include <utility>

#include "engine/events/records/endings.h"
#include "engine/events/records/findings.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/replicas.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tensors.h"

namespace tapescope::live {
namespace {

constexpr std::size_t kMostHeld = 1u << 18;  // records, 12 MiB; of a longer step only what always passes

bool always_passes(const Record& record) {
  switch (record.kind) {
    case StepBeginRecord::kKind:
    case StepEndRecord::kKind:
    case ScalarRecord::kKind:
    case MessageRecord::kKind:
    case LostRecord::kKind:
    case ProgramEndRecord::kKind:
    case FindingRecord::kKind:
    case FindingFiguresRecord::kKind:
    case FindingStepRecord::kKind:
    case FunctionMadeRecord::kKind:
    case FunctionCallRecord::kKind:
    case FunctionEndRecord::kKind:
    case TraceArgumentRecord::kKind:
    case TraceParameterRecord::kKind:
    case TraceResultRecord::kKind:
    case ReplicaRecord::kKind:
    case VariableRecord::kKind: return true;
    default: return false;
  }
}

}  // namespace

void Thinner::add(std::uint32_t thread, std::span<const Record> records, const Sink& sink) {
  std::size_t from = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    const bool begins = record.is<StepBeginRecord>();
    if (!begins && !record.is<StepEndRecord>()) continue;
    pass(thread, records.subspan(from, i - from), sink);
    begins ? begin(thread, record, sink) : end(thread, record, sink);
    from = i + 1;
  }
  pass(thread, records.subspan(from), sink);
}

void Thinner::pass(std::uint32_t thread, std::span<const Record> records, const Sink& sink) {
  if (records.empty()) return;
  const std::uint64_t every = within_ ? of_step_ : every_ == 0 ? 0 : 1;
  if (every == 1) return sink(thread, records);
  if (!within_) return lose(records.size());
  if (held_.records.size() + records.size() <= kMostHeld) return held_.add(thread, records);
  for (const Record& record : records) {
    if (every != 0 && always_passes(record)) held_.add(thread, std::span(&record, 1));
    else ++dropped_;
  }
}

void Thinner::begin(std::uint32_t thread, const Record& record, const Sink& sink) {
  if (within_ && of_step_ != 1) lose(held_.records.size() + dropped_);  // with the end of the one before
  forget();
  within_ = true;
  of_step_ = every_ == 0 ? 0 : record.as<StepBeginRecord>().step % every_ == 0 ? 1 : every_;
  if (of_step_ != 0 && unsaid_ > 0) {
    const Record account = LostRecord{.records = std::exchange(unsaid_, 0)};
    sink(thread, std::span(&account, 1));
  }
  if (of_step_ == 1) sink(thread, std::span(&record, 1));
  else held_.add(thread, std::span(&record, 1));
}

void Thinner::end(std::uint32_t thread, const Record& record, const Sink& sink) {
  const std::uint64_t every = within_ ? of_step_ : every_ == 0 ? 0 : 1;
  if (every == 0) {
    lose(held_.records.size() + dropped_ + 1);
    return forget();
  }
  if (every != 1) {
    std::uint64_t left_out = dropped_;
    std::size_t at = 0;
    for (const record::EventBlock::Batch& batch : held_.batches) {
      for (const Record& one : std::span(held_.records).subspan(at, batch.count)) {
        if (always_passes(one)) sink(batch.thread, std::span(&one, 1));
        else ++left_out;
      }
      at += batch.count;
    }
    const Record account = LostRecord{.thinned = 1, .records = left_out, .every = every};
    sink(thread, std::span(&account, 1));
  }
  sink(thread, std::span(&record, 1));
  forget();
}

void Thinner::release(const Sink& sink) {
  if (within_ && of_step_ == 1) return;
  const std::uint64_t lost = std::exchange(unsaid_, 0) + dropped_;
  lost_ += dropped_;
  if (lost > 0) {
    const Record account = LostRecord{.records = lost};
    sink(held_.batches.empty() ? 0 : held_.batches.front().thread, std::span(&account, 1));
  }
  std::size_t at = 0;
  for (const record::EventBlock::Batch& batch : held_.batches) {
    sink(batch.thread, std::span(held_.records).subspan(at, batch.count));
    at += batch.count;
  }
  const bool within = within_;
  forget();
  within_ = within;
}

// The step is over, or passes.
void Thinner::forget() {
  held_.clear();
  dropped_ = 0;
  of_step_ = 1;
  within_ = false;
}

}  // namespace tapescope::live
