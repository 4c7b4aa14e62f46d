// Variables: handles, snapshots, assignment, and the op that reads them.
#include "engine/tape/variable.h"

#include <atomic>
#include <cstring>
#include <typeinfo>

#include <fmt/format.h>

#include "engine/debug/member_places.h"
#include "engine/events/lasting.h"
#include "engine/events/records/tensors.h"
#include "engine/gate/apply.h"
#include "engine/gate/densify.h"
#include "engine/gate/implied_steps.h"
#include "engine/gate/state.h"
#include "engine/gate/symbol.h"
#include "engine/ops/creation.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/slices.h"
#include "engine/ops/slicing.h"
#include "engine/ops/variable_read.h"
#include "engine/tape/trainable.h"
#include "engine/tape/variable_ops.h"
#include "engine/tape/variable_reads.h"

namespace tapescope {

struct Variable::State {
  Tensor handle;  // its extension points back here
  Tensor value;
  std::string name;
  bool trainable = true;
  Location location;
  std::uint64_t index = 0;
  LastingRecord made;
};

namespace {

thread_local VariableCollector* collector = nullptr;

// Finds the way back from a handle to its variable.
struct VariableHandle final : HandleExtension {
  using HandleExtension::HandleExtension;
  std::weak_ptr<Variable::State> owner;
};

VariableHandle& extension_of(const Tensor& handle) {
  return *static_cast<VariableHandle*>(handle.impl()->extension);
}

// Throws ValueError for a variable that stands for none: never made, or moved from.
Variable::State& living(const std::shared_ptr<Variable::State>& state, std::string_view what,
                        const Location& location = Location()) {
  if (!state) {
    fail(ErrorKind::value, what,
         "the variable was never made, or was moved from; make it with an initial value", &location);
  }
  return *state;
}

// Values that are taken without a read are known by their id.
void note_value(const Tensor& handle, const Tensor& value) {
  tapescope::state().note(
      VariableValueRecord{.name = handle.impl()->name, .value = value.id(), .variable = handle.id()});
}

Tensor copy_of(const Tensor& value) { return make_from_bytes(value.dtype(), value.shape(), value.raw()); }

}  // namespace

Variable::Variable(const Tensor& initial, VariableOptions options, Location location) {
  static std::atomic<std::uint64_t> next_index{0};
  if (!initial) {
    fail(ErrorKind::value, "Variable", "the initial value is None; give a tensor", &location);
  }
  if (!is_symbol(initial)) check_has_elements(initial, "Variable", location);
  state_ = std::make_shared<State>();
  State& s = *state_;
  ThreadState& ts = tapescope::state();
  if (options.name.empty()) {
    s.name = fmt::format("Variable:{}", location.line());
  } else {
    s.name = ts.scope ? scope_path(ts.scope) + "/" + options.name : options.name;
  }
  s.trainable = options.trainable;
  s.location = location;
  s.index = next_index.fetch_add(1, std::memory_order_relaxed);
  // A variable made while a function is traced outlives the trace: its value is computed now.
  s.value = copy_of(is_symbol(initial) ? current_trace_of(initial).evaluate(initial) : initial);
  const NameId name = intern_name(s.name);
  s.handle = Tensor(new_tensor(intern_type(DType::resource, initial.shape())));
  auto* extension = new VariableHandle(&initial.type());
  extension->owner = state_;
  extension->value = s.value.impl();
  s.handle.impl()->extension = extension;
  s.handle.impl()->name = name;
  VariableRecord made{.trainable = s.trainable,
                      .name = name,
                      .handle = s.handle.id(),
                      .type = initial.type().id,
                      .site = intern_site(location, ts.scope),
                      .initial = initial.id()};
  if (ts.listen.load(std::memory_order_relaxed) & kListenEvents) made.site = member_place(made.site, name);
  ts.note(made);
  s.made.keep(made);
  note_value(s.handle, s.value);
  if (collector) collector->variables_.push_back(*this);
}

Variable Variable::stand_in(const Variable& like, const Tensor& value) {
  Variable variable;
  variable.state_ = std::make_shared<State>();
  State& s = *variable.state_;
  s.name = like.state_->name;
  s.trainable = like.state_->trainable;
  s.location = like.state_->location;
  s.index = like.state_->index;
  s.value = value;
  s.handle = Tensor(new_tensor(like.handle().impl()->type));
  auto* extension = new VariableHandle(&like.type());
  extension->owner = variable.state_;
  s.handle.impl()->extension = extension;
  s.handle.impl()->name = like.handle().impl()->name;
  return variable;
}

Variable Variable::of_handle(const Tensor& handle) {
  Variable variable;
  // Other things than variables have handles too. A cached call of a function asks for each of its variables,
  // so the exact type is compared: a cast would search its bases.
  const TensorExtension* extension = handle.impl()->extension;
  if (extension && typeid(*extension) == typeid(VariableHandle))
    variable.state_ = extension_of(handle).owner.lock();
  return variable;
}

std::string_view Variable::name() const { return living(state_, "Variable").name; }
bool Variable::trainable() const { return living(state_, "Variable").trainable; }
void set_trainable(const Variable& variable, bool trainable, Location location) {
  Variable::State& s = living(variable.state(), "set_trainable");
  s.trainable = trainable;
  ThreadState& ts = tapescope::state();
  ts.note(TrainableRecord{.trainable = trainable,
                          .name = s.handle.impl()->name,
                          .variable = s.handle.id(),
                          .type = variable.type().id,
                          .site = intern_site(location, ts.scope)});
}
DType Variable::dtype() const { return peek().dtype(); }
const Shape& Variable::shape() const { return peek().shape(); }
const Type& Variable::type() const { return peek().type(); }
const Location& Variable::location() const { return living(state_, "Variable").location; }
std::uint64_t Variable::creation_index() const { return living(state_, "Variable").index; }
const Tensor& Variable::handle() const { return living(state_, "Variable").handle; }
const Tensor& Variable::peek() const { return living(state_, "Variable").value; }

Tensor Variable::value(Location location) const {
  living(state_, "value", location);
  ThreadState& ts = tapescope::state();
  if (!ts.tapes.empty() && ts.silenced == 0) {
    for (TapeListener* tape : ts.tapes) tape->variable_read(state_->handle, state_->trainable, location);
  }
  VariableReads::note(*this);
  TensorImpl* inputs[] = {state_->handle.impl()};
  return apply(kReadVariable, inputs, kNoAttrs, location);
}

void Variable::assign(const Tensor& value, Location location) const {
  living(state_, "assign", location);
  if (!value || value.impl()->type != state_->value.impl()->type) {
    fail(ErrorKind::invalid_argument, "assign",
         fmt::format("variable '{}' is {}, expected a value of that type, got {}", state_->name,
                     type().text(), value ? value.type().text() : "None"),
         &location);
  }
  if (is_indexed_slices(value)) {
    Silence silence("assign");
    return assign(densify(value, "assign", location), location);
  }
  if (current_trace()) {
    TensorImpl* inputs[] = {state_->handle.impl(), value.impl()};
    TensorList none;
    apply(kAssignVariable, inputs, kNoAttrs, location, none);
    return;
  }
  check_has_elements(value, "assign", location);
  std::memcpy(mutable_data(), value.raw(), static_cast<std::size_t>(value.bytes()));
  ThreadState& ts = tapescope::state();
  implied_steps::updated(ts);
  ts.note(AssignRecord{.site = intern_site(location, ts.scope), .variable = id(), .value = value.id()});
  ts.mark_time();
}

void Variable::assign_number(const Arg& value) const {
  living(state_, "assign", value.location());
  tapescope_inside::check_fits(value.number(), dtype(), "assign", value.location());
  assign(fill(shape(), value, dtype()), value.location());
}

// What the variable holds when the op runs: in a trace that is when the function is called.
Tensor Variable::present(const Location& location) const {
  return current_trace() ? value(location) : peek();
}

// The sum is computed by an ordinary op with the tapes silenced: an assignment is never recorded.
void Variable::assign_add(const Arg& delta) const {
  living(state_, "assign_add", delta.location());
  Silence silence("assign_add");
  const Location& at = delta.location();
  assign(add(Arg(present(at), at), Arg(delta.tensor(dtype(), "assign_add"), at)), at);
}

void Variable::assign_sub(const Arg& delta) const {
  living(state_, "assign_sub", delta.location());
  Silence silence("assign_sub");
  const Location& at = delta.location();
  assign(subtract(Arg(present(at), at), Arg(delta.tensor(dtype(), "assign_sub"), at)), at);
}

void Variable::note_assigned(Location location) const {
  ThreadState& ts = tapescope::state();
  implied_steps::updated(ts);
  ts.note(AssignRecord{.site = intern_site(location, ts.scope), .variable = id()});
}

void* Variable::mutable_data() const {
  TensorImpl* impl = peek().impl();
  if (ThreadState& ts = tapescope::state();
      impl->references.load(std::memory_order_acquire) != 1 && ts.in_flight())
    ts.flight.let_go(impl);
  // A snapshot anywhere (a saved tensor, a value the program kept) holds a reference to this one.
  if (impl->references.load(std::memory_order_acquire) != 1) {
    state_->value = copy_of(state_->value);
    extension_of(state_->handle).value = state_->value.impl();
    note_value(state_->handle, state_->value);
  }
  return state_->value.impl()->data;
}

Tensor Variable::of_values(const Values& values, const Location& location) {
  return constant(values, location);
}

Tensor::Tensor(const Variable& variable, Location location) : Tensor(variable.value(location)) {}

Tensor Variable::operator[](const Index& i) const { return index({*this, i.location()}, {&i}); }
Tensor Variable::operator()(const Index& a) const { return index({*this, a.location()}, {&a}); }
Tensor Variable::operator()(const Index& a, const Index& b) const {
  return index({*this, a.location()}, {&a, &b});
}
Tensor Variable::operator()(const Index& a, const Index& b, const Index& c) const {
  return index({*this, a.location()}, {&a, &b, &c});
}
Tensor Variable::operator()(const Index& a, const Index& b, const Index& c, const Index& d) const {
  return index({*this, a.location()}, {&a, &b, &c, &d});
}

Arg::Arg(const Variable& variable, Location location)
    : variable_(&variable),
      read_([](const Variable& v, const Location& place) { return v.value(place); }),
      location_(location) {}

VariableCollector::VariableCollector() : outer_(collector) { collector = this; }
VariableCollector::~VariableCollector() { collector = outer_; }

}  // namespace tapescope
