// Records of ops that ran, forward and backward.
#pragma once
#include <array>

#include "engine/events/records/record.h"

namespace tapescope {

// How a tape answered an op. Four bits a tape, in the order the tapes became active on the thread.
enum class TapeAnswer : std::uint8_t {
  absent = 0,  // fewer tapes than that
  recorded = 1,
  no_watched_input = 2,
  not_floating = 3,  // its only watched inputs are of integer or boolean types
  paused = 4,
  silenced = 5,
  in_graph = 6,  // no tape is asked: it is in the function's graph with the op, which is a node of the step
};
inline constexpr int kMaxAnswers = 8;  // 32 bits; tapes beyond have no answer in the record

// An op ran; an operands record follows for every three inputs, the first one in any case. Its outputs have
// consecutive ids. Ops between a backward_step and the next one (or the backward_end) of a thread belong to
// that step.
struct OpRecord {
  static constexpr RecordKind kKind{1};
  static constexpr std::uint8_t kBackward = 1;       // ran inside a backward step
  static constexpr std::uint8_t kSilenced = 2;       // ran while tapes were silenced
  static constexpr std::uint8_t kTraced = 4;         // became a node of a graph; did not run
  static constexpr std::uint8_t kNoGradient = 8;     // this op has no gradient for any input
  static constexpr std::uint8_t kHandle = 16;        // its first input is a variable's handle
  static constexpr std::uint8_t kNeverFirst = 32;    // its first input never gets a gradient (an index)
  static constexpr std::uint8_t kNeverSecond = 64;   // its second input
  static constexpr std::uint8_t kNeverOthers = 128;  // every input from the third on

  RecordKind kind = kKind;
  std::uint8_t flags = 0;
  OpNameField name = 0;
  SiteField site = 0;
  TicksField ticks = 0;  // at its end
  TensorId output = 0;   // id of its first output, 0 where it has none
  TypeField type = 0;    // of the first output
  SpanField duration = 0;
};

// Three inputs of the op before. The first record of an op also has the tapes' answers and its numbers of
// inputs and outputs.
struct OperandsRecord {
  static constexpr RecordKind kKind{2};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t inputs = 0;    // of the whole op, 255 where it has more; 0 in later records
  std::uint16_t outputs = 0;  // of the whole op; 0 in later records
  std::uint32_t answers = 0;  // tapes' answers, 4 bits each; in later records the index of their first input
  std::array<TensorId, 3> input{};  // ids; 0 where there are fewer
};

// An output of the op before, but the first.
struct OutputRecord {
  static constexpr RecordKind kKind{3};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t index = 0;  // from 1
  std::uint32_t unused_b = 0;
  TensorId tensor = 0;
  TypeField type = 0;
  std::uint32_t unused_y = 0;
  std::uint64_t unused_z = 0;
};

// An op without a batching rule ran once an element of a batch.
struct BatchFallbackRecord {
  static constexpr RecordKind kKind{35};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  WideOpNameField op = 0;
  SiteField site = 0;
  std::uint32_t unused_x = 0;
  std::uint64_t rows = 0;  // how often it ran
  OrderField order = 0;
};

using OpRecords = RecordList<OpRecord, OperandsRecord, OutputRecord, BatchFallbackRecord>;

}  // namespace tapescope
