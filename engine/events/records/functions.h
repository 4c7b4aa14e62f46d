// Records of functions: calls, traces, the loops that a trace unrolled and the branches of conds.
//
// function_made opens a function; a function_call follows for each call and, when that call was traced, one
// trace_argument for each argument and each item of a structure, parents before items, as "x", "x[0]",
// "x['key']". A trace that another one repeats at once (variables were made in the first) is a call with
// kRepeated. A function_end follows where the call ran to its end; a call inside a trace adds nodes and has
// none.
#pragma once
#include <array>

#include "engine/events/records/record.h"

namespace tapescope {

// A function was made.
struct FunctionMadeRecord {
  static constexpr RecordKind kKind{29};
  static constexpr std::uint8_t kRelaxes = 1;    // reduce_retracing
  static constexpr std::uint8_t kSignature = 2;  // has an input signature
  static constexpr std::uint8_t kCompiled = 4;   // the framework compiles it
  static constexpr std::uint8_t kLibrary = 8;    // made by a library, not by the program's author

  RecordKind kind = kKind;
  std::uint8_t flags = 0;
  std::uint16_t unused_h = 0;
  std::uint32_t function = 0;  // from 1
  SiteField site = 0;
  std::uint32_t unused_x = 0;
  NameField name = 0;
  std::uint32_t unused_y = 0;
  std::uint64_t mark = 0;  // of the callable it wraps: equal ones are one callable wrapped again
};

// A function was called. The record follows what the call traced and precedes what it runs.
struct FunctionCallRecord {
  static constexpr RecordKind kKind{30};
  static constexpr std::uint8_t kTraced = 1;     // the call was traced
  static constexpr std::uint8_t kNested = 2;     // called while another function was traced
  static constexpr std::uint8_t kNotCalled = 4;  // a concrete function was asked for; nothing ran
  static constexpr std::uint8_t kRepeated = 8;   // the second trace of a call whose first one made variables
  static constexpr std::uint8_t kConcrete = 16;  // of a concrete function: not counted, no cause of traces
  // of a call before the recording began, for readers that must know its trace: with 1 and 4
  static constexpr std::uint8_t kEarlier = 32;

  RecordKind kind = kKind;
  std::uint8_t flags = 0;
  std::uint16_t depth = 0;  // traces and batches that are open on the thread, as in gradient_ask
  std::uint32_t function = 0;
  WideSpanField tracing = 0;  // spent tracing
  std::uint32_t call = 0;     // number of the call of this function, from 1
  SiteField site = 0;
  std::uint64_t trace = 0;  // number of the trace it ran, of this function
};

// The call before ran to its end.
struct FunctionEndRecord {
  static constexpr RecordKind kKind{31};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  std::uint32_t function = 0;
  TicksField ticks = 0;
  std::uint32_t nodes = 0;  // that ran
  SpanField duration = 0;
  OrderField order = 0;
};

enum class ArgumentKind : std::uint8_t {
  tensor = 0,
  variable = 1,
  number = 2,
  text = 3,
  object = 4,
  list = 5,
  map = 6,
  none = 7,
  context = 8,  // a setting that the trace depends on
};
inline constexpr std::uint32_t kNoArgumentType = ~std::uint32_t{0};

// An argument of the call before, which was traced, or an item of one.
struct TraceArgumentRecord {
  static constexpr RecordKind kKind{32};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  ArgumentKind what = ArgumentKind::tensor;
  std::uint16_t unused_h = 0;
  NameField name = 0;
  NameField key = 0;        // words of the trace's key; a tensor's are its shape alone
  NameField given = 0;      // words of this call's argument, which differ where a shape was relaxed
  TypeField type = 0;       // of the call's tensor; 2^32 - 1 where it is none
  std::uint32_t alias = 0;  // index of the first variable argument that is the same variable
  std::uint64_t index = 0;  // of the record among the call's, from 1
};

// What stands for an input of the call while it is traced; the function_call follows when it is.
struct TraceParameterRecord {
  static constexpr RecordKind kKind{45};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t depth = 0;  // traces and batches that are open on the thread
  NameField name = 0;
  TensorId tensor = 0;      // the symbol or handle
  std::uint64_t place = 0;  // among the call's inputs, from 0
  OrderField order = 0;
};

// What a trace returns at a place; the function_call follows when its trace is complete.
struct TraceResultRecord {
  static constexpr RecordKind kKind{46};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t depth = 0;  // traces and batches that are open on the thread
  std::uint32_t unused_b = 0;
  TensorId tensor = 0;      // the symbol
  std::uint64_t place = 0;  // among the call's outputs, from 0
  OrderField order = 0;
};

// A trace made many copies of a loop's body.
struct UnrolledLoopRecord {
  static constexpr RecordKind kKind{40};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  std::uint32_t function = 0;
  std::uint32_t trace = 0;
  NameField op = 0;    // of the loop's first node
  SiteField site = 0;  // of that node
  std::uint32_t rounds = 0;
  std::uint32_t nodes = 0;        // of all rounds
  std::uint32_t trace_nodes = 0;  // of the whole trace
};

// A branch of a cond made the tensors from `begin` up to `order`: it ran, or it was traced. In a function
// each branch has one when it is traced.
struct BranchRecord {
  static constexpr RecordKind kKind{41};

