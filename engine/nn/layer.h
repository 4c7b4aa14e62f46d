// Layers: functions with their own variables, built on their first call.
//
// Ops inside a layer carry the line that called it and the layer's name as scope, "dense_1/MatMul". A layer
// of one's own adds variables in make_variables(), computes in call() and names the layers it holds in
// sublayers().
#pragma once
#include <string>
#include <vector>

#include "engine/core/public.h"
#include "engine/nn/policy.h"
#include "engine/tape/variable.h"

namespace tapescope TAPESCOPE_PUBLIC {

class Layer {
 public:
  explicit Layer(std::string name, DTypePolicy policy = {}) : name_(std::move(name)), policy_(policy) {}
  virtual ~Layer() = default;
  Layer(Layer&&) = default;

  // The first call makes the variables, for inputs of this shape. Without `training`, that of the layer
  // around it, else inference. A floating input is cast to the dtype that the layer computes in. Throws
  // InvalidArgument where x does not fit.
  Tensor operator()(const Arg& x);
  Tensor operator()(const Arg& x, bool training);
  // Makes the variables before any call; `input` is [batch, ...], whatever the batch. Does nothing the second
  // time.
  void build(const Shape& input, Location location = Location::current());
  // What it makes of an input of that shape.
  virtual Shape output_shape(const Shape& input) const { return input; }
  // The class, as a summary shows it: "Dense".
  virtual std::string_view kind() const { return "Layer"; }

  const std::string& name() const { return name_; }
  // Only before it is built: variables carry the name.
  void rename(std::string name) { name_ = std::move(name); }
  const DTypePolicy& policy() const { return policy_; }
  bool built() const { return built_; }

  // The layers inside, in the order they were attached.
  virtual std::vector<Layer*> sublayers() { return {}; }
  // Its own in creation order, then those of the layers inside, each once. Empty until built.
  std::vector<Variable> variables() const;
  std::vector<Variable> trainable_variables() const;
  // False freezes it and all layers inside, those not built yet too; true gives back what each had been.
  void set_trainable(bool trainable, Location location = Location::current());
  bool trainable() const { return trainable_; }

 protected:
  // Makes variables through add_variable(); the layer's scope is set.
  virtual void make_variables(const Shape&, const Location&) {}
  virtual Tensor call(const Tensor& x, const Location& location) = 0;
  // False for what only holds layers: those cast themselves.
  virtual bool casts_inputs() const { return true; }
  // The call is part of training: dropout drops, normalization uses the batch's statistics.
  static bool training();
  Variable add_variable(std::string_view name, const Tensor& initial, const Location& location,
                        bool trainable = true);
  // Reads a variable in the dtype the layer computes in: with a mixed policy a Cast follows the read.
  Tensor read(const Variable& variable, const Location& location) const;

 private:
  Tensor run(const Tensor& x, const Location& location);
  void collect(std::vector<Variable>& into, bool only_trainable) const;
  struct Own {
    Variable variable;
    bool trainable;  // when the layer is not frozen
  };
  std::string name_;
  DTypePolicy policy_;
  std::vector<Own> own_;
  bool built_ = false, trainable_ = true;
};

}  // namespace tapescope
