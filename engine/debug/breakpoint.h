// A breakpoint: what it waits for, where, and from which hit on it stops. Evaluated at the gate alone.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/debug/frame.h"

namespace tapescope {

struct Breakpoint {
  enum class Kind : std::uint8_t {
    op,           // an op of the type `text` was executed, forward or backward
    name,         // a node has a tensor or variable called `text`
    line,         // an op of the line `text`, "file.cpp:12"
    backward,     // a backward pass begins
    nonfinite,    // a value or a gradient is not finite
    norm_above,   // a gradient's norm is above `limit`: an op's, or a source's sum so far comes to be
    norm_below,   // it is below: an op's, or a source's whole sum
    zeros_above,  // the share of zeros in an op's gradient is `limit` or more
    none,         // a gradient is None
    retrace       // a function is traced again
  } kind = Kind::op;
  std::string text{};
  double limit = 0;  // norms, and the share of zeros: above 0, at most 1
  // Where it holds; empty for everywhere. A source: its sum alone (nonfinite: so far, zeros_above: whole), or
  // its None. An op: values and gradients of ops of this type. For kinds that ask for neither, no meaning.
  std::string source{}, op{};
  std::uint64_t place = 0;     // of kind op: its number in each step, as the cursor counts from 1; 0: any
  std::uint64_t from_hit = 1;  // stops at this hit and at each one after it
  bool enabled = true;
  std::uint32_t id = 0;    // 0: none yet
  std::uint64_t hits = 0;  // since the run began

  // Whether it waits for the same thing, whatever its number, switch and hits.
  bool means_same(const Breakpoint& other) const;
  bool operator==(const Breakpoint&) const = default;
};

// Gives each breakpoint without one an id that no other has.
void number(std::vector<Breakpoint>& breakpoints);

// The breakpoints of a gate. Any thread sets and reads them; the thread at the gate meets them.
class Breakpoints {
 public:
  // Those without an id are given one. One that means the same as the one before with its id goes on
  // counting, others count from 0.
  void set(std::vector<Breakpoint> breakpoints);
  std::vector<Breakpoint> get() const;
  // Beside the others, until forget_once(); its id is kOnce.
  void add_once(Breakpoint breakpoint);
  void forget_once();
  void forget_hits();
  // Whether any can be met.
  bool armed() const { return armed_.load(std::memory_order_relaxed); }
  // Grows whenever hits or breakpoints change.
  std::uint64_t changes() const { return changes_.load(std::memory_order_acquire); }

  // Counts every breakpoint that the node meets, which is the step's `place`th, or an op inside the node
  // after it. Returns the first of them that stops here, as it was then.
  std::optional<Breakpoint> meet(const GatePoint& point, const FrameSource& source, std::uint64_t place);
  // The same between two nodes: for the kinds backward, none (of which source, by its name and id)
  // and retrace.
  std::optional<Breakpoint> meet(Breakpoint::Kind kind, const std::string& name, TensorId id,
                                 const FrameSource& source);
  // Engine thread.
  void begin_step() { names_.begin_step(); }

  static constexpr std::uint32_t kOnce = 0xffffffffu;

 private:
  using List = std::vector<Breakpoint>;
  template <class Meets>
  std::optional<Breakpoint> count(Meets meets);
  void changed();

  mutable std::mutex mutex_;
  std::shared_ptr<const List> list_ = std::make_shared<const List>();  // hits are those when it was set
  std::vector<std::uint64_t> hits_;                                    // of the list's, by place
  std::optional<Breakpoint> once_;
  SourceNames names_;  // the engine thread's alone
  std::atomic<bool> armed_{false};
  std::atomic<std::uint64_t> changes_{0};
};

}  // namespace tapescope
