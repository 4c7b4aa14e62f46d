// Where the way from a source to a target is cut for a tape: one op, or the source itself, looked at alone.
#pragma once
#include "engine/explain/explain.h"
#include "engine/explain/history.h"

namespace tapescope {

// What was asked, with the history to answer from.
struct Asked {
  const History& history;
  const HistoryTape* tape = nullptr;  // null when no record names it
  TapeId tape_id = 0;
  TensorId target = 0;
  TensorId source = 0;
};

struct Break {
  Reason reason = Reason::none;
  SiteId site = 0;   // of the call that did it (reset, gradient, stop_recording, watch); 0: the op itself did
  TapeId other = 0;  // the tape that saw it instead
  TensorId tensor = 0;                   // what the program took for the source, or the other way round
  std::uint32_t taken = 0, untaken = 0;  // branches of a cond
  SiteId back = 0;                       // where what the host read came back
  SiteId use = 0;         // of what a condition of the host's kept from running
  NameId condition = 0;   // as it is written
  bool guess = false;                    // the records suggest it, and do not prove it
  bool uncalled = false;                 // in a function that the program does not call itself
};

bool is_floating_type(std::uint32_t type);
bool is_known_type_without_gradient(std::uint32_t type);
bool is_truth_value(const History& history, TensorId tensor);
// The same of a single one, which chooses what runs or is checked: no other value is made of it.
bool is_single_truth(const History& history, TensorId tensor);

// Why the tape does not follow the source itself; no reason when it does, or did at some time.
Break break_at_source(const Asked& asked);

// Why no gradient passes the op from its output to input `slot`. `live` says whether the tape could follow
// that input: an op that only repeats an earlier break is no further break.
Break break_at_op(const Asked& asked, const HistoryOp& op, std::uint32_t slot, bool live);

// Whether the other tape is the one that the same line opened in an earlier round of a loop, and was no more
// when the tensor was made.
bool is_round_before(const Asked& asked, std::uint32_t thread, TensorId made, TapeId other);

// Why an input that the tape watched was not followed when the op ran.
Break unfollowed_then(const Asked& asked, const HistoryOp& op, TensorId input);

// Why none passes whatever the tapes do: an op of a function's graph, where no tape was.
Break break_of_op(const History& history, const HistoryOp& op, std::uint32_t slot);

}  // namespace tapescope
