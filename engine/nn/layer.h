// Layers: functions with variables of their own, built on their first call.
//
// Ops inside a layer carry the line that called it and the layer's name as scope, "dense_1/MatMul".
#pragma once
#include <string>
#include <vector>

#include "engine/tape/variable.h"

namespace tapescope {

class Layer {
 public:
  explicit Layer(std::string name) : name_(std::move(name)) {}
  virtual ~Layer() = default;
  Layer(Layer&&) = default;

  // The first call makes the variables, for inputs of this shape. Throws InvalidArgument where x does not fit.
  Tensor operator()(const Arg& x);
  // Makes the variables before any call; `input` is [batch, ...], whatever the batch. Does nothing the second time.
  void build(const Shape& input, Location location = Location::current());
  // What it makes of an input of that shape.
  virtual Shape output_shape(const Shape& input) const { return input; }

  const std::string& name() const { return name_; }
  // Only before it is built: variables carry the name.
  void rename(std::string name) { name_ = std::move(name); }
  // Its own in creation order, then those of layers inside. Empty until built.
  virtual std::vector<Variable> variables() const { return variables_; }
  std::vector<Variable> trainable_variables() const;
  bool built() const { return built_; }

 protected:
  // Makes variables through add_variable(); the layer's scope is set.
  virtual void make_variables(const Shape&, const Location&) {}
  virtual Tensor call(const Tensor& x, const Location& location) = 0;
  Variable add_variable(std::string_view name, const Tensor& initial, const Location& location, bool trainable = true);

 private:
  std::string name_;
  std::vector<Variable> variables_;
  bool built_ = false;
};

}  // namespace tapescope
