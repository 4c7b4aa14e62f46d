// Event records: 32 bytes each, written by the thread they tell of, in the order things happened there.
//
// The record format is open to programs other than ours: op names are interned strings, not rows of
// our op table, and everything an explanation needs is a record. Ids of names, sites and types are
// those of core/names.h and core/type.h within the process; a recording defines them in its own chunks.
#pragma once
#include <cstdint>

#include "engine/core/names.h"
#include "engine/core/tensor.h"

namespace tapescope {

using TapeId = std::uint32_t;  // from 1; never reused within a process

enum class RecordKind : std::uint8_t {
  none = 0,
  op,        // an op ran; OpRecord, followed by one OperandsRecord for every three inputs
  operands,  //
  output,    // of the op before: output x (not the first) has type y
  create,    // tensor id=x came from the host (a=1: a number in an expression); b=site, y=type, h=mark of its
             // values
  host_read,    // the program read the values of tensor x; b=site, h=mark of its values; a: see
                // events/branch_records.h
  tensor_name,  // tensor x is called b
  variable,     // handle x was made: b=name, a=1 if trainable, y=type of the value | site << 32, z=initial
                // value's id
  assign,       // variable x received the value of tensor y; b=site
  tape_enter,   // tape b; a: bit 0 persistent, bit 1 watches accessed variables, bit 2 entered again; x=site
  tape_exit,    // tape b; x=site
  tape_pause,   // tape b; x=site
  tape_resume,  // tape b; x=site
  tape_reset,   // tape b; x=site
  tape_consumed,   // tape b was used up by a gradient call; x=site
  tape_destroyed,  // tape b's recording was given back
  watch,           // tape b was told to watch tensor or handle x; a: WatchKind; y=site
  silence_begin,   // every tape of the thread is silenced: b=name of what does so (stop_gradient, init_scope)
  silence_end,     //
  gradient_ask,    // tape b; a: GradientAsk flags; x = targets | sources << 32; y=site, z=call id
  target,          // of the last ask: tensor or handle x
  source,          // of the last ask: tensor or handle x, b=name, a=index
  backward_begin,  // tape b; x=ticks, y=nodes that will be walked, z=call id
  backward_step,   // tape b; x=ticks, y=output id of the forward op, z = index | kernels run << 32
  backward_end,    // tape b; x=ticks, z=call id; a=1 if it raised
  result,          // gradient of source x: a: ResultKind, y=tensor id, z=source index
  step_begin,      // training step x; y=ticks; b=program id
  step_end,        // training step x; y=ticks; a=1 if it was abandoned
  scalar,          // metric b has the double in x; y=step. "loss" is a metric.
  function_made,   // function b (an id from 1) is called y; a: FunctionFlags, x=site, z=mark of the callable
                   // it wraps
  function_call,   // function b called: a: 1 traced, x=ticks spent tracing, y=call number | site << 32,
                   // z=trace id
  function_end,    // of that call: x=ticks, y=nodes that ran
  trace_argument,  // of the call before, which was traced: b=name, a: ArgumentKind, x=its key in words,
                   // y=type | alias << 32, z=index
  graph_pass,  // of that trace: pass b, h=round, a=1 if switched off, x=nodes before | after << 32, y=bytes,
               // z=FLOPs, likewise
  rewrite,     // rule b at site y: a: RewriteKind, x=op before | op after << 32 (names)
  batch_fallback,  // op b ran once an element: it has no batching rule; x=site, y=how often
  message,         // text b by the program or the tool; a: severity; x=site
  lost,            // x records were dropped here
  clock_pair,      // x=ticks, y=nanoseconds of the steady clock
};

// Where a kind leaves z unused it holds the id the next tensor of the thread would get: ids grow along a
// thread, so this orders what happened between ops.
// A mark is a short hash of a tensor's values, never 0: values that left for the host and came back are told
// by it. 32 bytes; written whole, then published by one release store of the chunk's count.
struct Record {
  RecordKind kind = RecordKind::none;
  std::uint8_t a = 0;
  std::uint16_t h = 0;
  std::uint32_t b = 0;
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  std::uint64_t z = 0;
};
static_assert(sizeof(Record) == 32);

// How a tape answered an op. Four bits a tape, in the order the tapes became active on the thread.
enum class TapeAnswer : std::uint8_t {
  absent = 0,  // fewer tapes than that
  recorded = 1,
  no_watched_input = 2,
  not_floating = 3,  // its only watched inputs are of integer or boolean types
  paused = 4,
  silenced = 5,
};
inline constexpr int kMaxAnswers = 8;  // 32 bits; tapes beyond are not told

// An op that ran. Its outputs have consecutive ids. Ops between a backward_step and the next one (or the
// backward_end) of a thread belong to that step. Ticks are 0 where nothing asked for times.
struct OpRecord {
  static constexpr std::uint8_t kBackward = 1;    // ran inside a backward step
  static constexpr std::uint8_t kSilenced = 2;    // ran while tapes were silenced
  static constexpr std::uint8_t kTraced = 4;      // added to a graph; did not run
  static constexpr std::uint8_t kNoGradient = 8;  // this op has no gradient for any input
  static constexpr std::uint8_t kHandle = 16;     // its first input is a variable's handle
  // Inputs that never get a gradient although others do (indices, conditions).
  static constexpr std::uint8_t kNeverFirst = 32;
  static constexpr std::uint8_t kNeverSecond = 64;
  static constexpr std::uint8_t kNeverOthers = 128;  // every input from the third on

  RecordKind kind = RecordKind::op;
  std::uint8_t flags = 0;
  OpNameId name = 0;
  SiteId site = 0;
  std::uint64_t ticks = 0;     // at its end
  TensorId output = 0;         // id of the first output
  std::uint32_t type = 0;      // of the first output
  std::uint32_t duration = 0;  // ticks it took, saturating
};
static_assert(sizeof(OpRecord) == 32);

// Ids of three inputs; 0 where there are fewer. The first one of an op also tells the tapes' answers and
// the number of inputs and outputs.
struct OperandsRecord {
  RecordKind kind = RecordKind::operands;
  std::uint8_t inputs = 0;  // of the whole op; 255 when more
  std::uint16_t outputs = 0;
  std::uint32_t answers = 0;  // first record: tapes' answers; later ones: index of their first input
  TensorId input[3] = {0, 0, 0};
};
static_assert(sizeof(OperandsRecord) == 32);

enum class WatchKind : std::uint8_t { refused_dtype = 0, by_hand = 1, by_read = 2, known = 3, ignored = 4 };
enum class RewriteKind : std::uint8_t { bit_exact = 0, reassociating = 1, nan_discarding = 2 };
enum class ArgumentKind : std::uint8_t {
  tensor = 0,
  variable,
  number,
  text,
  object,
  list,
  map,
  none,
  context
};
enum class ResultKind : std::uint8_t { none = 0, value = 1, unconnected_zero = 2 };

}  // namespace tapescope
