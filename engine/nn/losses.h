// Losses: classes with a call operator that takes labels first, as Keras's do.
//
// Predictions p have a floating dtype and labels t, unless said otherwise, a shape that broadcasts with
// theirs. Each example's loss is taken over the last axis, [.., n] -> [..], and then reduced. Halves are cast
// to float32 first, so that a loss is never a half; other dtypes stay. Labels take the predictions' dtype.
//
// A NaN in p or t makes the loss NaN. Where a probability is clipped, its gradient is 0. Throws the
// Error of the op that shapes or dtypes do not fit.
#pragma once
#include "engine/core/public.h"
#include "engine/gate/apply.h"

namespace tapescope TAPESCOPE_PUBLIC {

// mean: the sum of the losses divided by their number, which Keras calls sum_over_batch_size.
enum class Reduction : std::uint8_t { mean, sum, none };

// What the crossentropies take, by Keras's names: `BinaryCrossentropy({.from_logits = true})`.
struct CrossentropyOptions {
  bool from_logits = false;
  double label_smoothing = 0;
  Reduction reduction = Reduction::mean;
};

class Loss {
 public:
  virtual ~Loss() = default;
  Tensor operator()(const Arg& labels, const Arg& predictions) const;
  // Each example's loss times its weight, of a shape that broadcasts with the losses; the mean still divides
  // by the number of examples.
  Tensor operator()(const Arg& labels, const Arg& predictions, const Arg& sample_weight) const;

 protected:
  explicit Loss(Reduction reduction) : reduction_(reduction) {}
  // The losses of the examples; `labels` have the dtype of `predictions` unless they are class numbers.
  virtual Tensor losses(const Tensor& labels, const Tensor& predictions, const Location& at) const = 0;
  virtual bool labels_are_classes() const { return false; }

 private:
  Tensor of_examples(const Arg& labels, const Arg& predictions) const;
  Tensor reduced(const Tensor& losses, const Location& at) const;
  Reduction reduction_;
};

// What the crossentropies of probabilities share; see below for what smoothing does.
class SmoothedCrossentropy : public Loss {
 public:
  explicit SmoothedCrossentropy(bool from_logits = false, double label_smoothing = 0,
                                Reduction reduction = Reduction::mean)
      : Loss(reduction), from_logits_(from_logits), label_smoothing_(label_smoothing) {}
  explicit SmoothedCrossentropy(const CrossentropyOptions& options)
      : SmoothedCrossentropy(options.from_logits, options.label_smoothing, options.reduction) {}

 protected:
  bool from_logits_;
  double label_smoothing_;
};

// Labels are probabilities of the shape of the predictions, [.., classes]; label_smoothing a makes them
// t (1 - a) + a / classes. The loss is -sum t log p; its gradient by logits, softmax(p) - t, does not
// overflow. Labels of another shape throw ValueError. With from_logits the predictions are logits, else
// probabilities: they are scaled to a sum of 1 and clipped to [1e-7, 1 - 1e-7]. Probabilities that a layer's
// softmax has just made stand for its logits.
class CategoricalCrossentropy : public SmoothedCrossentropy {
 public:
  using SmoothedCrossentropy::SmoothedCrossentropy;

 private:
  Tensor losses(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
};

// The same for labels that are class numbers, [..] or [.., 1]; floating ones are cast to int64. Throws
// InvalidArgument for a number that is no class. Probabilities are clipped, not scaled.
class SparseCategoricalCrossentropy : public Loss {
 public:
  explicit SparseCategoricalCrossentropy(bool from_logits = false, Reduction reduction = Reduction::mean)
      : Loss(reduction), from_logits_(from_logits) {}
  struct Options {
    bool from_logits = false;
    Reduction reduction = Reduction::mean;
  };
  explicit SparseCategoricalCrossentropy(const Options& options)
      : SparseCategoricalCrossentropy(options.from_logits, options.reduction) {}

 private:
  Tensor losses(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
  bool labels_are_classes() const override { return true; }
  bool from_logits_;
};

// -t log p - (1 - t) log(1 - p) for every element, the mean over the last axis; smoothing makes t (1 - a) + a
// / 2. Probabilities that a layer's sigmoid has just made stand for its logits.
class BinaryCrossentropy : public SmoothedCrossentropy {
 public:
  using SmoothedCrossentropy::SmoothedCrossentropy;

 private:
  Tensor losses(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
};

// A function of d = predictions - labels, elementwise; the mean over the last axis.
class MeanSquaredError : public Loss {  // d^2
 public:
  explicit MeanSquaredError(Reduction reduction = Reduction::mean) : Loss(reduction) {}

 private:
  Tensor losses(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
};
class MeanAbsoluteError : public Loss {  // |d|; the derivative at 0 is 0
 public:
  explicit MeanAbsoluteError(Reduction reduction = Reduction::mean) : Loss(reduction) {}

 private:
  Tensor losses(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
};
class LogCosh : public Loss {  // log cosh d = d + softplus(-2 d) - log 2, derivative tanh d
 public:
  explicit LogCosh(Reduction reduction = Reduction::mean) : Loss(reduction) {}

 private:
  Tensor losses(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
};
class Huber : public Loss {  // d^2 / 2 up to |d| = delta, delta |d| - delta^2 / 2 beyond
 public:
  explicit Huber(double delta = 1, Reduction reduction = Reduction::mean) : Loss(reduction), delta_(delta) {}

 private:
  Tensor losses(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
  double delta_;
};

// sum t log(t / p) over the last axis, both clipped to [1e-7, 1]; p outside that has gradient 0.
class KLDivergence : public Loss {
 public:
  explicit KLDivergence(Reduction reduction = Reduction::mean) : Loss(reduction) {}

 private:
  Tensor losses(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
};

// Mean of max(1 - t p, 0) over the last axis; labels of 0 and 1 only become -1 and 1. At 1 - t p = 0 the
// gradient still passes.
class Hinge : public Loss {
 public:
  explicit Hinge(Reduction reduction = Reduction::mean) : Loss(reduction) {}

 private:
  Tensor losses(const Tensor& labels, const Tensor& predictions, const Location& at) const override;
};

}  // namespace tapescope
