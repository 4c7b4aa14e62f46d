// A place in a step, and what the debugger sees there.
#pragma once
#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/attrs.h"
#include "engine/core/tensor.h"
#include "engine/debug/source_names.h"
#include "engine/debug/source_sum.h"
#include "engine/events/records/record.h"

namespace tapescope {

struct FrameTensor {
  std::string name;
  Tensor value;  // absent: no cotangent arrived
  // Of what has accumulated at a source: the handle or tensor, and which source of the gradient call it is.
  TensorId source = 0;
  std::uint32_t source_index = 0;
};

// A place in a step: tape nodes executed, and of the node after them the ops that have run inside it.
struct TapePlace {
  std::uint64_t node = 0, inner = 0;
  constexpr TapePlace() = default;
  constexpr TapePlace(std::uint64_t nodes, std::uint64_t inside = 0) : node(nodes), inner(inside) {}
  auto operator<=>(const TapePlace&) const = default;
};

// What is to be seen where the thread stands: a consistent snapshot, all by reference.
struct Frame {
  std::uint64_t cursor = 0;
  std::uint64_t inner = 0;  // ops that have run inside the node after the cursor
  bool backward = false;
  OpNameId op = 0;      // the node executed last
  TensorId output = 0;  // its first output; for a backward node, that of its forward op
  SiteId site = 0;
  Attrs attrs;                              // of the call
  std::vector<FrameTensor> inputs;          // forward: inputs; backward: saved tensors used
  std::vector<FrameTensor> outputs;         // forward: outputs
  std::vector<FrameTensor> cotangents_in;   // backward: of the forward op's outputs
  std::vector<FrameTensor> cotangents_out;  // backward: of the forward op's inputs
  // Backward: what has arrived at each variable and watched tensor so far.
  std::vector<FrameTensor> accumulated;
  // Covers the op, cotangents, accumulations and saved values; never a time or an address.
  std::uint64_t hash() const;
};

enum class StopReason : std::uint8_t { none, target, pause, breakpoint, backward_begin };

// Where a thread is when it arrives at the gate.
struct GatePoint {
  bool backward = false;
  bool inside = false;  // an op inside a node, of a function's graph; no node was executed
  bool beside = false;  // inside, yet between two nodes: a pause stops there
  OpNameId op = 0;
  TensorId output = 0;
  SiteId site = 0;
};

// The thread at the gate, for breakpoints to look at: fills only what one asks for.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  virtual void describe(Frame& frame) const = 0;
  // Of the gradient call that is under way.
  virtual void sources(SourceNames&) const {}
  // Of the sources whose sums the node has changed or completed.
  virtual void sums(std::vector<SourceSum>&) const {}
};

}  // namespace tapescope
