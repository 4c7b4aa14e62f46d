// Running means.
#include "engine/nn/metrics.h"

#include "engine/gate/state.h"
#include "engine/ops/creation.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/reduce.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

Variable scalar(const std::string& metric, const char* what, const Location& location) {
  return Variable(make_full(Shape{}, 0, DType::f64), {.name = metric + "/" + what, .trainable = false},
                  location);
}

double& value_of(const Variable& variable) { return *static_cast<double*>(variable.mutable_data()); }

}  // namespace

Mean::Mean(std::string name, Location location)
    : name_(std::move(name)),
      total_(scalar(name_, "total", location)),
      count_(scalar(name_, "count", location)) {}

void Mean::add(double sum, double count, const Location& location) {
  value_of(total_) += sum;
  value_of(count_) += count;
  total_.note_assigned(location);
  count_.note_assigned(location);
}

void Mean::update(const Tensor& values, double weight, Location location) {
  double sum = 0;
  for (std::int64_t i = 0; i < values.numel(); ++i) sum += element_value(values, i);
  add(sum * weight, static_cast<double>(values.numel()) * weight, location);
}

void Mean::update(double value, double weight, Location location) { add(value * weight, weight, location); }

double Mean::result() const {
  const double count = element_value(count_.peek(), 0);
  return count == 0 ? 0 : element_value(total_.peek(), 0) / count;
}

void Mean::reset(Location location) {
  value_of(total_) = value_of(count_) = 0;
  total_.note_assigned(location);
  count_.note_assigned(location);
}

void Metric::update_state(const Tensor& labels, const Tensor& predictions, Location location) {
  Silence silence("metric");
  update(of_examples(labels, predictions, location), 1, location);
}

Tensor CategoricalAccuracy::of_examples(const Tensor& labels, const Tensor& predictions,
                                        const Location& at) const {
  const Tensor truth = argmax({labels, at}, -1), said = argmax({predictions, at}, -1);
  return equal({truth, at}, {said, at});
}

Tensor SparseCategoricalAccuracy::of_examples(const Tensor& labels, const Tensor& predictions,
                                              const Location& at) const {
  Tensor truth = cast({labels, at}, DType::i64);
  if (truth.rank() == predictions.rank()) truth = squeeze({truth, at}, -1);
  return equal({truth, at}, {argmax({predictions, at}, -1), at});
}

Tensor BinaryAccuracy::of_examples(const Tensor& labels, const Tensor& predictions,
                                   const Location& at) const {
  const Tensor said = greater({predictions, at}, threshold_), truth = greater({labels, at}, 0.5);
  return equal({cast({said, at}, DType::i32), at}, {cast({truth, at}, DType::i32), at});
}

Tensor MeanAbsoluteErrorMetric::of_examples(const Tensor& labels, const Tensor& predictions,
                                            const Location& at) const {
  return abs({subtract({predictions, at}, {labels, at}), at});
}

}  // namespace tapescope
