// Metrics: running means over the batches of an epoch. Their totals and counts are variables, so that a
// debugger that goes back a step puts them back too. No gradient passes through a metric, and none of its ops
// is recorded.
#pragma once
#include <string>
#include <vector>

#include "engine/core/public.h"
#include "engine/tape/variable.h"

namespace tapescope TAPESCOPE_PUBLIC {

// The mean of the values it was given.
class Mean {
 public:
  explicit Mean(std::string name = "mean", Location location = Location::current());
  virtual ~Mean() = default;
  // Every element counts `weight` times.
  void update(const Tensor& values, double weight = 1, Location location = Location::current());
  void update(double value, double weight = 1, Location location = Location::current());
  double result() const;  // 0 before any value
  void reset(Location location = Location::current());
  // Keras's names for both.
  void update_state(const Tensor& values, double weight = 1, Location location = Location::current()) {
    update(values, weight, location);
  }
  void update_state(double value, double weight = 1, Location location = Location::current()) {
    update(value, weight, location);
  }
  void reset_state(Location location = Location::current()) { reset(location); }
  const std::string& name() const { return name_; }
  std::vector<Variable> variables() const { return {total_, count_}; }

 private:
  void add(double sum, double count, const Location& location);
  std::string name_;
  Variable total_, count_;  // float64 scalars
};

// The mean of something that labels and predictions make of each example.
class Metric : public Mean {
 public:
  void update_state(const Tensor& labels, const Tensor& predictions, Location location = Location::current());

 protected:
  using Mean::Mean;
  virtual Tensor of_examples(const Tensor& labels, const Tensor& predictions, const Location& at) const = 0;
};

// Share of examples whose largest prediction is at the largest label, [.., classes] both.
class CategoricalAccuracy : public Metric {
 public:
  explicit CategoricalAccuracy(std::string name = "accuracy") : Metric(std::move(name)) {}

 private:
  Tensor of_examples(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
};
// The same for labels that are class numbers.
class SparseCategoricalAccuracy : public Metric {
 public:
  explicit SparseCategoricalAccuracy(std::string name = "accuracy") : Metric(std::move(name)) {}

 private:
  Tensor of_examples(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
};
// Share of elements that are above the threshold where the label is 1, and not where it is 0.
class BinaryAccuracy : public Metric {
 public:
  explicit BinaryAccuracy(double threshold = 0.5, std::string name = "accuracy")
      : Metric(std::move(name)), threshold_(threshold) {}

 private:
  Tensor of_examples(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
  double threshold_;
};
class MeanAbsoluteErrorMetric : public Metric {
 public:
  explicit MeanAbsoluteErrorMetric(std::string name = "mean_absolute_error") : Metric(std::move(name)) {}

 private:
  Tensor of_examples(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
};

}  // namespace tapescope
