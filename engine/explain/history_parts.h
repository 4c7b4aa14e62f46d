// What a history is made of: ops, tapes, variables, tensors from the host, questions.
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/tapes.h"

namespace tapescope {

inline constexpr std::uint32_t kNoIndex = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoType = ~std::uint32_t{0};
// Numbers in an expression become tensors just before the op that takes them: ids from a read to the number
// it became.
inline constexpr TensorId kNearby = 4;
inline constexpr std::uint32_t kUnknownSet = 1;  // of tapes: some were active without an enter record

// One executed op.
struct HistoryOp {
  OpNameId op = 0;
  std::uint8_t flags = 0;  // OpRecord's
  std::uint16_t outputs = 1;
  std::uint32_t answers = 0;  // TapeAnswer, four bits a tape, in the order of its tape set
  SiteId site = 0;
  std::uint32_t thread = 0;
  NameId silencer = 0;     // name of what silenced the tapes ("stop_gradient"), 0 if none did
  TensorId output = 0;     // of the first output; later ones follow
  std::uint32_t type = 0;  // of the first output
  std::uint32_t first_input = 0, inputs = 0;  // into the history's inputs
  std::uint32_t tapes = 0;                    // index into tape_sets(): which tapes were active
  std::uint64_t ticks = 0, duration = 0;
  TensorId backward_of = 0;  // output of the forward op this one belongs to, 0 for a forward op
  std::uint64_t call = 0;    // id of the gradient() that a backward op belongs to, 0 if unknown
  std::uint64_t walked = 0;  // call id of the last gradient() that walked this op backwards, 0 for none
  bool custom = false;       // its gradient is one that the program gave
  std::uint64_t trace =
      0;  // of the call of a traced function: key of the trace it ran or took in, 0 for any other op
};

// A trace by function and number; 0 for none.
constexpr std::uint64_t trace_key(std::uint32_t function, std::uint64_t trace) {
  return function | trace << 32;
}

// A value that the host had read and that became a constant of a function's graph when it was traced.
struct TracedConstant {
  OpNameId op = 0;      // the traced op that takes it
  SiteId site = 0;      // of that op
  TensorId tensor = 0;  // the constant
  TensorId read = 0;    // the tensor whose values were read
  SiteId read_site = 0;
  bool certain = false;  // the values are the same; else it was only made right after the read
  bool number = false;   // written in an expression, so never a capture that the program means as such
};

// Where a tape stood on a thread. `used_up` is what gradient() inside the block leaves behind.
enum class TapePhase : std::uint8_t { never, recording, paused, exited, used_up };

// Something that happened to a tape; `stamp` is the id of the next tensor of the thread.
struct TapeEvent {
  RecordKind kind = kNoRecord;
  TapePhase phase = TapePhase::never;  // after it
  std::uint32_t generation = 0;        // the recording it belongs to, after it; from 1
  std::uint32_t order = 0;             // of arrival
  TensorId stamp = 0;
  SiteId site = 0;
};

struct TapeWatch {
  WatchKind kind = WatchKind::by_hand;
  std::uint32_t thread = 0;
  std::uint32_t generation = 0;
  TensorId stamp = 0;
  SiteId site = 0;
};

// How a tape's recording came to its end.
struct RecordingEnd {
  RecordKind kind = kNoRecord;  // kReset or kConsumed of TapeRecord; kNoRecord while it lasts
  SiteId site = 0;
};

struct HistoryTape {
  TapeId id = 0;
  bool persistent = false;
  bool watch_accessed = true;
  bool destroyed = false;
  SiteId site = 0;               // where it was first entered
  std::uint32_t generation = 0;  // of the present recording; 0 when it was never entered
  std::uint32_t consumed_order =
      0;  // arrival of the last tape_consumed, 0 if it was entered again since or never was
  SiteId consumed_site = 0;
  bool asking = false;             // inside a gradient call that has not begun its backward pass
  std::vector<RecordingEnd> ends;  // of recording g at index g - 1
  struct OnThread {
    std::uint32_t thread = 0;
    std::vector<TapeEvent> events;
  };
  std::vector<OnThread> threads;  // those that entered it or did something to it
  std::unordered_map<TensorId, std::vector<TapeWatch>> watches;
};

// A value that a variable received; the first one is its initial value.
struct HistoryAssign {
  TensorId variable = 0;
  TensorId value = 0;  // 0 when a fused update computed it
  TensorId stamp = 0;
  std::uint32_t thread = 0;
  SiteId site = 0;
  std::uint32_t previous = kNoIndex;  // of the same variable
};

struct HistoryVariable {
  NameId name = 0;
  bool trainable = true;
  std::uint32_t type = kNoType;  // of the value
  std::uint32_t thread = 0;
  SiteId site = 0;
  SiteId trainable_site = 0;           // where the flag was set after it was made; 0 if it never was
  std::vector<std::uint32_t> assigns;  // indices, in order
};

// A tensor that came from the host. `mark` is a short fingerprint of its values, 0 if unknown.
struct HistoryCreate {
  std::uint32_t type = kNoType;
  std::uint32_t thread = 0;
  std::uint16_t mark = 0;
  SiteId site = 0;
};

struct HistoryRead {
  TensorId tensor = 0;
  TensorId stamp = 0;
  std::uint32_t thread = 0;
  std::uint16_t mark = 0;
  bool printed = false;  // only written out
  SiteId site = 0;
  std::uint32_t previous = kNoIndex;  // on the same thread, of those that are not only written out
  bool in_trace = false;              // of a function: into its graph alone
};

// What ran between two stamps of a thread was branch `branch` of the cond at `site`.
struct HistoryBranch {
  SiteId site = 0;
  std::uint32_t branch = 0;
  std::uint32_t thread = 0;
  bool traced = false;          // it did not run: its ops became nodes of a graph
  TensorId begin = 0, end = 0;  // ids that its ops' outputs may have
};

// The branch that ran of a cond whose node a function's graph holds.
struct NodeBranch {
  std::uint32_t branch = 0;
  std::uint64_t takes = 0;  // inputs, as in NodeBranchRecord; 0 where an older recording does not say
  TensorId begin = 0;       // its ops' outputs have ids from here on, up to the node's own
};

// What stood for a parameter while a function was traced.
struct TracedParameter {
  std::uint64_t trace = 0;  // key
  std::uint32_t place = 0;  // among the inputs of its calls, from 0
  NameId name = 0;
};

// What reads a tensor in a function that the program does not call itself.
struct UncalledRead {
  std::uint64_t trace = 0;
  OpNameId op{};
  SiteId site = 0;
};

// One call of gradient().
struct Question {
  TapeId tape = 0;
  std::uint8_t flags = 0;
  std::uint32_t thread = 0;
  std::uint32_t order = 0;  // of arrival
  SiteId site = 0;
  std::uint64_t call = 0;
  std::uint32_t target_count = 0, source_count = 0;
  std::vector<TensorId> targets;
  struct Source {
    TensorId id = 0;
    NameId name = 0;
    ResultKind result = ResultKind::none;
    bool answered = false;
    TensorId gradient = 0;
  };
  std::vector<Source> sources;
};

}  // namespace tapescope
