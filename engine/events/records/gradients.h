// Records of gradient calls: what is asked, the walk over the tape, the answers.
#pragma once
#include "engine/events/records/record.h"

namespace tapescope {

// A gradient call begins; a target record follows for each target, a source record for each source.
struct GradientAskRecord {
  static constexpr RecordKind kKind{19};
  static constexpr std::uint8_t kZero = 1;    // unconnected sources get zeros
  static constexpr std::uint8_t kPrune = 2;   // the walk is confined to what lies between targets and sources
  static constexpr std::uint8_t kTraced = 4;  // inside a function's trace: its answers are nodes of the graph

  RecordKind kind = kKind;
  std::uint8_t flags = 0;
  std::uint16_t depth = 0;  // open traces and batches; what is deeper than a function_call is its trace's
  TapeId tape = 0;
  std::uint32_t targets = 0;  // how many
  std::uint32_t sources = 0;  // how many
  SiteField site = 0;
  std::uint32_t unused_y = 0;
  std::uint64_t call = 0;  // number of the gradient call
};

// A target of the gradient call before.
struct TargetRecord {
  static constexpr RecordKind kKind{20};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  NameField name = 0;
  TensorId tensor = 0;  // or handle
  std::uint64_t unused_y = 0;
  std::uint64_t unused_z = 0;
};

// A source of the gradient call before.
struct SourceRecord {
  static constexpr RecordKind kKind{21};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t index = 0;  // from 0; 255 where it is more
  std::uint16_t unused_h = 0;
  NameField name = 0;
  TensorId tensor = 0;  // or handle
  std::uint64_t unused_y = 0;
  std::uint64_t unused_z = 0;
};

// The walk over the tape begins.
struct BackwardBeginRecord {
  static constexpr RecordKind kKind{22};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  TapeId tape = 0;
  TicksField ticks = 0;
  std::uint64_t nodes = 0;  // that will be walked
  std::uint64_t call = 0;   // number of the gradient call
};

// The walk comes to a node of the tape; the ops that compute its gradients follow.
struct BackwardStepRecord {
  static constexpr RecordKind kKind{23};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t custom = 0;  // 1: the op's gradient is one that the program gave
  std::uint16_t unused_h = 0;
  TapeId tape = 0;
  TicksField ticks = 0;
  TensorId output = 0;      // of the node's op: id of its first output
  std::uint64_t index = 0;  // of the step in the walk
};

// The walk is over.
struct BackwardEndRecord {
  static constexpr RecordKind kKind{24};

  RecordKind kind = kKind;
  std::uint8_t raised = 0;  // 1: by an error
  std::uint16_t unused_h = 0;
  TapeId tape = 0;
  TicksField ticks = 0;
  std::uint64_t unused_y = 0;
  std::uint64_t call = 0;  // number of the gradient call
};

enum class ResultKind : std::uint8_t { none = 0, value = 1, unconnected_zero = 2 };

// What a gradient call answers for one source; in the order of its sources.
struct ResultRecord {
  static constexpr RecordKind kKind{25};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  ResultKind result = ResultKind::none;
  std::uint16_t unused_h = 0;
  NameField name = 0;
  TensorId source = 0;      // or handle
  TensorId gradient = 0;    // 0 where it is None
  std::uint64_t index = 0;  // of the source, from 1; 0 unknown
};

// Which values of an op were None, all zeros, or held a NaN or an infinity; bit i is value i. Values with
// nothing wrong have no bit, nor have those beyond the sixteenth.
struct ValueMasks {
  std::uint16_t none = 0, zero = 0, nan = 0, infinity = 0;

  bool any() const { return (none | zero | nan | infinity) != 0; }
  std::uint16_t nonfinite() const { return nan | infinity; }
  bool operator==(const ValueMasks&) const = default;
};
static_assert(sizeof(ValueMasks) == 8);

// What values were like when a program of another framework ran. After a backward step: the gradients it
// returned, one for each input of the forward op, and the cotangents it was given, one for each output. Of a
// forward op: its outputs, recorded later and only where a value is not finite.
struct StepResultRecord {
  static constexpr RecordKind kKind{39};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t forward = 0;         // 1: of a forward op
  std::uint16_t values = 0;         // gradients returned, or outputs
  std::uint16_t given = 0;          // cotangents that were looked at
  std::uint16_t zero_operands = 0;  // mask of the forward inputs a backward step got that are all zeros
  ValueMasks results{};
  ValueMasks cotangents{};
  TensorId output = 0;  // of the forward op: id of its first output
};

// A run of a function's graph came to a gradient call that was traced inside of it, and something is wrong
// there: the step results and values that follow are those of this run, by the tensors of the trace.
struct GraphAskRecord {
  static constexpr RecordKind kKind{54};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  TapeId tape = 0;
  std::uint64_t call = 0;  // number of the gradient call
  std::uint64_t unused_y = 0;
  std::uint64_t unused_z = 0;
};

using GradientRecords =
    RecordList<GradientAskRecord, TargetRecord, SourceRecord, BackwardBeginRecord, BackwardStepRecord,
               BackwardEndRecord, ResultRecord, StepResultRecord, GraphAskRecord>;

}  // namespace tapescope
