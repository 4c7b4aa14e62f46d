// Variables: a named handle whose value is assigned, and read through its own op.
#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "engine/gate/arg.h"

namespace tapescope {

struct VariableOptions {
  std::string name;       // "Variable:12" after its line when empty
  bool trainable = true;  // reading a trainable variable makes the active tapes watch it
};

// A reference to a variable: copies stand for the same one. Not safe to assign from two threads at once.
class Variable {
 public:
  Variable() = default;
  // Takes the value over (a snapshot: later changes to nothing else show here). Throws ValueError for None.
  explicit Variable(const Tensor& initial, VariableOptions options = {},
                    Location location = Location::current());

  explicit operator bool() const { return state_ != nullptr; }
  bool operator==(const Variable& other) const { return state_ == other.state_; }
  std::string_view name() const;
  bool trainable() const;
  DType dtype() const;
  const Shape& shape() const;
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

  // Assignments are not differentiable and no tape records them. Throw InvalidArgument when shape or dtype
  // differ.
  void assign(const Tensor& value, Location location = Location::current()) const;
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
  Tensor present(const Location& location) const;

  std::shared_ptr<State> state_;
};

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
