// What the gate knows of the calling thread: its tapes, modes, scope and what it is doing.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/events/clock.h"
#include "engine/events/records/ops.h"
#include "engine/events/threads.h"
#include "engine/gate/flight.h"
#include "engine/gate/op.h"

namespace tapescope {

// One executed call, as tapes and accumulators see it. Everything is borrowed.
struct OpCall {
  const OpDef& op;
  OpInputs inputs;
  const Attrs& attrs;
  const Location& location;
  std::span<Tensor> outputs;
};

// A tape that is active on the thread, recording or paused.
class TapeListener {
 public:
  virtual ~TapeListener() = default;
  // Decides alone whether to record the call.
  virtual TapeAnswer offer(const OpCall& call) = 0;
  // A variable's value is about to be read.
  virtual void variable_read(const Tensor& handle, bool trainable, const Location& location) = 0;
  // The thread's records go on in this chunk: a tape keeps those written while it is active.
  virtual void keep(const ChunkRef& chunk) = 0;
};

// A mode that takes calls instead of the kernels: tracing, batching.
class Interceptor {
 public:
  virtual ~Interceptor() = default;
  // True when it took the call and filled `outputs`.
  virtual bool apply(const OpDef& op, OpInputs inputs, const Attrs& attrs, const Location& location,
                     TensorList& outputs) = 0;
};

// Pushes tangents along with the ops of the thread.
class ForwardListener {
 public:
  virtual ~ForwardListener() = default;
  virtual void executed(const OpCall& call) = 0;
};

struct ThreadState : ThreadPort {
  ThreadState();

  std::vector<TapeListener*> tapes;        // in the order they became active
  std::vector<Interceptor*> interceptors;  // innermost last
  std::vector<ForwardListener*> accumulators;
  ScopeId scope = 0;
  // Inside a backward step: the place of the forward op, which the step's own ops carry.
  const Location* origin = nullptr;
  std::uint32_t backward_depth = 0;
  std::uint32_t silenced = 0;
  bool step_call = false;  // a function runs that holds the tape: the nodes of its graph are the step's
  std::uint64_t step = 0;  // training step the thread is in
  Ticks last_ticks = 0;    // end of the thread's last timed op
  FlightRecorder flight;   // empty unless a session listens
  // The program's last read of one element: of which tensor, before which one is made, on which line.
  struct ElementRead {
    TensorId tensor = 0, before = 0;
    std::uint32_t line = 0;
    bool operator==(const ElementRead&) const = default;
  } last_read;
  // Of a program that marks no steps: implied_steps.h.
  struct ImpliedStep {
    std::uint32_t session = 0;  // that its step is of
    bool open = false, asked = false, updated = false;
  } implied_step;

  void activate(TapeListener* tape);
  void deactivate(TapeListener* tape);
  // Something that is not an op took time here: the next op's time starts now.
  void mark_time() {
    if (listen.load(std::memory_order_relaxed) & kListenEvents) last_ticks = ticks();
  }
  // Whether what ops make and read is held.
  bool in_flight() const { return listen.load(std::memory_order_relaxed) & kListenFlight; }
  // Lets go of what was held for a session that is over.
  void release_flight() {
    if (listen.fetch_and(~std::uint32_t{kReleaseFlight}, std::memory_order_relaxed) & kReleaseFlight)
      flight.release();
  }
  // Writes a record when a session or a tape wants it, with its `order` where the kind has one and it is 0.
  template <RecordStruct R>
  void note(R record) {
    if ((listen.load(std::memory_order_relaxed) & (kListenEvents | kListenShadow)) == 0) return;
    if constexpr (requires { record.order; }) {
      if (record.order == 0) record.order = peek_tensor_id();
    }
    writer.write(record);
  }
};

extern constinit thread_local ThreadState* current_state __attribute__((tls_model("initial-exec")));
ThreadState& make_state();

inline ThreadState& state() {
  ThreadState* known = current_state;
  return known ? *known : make_state();
}

// Silences every tape of the thread for a block; `what` says who did ("stop_gradient", "init_scope").
class Silence {
 public:
  explicit Silence(std::string_view what);
  ~Silence();
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
};

// Leaves no records of this thread for a block: a step that is run again to reach a place was recorded
// before.
class Mute {
 public:
  Mute();
  ~Mute();
  Mute(const Mute&) = delete;
  Mute& operator=(const Mute&) = delete;

 private:
  std::uint32_t cleared_;
};

// What an op record says of the op's gradient.
inline std::uint8_t gradient_flags(const OpDef& op, std::size_t inputs) {
  std::uint8_t flags = op.no_gradient != NoGradient::none ? OpRecord::kNoGradient : 0;
  if (op.never & OpDef::in_bit(0)) flags |= OpRecord::kNeverFirst;
  if (op.never & OpDef::in_bit(1)) flags |= OpRecord::kNeverSecond;
  const std::uint32_t others = inputs > 2 ? ((1u << std::min<std::size_t>(inputs, 16)) - 1) & ~3u : 0;
  if (others != 0 && (op.never & others) == others) flags |= OpRecord::kNeverOthers;
  return flags;
}

// A tensor came from the host: leaves a create record.
void note_created(const Tensor& tensor, const Location& location);
// The program read a tensor's values.
void note_host_read(const Tensor& tensor, const Location& location);
// It read the element at `i`, or all where i is negative.
void note_elements_read(const Tensor& tensor, std::int64_t i, const Location& location);

}  // namespace tapescope
