// What all layers share.
#include "engine/nn/layer.h"

#include <algorithm>
#include <optional>

#include "engine/ops/elementwise.h"
#include "engine/program.h"
#include "engine/tape/trainable.h"

namespace tapescope {
namespace {

thread_local bool in_training = false;

// The innermost layer that says whether it trains decides for those inside.
class TrainingScope {
 public:
  explicit TrainingScope(bool training) : saved_(std::exchange(in_training, training)) {}
  ~TrainingScope() { in_training = saved_; }
  TrainingScope(const TrainingScope&) = delete;
  TrainingScope& operator=(const TrainingScope&) = delete;

 private:
  bool saved_;
};

}  // namespace

bool Layer::training() { return in_training; }

Tensor Layer::operator()(const Arg& x) { return run(x.tensor(), x.location()); }

Tensor Layer::operator()(const Arg& x, bool training) {
  const TrainingScope scope(training);
  return run(x.tensor(), x.location());
}

Tensor Layer::run(const Tensor& x, const Location& location) {
  if (!built_) build(x.shape(), location);
  std::optional<NameScope> scope;
  if (!name_.empty()) scope.emplace(name_);
  const bool fits = !is_floating(x.dtype()) || x.dtype() == policy_.compute || !casts_inputs();
  return call(fits ? x : cast({x, location}, policy_.compute), location);
}

void Layer::build(const Shape& input, Location location) {
  if (built_) return;
  std::optional<NameScope> scope;
  if (!name_.empty()) scope.emplace(name_);
  make_variables(input, location);
  built_ = true;
}

void Layer::collect(std::vector<Variable>& into, bool only_trainable) const {
  for (const Own& own : own_) {
    if (only_trainable && !own.variable.trainable()) continue;
    if (std::find(into.begin(), into.end(), own.variable) == into.end()) into.push_back(own.variable);
  }
  // Naming the layers inside changes nothing.
  for (const Layer* layer : const_cast<Layer*>(this)->sublayers()) layer->collect(into, only_trainable);
}

std::vector<Variable> Layer::variables() const {
  std::vector<Variable> found;
  collect(found, false);
  return found;
}

std::vector<Variable> Layer::trainable_variables() const {
  std::vector<Variable> found;
  collect(found, true);
  return found;
}

void Layer::set_trainable(bool trainable, Location location) {
  trainable_ = trainable;
  for (const Own& own : own_) tapescope::set_trainable(own.variable, trainable && own.trainable, location);
  for (Layer* layer : sublayers()) layer->set_trainable(trainable, location);
}

Variable Layer::add_variable(std::string_view name, const Tensor& initial, const Location& location,
                             bool trainable) {
  const VariableOptions options{.name = std::string(name), .trainable = trainable && trainable_};
  return own_.emplace_back(Variable(initial, options, location), trainable).variable;
}

Tensor Layer::read(const Variable& variable, const Location& location) const {
  const Tensor value = variable.value(location);
  return policy_.mixed() ? cast({value, location}, policy_.compute) : value;
}

}  // namespace tapescope
