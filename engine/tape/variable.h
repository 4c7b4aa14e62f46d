// Variables: a named handle whose value is assigned, and read through its own op.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "engine/core/public.h"
#include "engine/core/values.h"
#include "engine/gate/arg.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct VariableOptions {
  std::string name{};     // "Variable:12" after its line when empty
  bool trainable = true;  // reading a trainable variable makes the active tapes watch it
};

// A reference to a variable: copies stand for the same one. Not safe to assign from two threads at once.
class Variable {
 public:
  Variable() = default;
  // Takes the value over (a snapshot: later changes to nothing else show here). Throws ValueError for None.
  explicit Variable(const Tensor& initial, VariableOptions options = {},
                    Location location = Location::current());
  // Of numbers, as constant() makes them: Variable w(0.5), b({1.0, 2.0}); whole ones are int32.
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  explicit Variable(T initial, VariableOptions options = {}, Location location = Location::current())
      : Variable(of_values(Values(initial), location), std::move(options), location) {}
  explicit Variable(std::initializer_list<Values> initial, VariableOptions options = {},
                    Location location = Location::current())
      : Variable(of_values(Values(initial), location), std::move(options), location) {}

  explicit operator bool() const { return state_ != nullptr; }
  // Whether both stand for the same variable; equal(a, b) compares the values.
  bool operator==(const Variable& other) const { return state_ == other.state_; }
  std::string_view name() const;
  bool trainable() const;
  DType dtype() const;
  const Shape& shape() const;
  int rank() const { return shape().rank(); }
  std::int64_t dim(int i) const { return shape()[i < 0 ? i + rank() : i]; }
  std::int64_t numel() const { return type().numel; }
  const Type& type() const;
  const Location& location() const;
  std::uint64_t creation_index() const;  // variables made earlier have smaller ones

  // The handle: what a tape watches and a gradient's source stands for. Its id is the variable's.
  const Tensor& handle() const;
  TensorId id() const { return handle().id(); }

  // Reads: op ReadVariableOp. The result is a snapshot that later assignments do not change.
  Tensor value(Location location = Location::current()) const;
  // The present value without an op, an event or a watch: for optimizers' fused updates, reports and tests.
  const Tensor& peek() const;

  // A part of what it reads, as of a tensor.
  Tensor operator[](const Index& index) const;
  Tensor operator()(const Index& first) const;
  Tensor operator()(const Index& first, const Index& second) const;
  Tensor operator()(const Index& first, const Index& second, const Index& third) const;
  Tensor operator()(const Index& first, const Index& second, const Index& third, const Index& fourth) const;

  // Assignments are not differentiable and no tape records them. Throw InvalidArgument when shape or dtype
  // differ, TypeError for a number that is none of the variable's dtype.
  void assign(const Tensor& value, Location location = Location::current()) const;
  template <class T>
  requires std::integral<T> || std::floating_point<T>
  void assign(T value, Location location = Location::current()) const { assign_number({value, location}); }
  void assign_add(const Arg& delta) const;
  void assign_sub(const Arg& delta) const;

  // Elements for writing in place: a fresh copy first if anybody still holds a snapshot. The caller notes the
  // assignment with note_assigned() afterwards. For fused updates.
  void* mutable_data() const;
  void note_assigned(Location location = Location::current()) const;

  // Stands for a variable argument like this one while a function is traced: its handle has no value.
  static Variable stand_in(const Variable& like, const Tensor& value);

  // The variable of a handle; an absent one when it no longer lives.
  static Variable of_handle(const Tensor& handle);

  struct State;
  const std::shared_ptr<State>& state() const { return state_; }

 private:
  static Tensor of_values(const Values& values, const Location& location);
  void assign_number(const Arg& value) const;
  Tensor present(const Location& location) const;

  std::shared_ptr<State> state_;
};

// assign_add and assign_sub. (Python's `w += x` on a tf.Variable is an error that names them: there it would
// make w a tensor, which C++ cannot.) x += y of tensors makes x another tensor, as in Python:
// ops/elementwise.h.
inline const Variable& operator+=(const Variable& variable, const Arg& delta) {
  variable.assign_add(delta);
  return variable;
}
inline const Variable& operator-=(const Variable& variable, const Arg& delta) {
  variable.assign_sub(delta);
  return variable;
}

// Every variable made while it lives, on this thread: what a checkpoint saves.
class VariableCollector {
 public:
  VariableCollector();
  ~VariableCollector();
  VariableCollector(const VariableCollector&) = delete;
  VariableCollector& operator=(const VariableCollector&) = delete;
  const std::vector<Variable>& variables() const { return variables_; }

 private:
  friend class Variable;
  std::vector<Variable> variables_;
  VariableCollector* outer_;
};

}  // namespace tapescope
