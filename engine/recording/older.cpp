// What the records of older versions meant, kind by kind.
#include "engine/recording/older.h"

#include <bit>

#include "engine/events/records/functions.h"
#include "engine/events/records/graphs.h"
#include "engine/events/records/tensors.h"

namespace tapescope::record {
namespace {

std::uint32_t low_half(std::uint64_t field) { return static_cast<std::uint32_t>(field); }
std::uint32_t high_half(std::uint64_t field) { return static_cast<std::uint32_t>(field >> 32); }

// A host_read with `a` above 0 was a branch, that of a graph's node where bit 1 of `h` was set.
Record branch_of(const Record& old) {
  const auto number = static_cast<std::uint8_t>(old.a - 1);
  if (old.h & 2) return NodeBranchRecord{.branch = number, .chooser = old.x, .inputs = old.y, .begin = old.z};
  return BranchRecord{.branch = number,
                      .traced = static_cast<std::uint16_t>(old.h & 1),
                      .site = old.b,
                      .chooser = old.x,
                      .begin = old.y,
                      .order = old.z};
}

// In `y` of a tensor_name: what a trace returns, or the value of a variable. In `z` of a variable: its flag
// was set.
constexpr std::uint64_t kResultPlace = std::uint64_t{1} << 62;
constexpr std::uint64_t kValueOf = std::uint64_t{1} << 63;
constexpr std::uint64_t kTrainableSet = std::uint64_t{1} << 63;
// Values of `a` of a rewrite that was none.
constexpr std::uint8_t kHint = 3, kUnrolledLoop = 4;
// In `a` of a graph_pass of round 0: not a graph that ran, but a trace, whose unrolled loops follow.
constexpr std::uint8_t kTraceHeading = 2;

}  // namespace

bool OlderRecords::renew(std::uint32_t thread, Record& record) {
  const Record old = record;
  switch (old.kind) {
    case HostReadRecord::kKind:
      if (old.a != 0) record = branch_of(old);
      return true;
    case TensorNameRecord::kKind:
      if (old.y & kValueOf) {
        record =
            VariableValueRecord{.name = old.b, .value = old.x, .variable = old.y & ~kValueOf, .order = old.z};
      } else if (old.y & kResultPlace) {
        record = TraceResultRecord{
            .depth = old.h, .tensor = old.x, .place = (old.y & ~kResultPlace) - 1, .order = old.z};
      } else if (old.y != 0) {
        record = TraceParameterRecord{
            .depth = old.h, .name = old.b, .tensor = old.x, .place = old.y - 1, .order = old.z};
      }
      return true;
    case VariableRecord::kKind:
      if (old.z & kTrainableSet) {
        record = TrainableRecord{.trainable = old.a,
                                 .name = old.b,
                                 .variable = old.x,
                                 .type = low_half(old.y),
                                 .site = high_half(old.y)};
      }
      return true;
    case GraphPassRecord::kKind:
      if (old.h != 0) return true;
      if (old.a == kTraceHeading) {
        traces_[thread] = {low_half(old.x), high_half(old.x), low_half(old.y)};
        return false;
      }
      record = GraphRecord{.name = old.b, .function = low_half(old.x), .trace = high_half(old.x)};
      return true;
    case RewriteRecord::kKind:
      if (old.a == kHint) {
        record = RecomputationHintRecord{.op = low_half(old.x),
                                         .site = low_half(old.y),
                                         .bytes = std::bit_cast<float>(low_half(old.z)),
                                         .flops = std::bit_cast<float>(high_half(old.z))};
      } else if (old.a == kUnrolledLoop) {
        const auto trace = traces_.find(thread);
        if (trace == traces_.end()) return false;  // its heading was lost
        record = UnrolledLoopRecord{.function = trace->second.function,
                                    .trace = trace->second.id,
                                    .op = low_half(old.x),
                                    .site = low_half(old.y),
                                    .rounds = low_half(old.z),
                                    .nodes = high_half(old.z),
                                    .trace_nodes = trace->second.nodes};
      }
      return true;
    default: return true;
  }
}

void OlderRecords::renew(EventBlock& block) {
  std::size_t kept = 0, next = 0;
  for (EventBlock::Batch& batch : block.batches) {
    const std::size_t stop = next + batch.count;
    batch.count = 0;
    for (; next < stop; ++next) {
      if (!renew(batch.thread, block.records[next])) continue;
      if (kept != next) block.records[kept] = block.records[next];
      ++kept;
      ++batch.count;
    }
  }
  block.records.resize(kept);
}

}  // namespace tapescope::record
