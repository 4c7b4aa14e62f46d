// The record of an op that ran, written by the gate for eager ops and by the executor for nodes of graphs.
#pragma once
#include "engine/gate/state.h"

namespace tapescope {

// What the record holds besides the op and its operands.
struct OpStamp {
  SiteId site;
  std::uint8_t flags;     // kBackward, kSilenced, kTraced of OpRecord
  std::uint32_t answers;  // of the thread's tapes
  Ticks begin, end;
};

void write_op_record(ThreadState& ts, const OpDef& op, OpInputs inputs, std::span<const Tensor> outputs,
                     const OpStamp& stamp);

// A mark of a tensor's values, for create and host_read records: a hash of the first few, never 0.
std::uint16_t values_mark(const Tensor& tensor);

}  // namespace tapescope