  RecordKind kind = kKind;
  std::uint8_t branch = 0;   // from 0; 254 where it is more
  std::uint16_t traced = 0;  // 1: it did not run, its ops became nodes of a graph
  SiteField site = 0;
  TensorId chooser = 0;
  TensorId begin = 0;  // id that its first tensor got or would have got
  OrderField order = 0;
};

// The branch that ran of a cond in a function's graph, right before the op record of its node, which has site
// and tensors. In a gradient, whose op record is a backward one, it is the branch that gives more than zeros.
struct NodeBranchRecord {
  static constexpr RecordKind kKind{42};
  static constexpr std::uint32_t kLastInput = 63;

  RecordKind kind = kKind;
  std::uint8_t branch = 0;  // from 0; 254 where it is more
  std::uint16_t unused_h = 0;
  std::uint32_t unused_b = 0;
  TensorId chooser = 0;
  std::uint64_t inputs = 0;  // bit i: it takes input i of the node, 0 being the chooser; bit 63: all from it
  OrderField begin = 0;      // id that its first tensor got or would have got
};

// No op read the source of a question: in the program's text it is used only where a condition has to hold.
struct UntakenRecord {
  static constexpr RecordKind kKind{65};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  NameField condition = 0;  // as it is written
  TensorId source = 0;
  SiteField site = 0;  // of the condition
  SiteField use = 0;   // of the use
  OrderField order = 0;
};

// A viewer steps into the call that comes: its graph runs beside it, op by op. Its ops follow, then its end.
struct ExpansionRecord {
  static constexpr RecordKind kKind{61};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  NameField name = 0;  // of the function
  TicksField ticks = 0;
  SiteField site = 0;  // of the call
  std::uint32_t unused_y = 0;
  OrderField order = 0;
};

// An op of the expansion ran; inner_operands follow for every three inputs, the first one in any case. Its
// outputs have consecutive ids.
struct InnerOpRecord {
  static constexpr RecordKind kKind{62};
  static constexpr std::uint8_t kBackward = 1;  // of a gradient that the graph holds
  static constexpr std::uint8_t kHolds = 2;     // a cond, loop or call: its duration is that of the ops in it
  static constexpr std::uint8_t kHandle = 16;   // its first input is a variable's handle

  RecordKind kind = kKind;
  std::uint8_t flags = 0;
  OpNameField name = 0;
  SiteField site = 0;
  TicksField ticks = 0;  // at its end
  TensorId output = 0;   // id of its first output; of an op that has none, an id that stands for it
  TypeField type = 0;    // of the first output
  SpanField duration = 0;
};

// Three inputs of the inner op before.
struct InnerOperandsRecord {
  static constexpr RecordKind kKind{63};
  static constexpr bool kContinues = true;

  RecordKind kind = kKind;
  std::uint8_t inputs = 0;    // of the whole op, 255 where it has more; 0 in later records
  std::uint16_t outputs = 0;  // of the whole op; 0 in later records
  std::uint32_t first = 0;    // index of the first of these
  std::array<TensorId, 3> input{};  // ids; 0 where there are fewer
};

// An expansion is over; the call itself follows.
struct ExpansionEndRecord {
  static constexpr RecordKind kKind{64};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  NameField why = 0;  // it went no further; 0 where the graph ran to its end
  TicksField ticks = 0;
  std::uint64_t unused_y = 0;
  OrderField order = 0;
};

using FunctionRecords =
    RecordList<FunctionMadeRecord, FunctionCallRecord, FunctionEndRecord, TraceArgumentRecord,
               TraceParameterRecord, TraceResultRecord, UnrolledLoopRecord, BranchRecord, NodeBranchRecord,
               ExpansionRecord, InnerOpRecord, InnerOperandsRecord, ExpansionEndRecord, UntakenRecord>;

}  // namespace tapescope
