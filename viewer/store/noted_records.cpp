// Which kinds are noted, and when records were written.
#include "viewer/store/noted_records.h"

#include "engine/events/records/callers.h"
#include "engine/events/records/findings.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/graphs.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/replicas.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"

namespace tapescope {
namespace {

constexpr std::uint64_t bit(RecordKind kind) { return std::uint64_t{1} << static_cast<int>(kind); }
template <class... R>
constexpr std::uint64_t bits_of() {
  return (bit(R::kKind) | ...);
}

constexpr std::uint64_t kNoted =
    bits_of<VariableRecord, TrainableRecord, EarlierTensorRecord, CreateRecord, TensorNameRecord,
            ScalarRecord, MessageRecord, FunctionCallRecord, FunctionMadeRecord, FunctionEndRecord,
            TraceArgumentRecord, UnrolledLoopRecord, GraphRecord, GraphPassRecord, RewriteRecord,
            RecomputationHintRecord, FusedLoopRecord, LoopMemberRecord, LoopCodeRecord, LostRecord,
            BatchFallbackRecord, TapeEnterRecord, GradientAskRecord, SourceRecord, ResultRecord,
            StepBeginRecord, StepEndRecord, FindingRecord, FindingFiguresRecord, FindingStepRecord,
            ReplicaRecord>() |
    bit(TapeRecord::kReset) | bit(TapeRecord::kDestroyed);

}  // namespace

bool is_noted(RecordKind kind) {
  return kind == CallersRecord::kKind || (static_cast<int>(kind) < 64 && (kNoted & bit(kind)) != 0);
}

std::uint64_t first_ticks_in(std::span<const Record> records) {
  for (const Record& record : records) {
    if (record.is<StepBeginRecord>()) return record.as<StepBeginRecord>().ticks;
    if (!record.is<OpRecord>()) continue;
    if (const std::uint64_t ticks = record.as<OpRecord>().ticks) return ticks;
  }
  return 0;
}

}  // namespace tapescope
