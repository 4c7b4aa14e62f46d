// What the hooks remember of the calling thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "bridges/native/flat_table.h"
#include "bridges/native/tapescope_c.h"
#include "bridges/python/module/python.h"

namespace tapescope::bridge {

// The forward op whose step of a backward pass runs.
struct Forward {
  tapescope_tensor output = 0;
  std::uint32_t site = 0;
  std::uint16_t op = 0;
};

// A forward op's output, held until its step ends, so that the first value that is not finite can be found.
struct KeptOutput {
  tapescope_tensor op = 0;  // its first output
  std::uint16_t index = 0, outputs = 0;
  std::size_t bytes = 0;
  Ref tensor;
};

// What an op's record is made of, in memory that the next op uses again.
struct Call {
  std::vector<PyObject*> arguments;
  std::vector<tapescope_tensor> inputs;
  std::vector<std::uint32_t> input_types;
  std::vector<std::int64_t> identities;
  std::vector<std::uint32_t> output_types;

  void clear() {
    arguments.clear();
    inputs.clear();
    input_types.clear();
    identities.clear();
    output_types.clear();
  }
};

struct Question;

struct HookThread {
  int muted = 0;                  // hooks are silent: what runs is ours
  PyObject* arguments = nullptr;  // of the fast op under way, borrowed
  std::uint64_t begin = 0;        // ticks of the op under way
  std::uint32_t scope = 0;
  int tracing = 0;               // functions that are being traced
  unsigned long acts_for = 0;    // ident of the thread that waits for this one; 0: none does
  bool taped = false;            // a tape was entered in the step under way
  Question* question = nullptr;  // the one under way
  bool jacobian = false;         // it is part of a Jacobian
  // The backward pass under way.
  int backward = 0;
  int registered = 0;  // `backward` in the innermost gradient that the framework registered
  std::uint32_t tape = 0;
  std::uint32_t steps = 0;
  std::uint32_t origin = 0;  // site of the forward op, which its backward ops carry
  // Inside a gradient that the program gave: site of the question; an op with another one is on a line of
  // that gradient. 0 elsewhere.
  std::uint32_t custom = 0;
  std::vector<std::uint32_t> outer_customs;  // of the steps around
  std::vector<std::int64_t>
      fillers;  // tensors made outside of its steps: seeds, and zeros for what nothing connects
  std::vector<tapescope_tensor> assigned;  // handles, until they are asked for
  Ref traced_steps;  // a list that takes the steps of a question inside a trace; null: nothing asks
  // Forward ops of the step by the tuple of their attributes, which the tape holds as well.
  FlatTable<std::pair<Ref, Forward>> forwards;
  std::deque<KeptOutput> kept;  // the last ones
  std::size_t kept_bytes = 0;
  FlatTable<tapescope_tensor> reads;  // values of variables, by the handle they were read from
  // By an op's line: what led to its last op, as a hash; and how many ops that was asked of.
  FlatTable<std::uint64_t> called;
  std::uint32_t called_ops = 0;
  Ref flat;  // what is known of the function whose graph runs; null where none does
  Call call;
  // Who listens to the thread, for as long as it lives.
  const std::atomic<std::uint32_t>& attention =
      *reinterpret_cast<const std::atomic<std::uint32_t>*>(tapescope_listen_word());

  bool is_heard() const { return (attention.load(std::memory_order_relaxed) & TAPESCOPE_HEARD) != 0; }
  // As tapescope_at_gate(), which is asked only where a debugger listens at all.
  bool at_gate() const {
    return (attention.load(std::memory_order_relaxed) & TAPESCOPE_MAY_STOP) != 0 && tapescope_at_gate();
  }
};

// Holds Python objects: it is left to the end of the process, as the interpreter may be gone when the thread
// ends.
extern constinit thread_local HookThread* t_hook_thread;
HookThread& make_hook_thread();
inline HookThread& hook_thread() { return t_hook_thread ? *t_hook_thread : make_hook_thread(); }

}  // namespace tapescope::bridge
