// Which records of a step say what its traces are.
#include "viewer/store/trace_records.h"

#include <algorithm>

#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"

namespace tapescope {

std::vector<Record> lasting_trace_records(std::span<const Record> records) {
  std::vector<Record> kept;
  // What the host read may have become a constant: then the ops that made it count as well.
  const bool read = std::any_of(records.begin(), records.end(), [](const Record& r) {
    return r.is<HostReadRecord>() || r.is<BranchRecord>();
  });
  bool wanted = false;  // the op whose operands and outputs come
  bool asked = false;   // a gradient call inside the trace, whose targets, sources and results come
  for (const Record& record : records) {
    switch (record.kind) {
      case OpRecord::kKind: {
        const std::uint8_t flags = record.as<OpRecord>().flags;
        wanted = (flags & OpRecord::kTraced) || (read && !(flags & OpRecord::kBackward));
        break;
      }
      case GradientAskRecord::kKind:
        asked = record.as<GradientAskRecord>().flags & GradientAskRecord::kTraced;
        if (!asked) continue;
        break;
      case TargetRecord::kKind:
      case SourceRecord::kKind:
      case ResultRecord::kKind:
        if (!asked) continue;
        break;
      case OperandsRecord::kKind:
      case OutputRecord::kKind:
      case CreateRecord::kKind:
      case HostReadRecord::kKind:
      case VariableRecord::kKind:
      case SilenceBeginRecord::kKind:
      case SilenceEndRecord::kKind:
      case FunctionMadeRecord::kKind:
      case FunctionCallRecord::kKind:
      case VariableValueRecord::kKind:
      case TrainableRecord::kKind:
      case TraceParameterRecord::kKind:
      case TraceResultRecord::kKind:
      case BranchRecord::kKind:
      case StepBeginRecord::kKind: break;
      default: continue;
    }
    const bool of_op = record.is<OpRecord>() || record.is<OperandsRecord>() || record.is<OutputRecord>();
    if (!of_op || wanted) kept.push_back(record);
  }
  return kept;
}

}  // namespace tapescope
