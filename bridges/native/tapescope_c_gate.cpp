// The gate of the C interface: where the thread arrives, and what is shown of the place.
#include <vector>

#include "bridges/native/tapescope_c.h"
#include "bridges/native/thread.h"
#include "engine/core/names.h"
#include "engine/core/type.h"
#include "engine/debug/gate.h"
#include "engine/debug/process_gate.h"
#include "engine/events/stats.h"

using namespace tapescope;

struct tapescope_frame {
  Frame* frame;
};

namespace tapescope::bridge {
namespace {

// Holds the framework's memory for the views of it; the tensor that has it is seen by none but them.
struct Foreign final : TensorExtension {
  Foreign(void* owned, void (*let_go)(void*))
      : TensorExtension(Kind::handle), owner(owned), release(let_go) {}
  ~Foreign() override { release(owner); }
  void* owner;
  void (*release)(void*);
};

bool is_of(char element, DType dtype) {
  constexpr char kLetters[kDTypeCount] = {'f', 'd', 'e', 'B', 'i', 'l', '?', 0};
  return element != 0 && kLetters[static_cast<int>(dtype)] == element;
}

// A tensor over the framework's elements; without them one that has none, of a type that stands for that.
Tensor shown_tensor(TensorId id, std::uint32_t type_id, const tapescope_held* held) {
  const Type* type = type_with_id(type_id);
  const bool readable = held && type && is_of(held->values.element, type->dtype) &&
                        held->values.count == static_cast<std::size_t>(type->numel);
  if (!readable) {
    if (held) held->release(held->owner);
    Tensor unknown(new_tensor(intern_type(DType::resource, type ? type->shape : Shape())));
    unknown.impl()->id = id;
    return unknown;
  }
  const Tensor owner(new_tensor(intern_type(DType::resource, Shape())));
  owner.impl()->extension = new Foreign(held->owner, held->release);
  Tensor view(new_view(owner.impl(), type, const_cast<void*>(held->values.data)));
  view.impl()->id = id;
  return view;
}

class Place final : public FrameSource {
 public:
  explicit Place(const tapescope_place& place) : place_(place) {}

  void describe(Frame& frame) const override {
    if (!place_.describe) return;
    tapescope_frame shown{&frame};
    place_.describe(place_.context, &shown);
  }
  void sources(SourceNames& names) const override {
    for (const FrameTensor& one : gradients()) names.note(one.name, one.source);
  }
  // Gradients are shown once they are whole.
  void sums(std::vector<SourceSum>& sums) const override {
    for (const FrameTensor& one : gradients()) {
      if (!one.value || !is_floating(one.value.dtype())) continue;
      sums.push_back({.name = one.name, .source = one.source, .now = tensor_stats(one.value), .whole = true});
    }
  }

 private:
  std::vector<FrameTensor> gradients() const {
    Frame frame;
    if (place_.backward) describe(frame);
    return std::move(frame.accumulated);
  }

  const tapescope_place& place_;
};

GatePoint point_of(const tapescope_place& place) {
  return {.backward = place.backward != 0,
          .inside = place.kind != TAPESCOPE_NODE,
          .beside = place.kind == TAPESCOPE_BESIDE,
          .op = place.op,
          .output = place.output,
          .site = place.site};
}

// The program goes on whatever happens at the gate.
template <class Arrive>
void at_gate(Arrive&& arrive) {
  try {
    if (DebugGate* gate = DebugGate::bound()) arrive(*gate);
  } catch (const StepAbandoned&) {
  } catch (const std::exception&) {
  }
}

class Waiter final : public GateWaiter {
 public:
  explicit Waiter(const tapescope_waiter& waiter) : waiter_(waiter) {}
  void leave() override { waiter_.leave(); }
  void come_back() override { waiter_.come_back(); }
  bool interrupted() override { return waiter_.interrupted() != 0; }

 private:
  const tapescope_waiter waiter_;
};

}  // namespace
}  // namespace tapescope::bridge

using namespace tapescope::bridge;

int tapescope_at_gate(void) {
  Thread& thread = this_thread();
  if ((thread.listen.load(std::memory_order_relaxed) & kListenGate) == 0) return 0;
  // A thread that prepares data does not take the gate from the one that trains.
  if (!thread.trains && thread.tapes.empty() && !thread.is_main) return 0;
  if (DebugGate::bound()) return 1;
  // A viewer attached in the middle of a step: between tapes nothing is miscounted from here on.
  if (!thread.trains || !thread.tapes.empty()) return 0;
  process_gate_step_begins(thread.step);
  return DebugGate::bound() != nullptr;
}

int tapescope_steps_inside(void) {
  if (!tapescope_at_gate()) return 0;
  const DebugGate* gate = DebugGate::bound();
  return gate && gate->steps_inside();  // breakpoints alone leave graphs as they are
}

void tapescope_pass_node(void) {
  if (DebugGate* gate = DebugGate::bound()) gate->pass_node();
}

int tapescope_attended(void) { return has_process_gate(); }

int tapescope_recorded(void) { return this_thread().recorded; }

void tapescope_show(tapescope_frame* into, const tapescope_shown* shown) {
  constexpr std::vector<FrameTensor> Frame::*kLists[] = {
      &Frame::inputs, &Frame::outputs, &Frame::cotangents_in, &Frame::cotangents_out, &Frame::accumulated};
  std::vector<FrameTensor>& list = into->frame->*kLists[shown->list];
  FrameTensor one{.name = std::string(name_text(shown->name)), .source = shown->source};
  if (shown->list == TAPESCOPE_GRADIENT) one.source_index = static_cast<std::uint32_t>(list.size());
  if (!shown->none) one.value = shown_tensor(shown->id, shown->type, shown->held);
  list.push_back(std::move(one));
}

void tapescope_arrive(const tapescope_place* place) {
  at_gate([&](DebugGate& gate) { gate.arrive(point_of(*place), Place(*place)); });
}

void tapescope_arrive_between(int what, const tapescope_place* place, const char* name,
                              tapescope_tensor source) {
  constexpr Breakpoint::Kind kKinds[] = {Breakpoint::Kind::backward, Breakpoint::Kind::none,
                                         Breakpoint::Kind::retrace};
  at_gate([&](DebugGate& gate) {
    gate.arrive_between(kKinds[what], point_of(*place), Place(*place), name ? name : "", source);
  });
}

void tapescope_set_waiter(const tapescope_waiter* waiter) {
  // Left to the end of the process, as the thread may wait until then.
  set_gate_waiter(waiter ? new Waiter(*waiter) : nullptr);
}
