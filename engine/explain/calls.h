// What a call of a function does with one of its inputs, looked up among the ops of its graph.
#pragma once
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "engine/explain/path.h"

namespace tapescope {

struct InsideCall {
  bool known = false;           // records show the graph; else the call is taken to pass gradients on
  bool leads = false;           // the result depends on the input
  Break cut;                    // nearest the input; no reason when a gradient passes
  std::vector<PathStep> steps;  // from the result towards the input, up to the cut; those of calls inside too
};

// What calls do, and those inside of them. Each is looked up once: functions that call each other take linear
// time, and a call that a damaged recording puts inside itself ends.
class InsideCalls {
 public:
  explicit InsideCalls(const History& history) : history_(history) {}
  // From result `output` of the call to its input `slot`. Looks at the trace first, in which nothing has been
  // optimized away, then at the ops that ran. `weak` follows assignments as well. `depth`: calls that it is
  // inside of.
  const InsideCall& of(const HistoryOp& call, std::uint32_t output, std::uint32_t slot, bool weak,
                       int depth = 0);

 private:
  InsideCall look_up(const HistoryOp& call, std::uint32_t output, std::uint32_t slot, bool weak, int depth);
  InsideCall way_of(PathSearch& search, bool weak, int depth);

  const History& history_;
  std::map<std::tuple<const HistoryOp*, std::uint32_t, std::uint32_t, bool>, InsideCall> known_;
};

// Whether a gradient taken in the body is what the call returns.
bool returns_gradient(const History& history, const HistoryOp& call);

// Whether the bodies of all functions that were given the tensor leave it unread; false where no record
// says, or where anything else read it.
bool only_ignored_by_functions(const History& history, TensorId tensor);

// Whether nothing read the tensor's values: there is no consumer, or each one takes its shape (zeros_like).
bool only_its_shape_was_taken(const History& history, TensorId tensor);

// Where the tensor is read, if only functions that the program does not call itself read it; else null.
const UncalledRead* only_read_uncalled(const History& history, TensorId tensor);

// Whether the call's trace captured that input: it is no argument.
bool is_captured(const History& history, const HistoryOp& call, TensorId tensor);

}  // namespace tapescope
