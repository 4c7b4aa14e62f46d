// The optimizers by name: SGD, Adam, AdamW, RMSprop, Adagrad. Formulas are in update_loops.h.
//
// Options are those of the kind, then those of every optimizer, which OptimizerOptions describes, in Keras's
// order: `Adam(1e-3, {.beta_1 = 0.5, .clipnorm = 1})`.
#pragma once
#include "engine/core/public.h"
#include "engine/nn/optimizer.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Options as `{{.clipnorm = 1}, 0.9}` gives them: those of every optimizer in braces, then the kind's own in
// their order.
template <class Options>
class CommonOptionsFirst {
 public:
  template <class... Own>
  CommonOptionsFirst(const OptimizerOptions& common, Own... own) : options_{own...} {
    options_.weight_decay = common.weight_decay;
    options_.clipnorm = common.clipnorm;
    options_.clipvalue = common.clipvalue;
    options_.global_clipnorm = common.global_clipnorm;
    options_.gradient_accumulation_steps = common.gradient_accumulation_steps;
    options_.name = common.name;
  }
  const Options& options() const { return options_; }

 private:
  Options options_;
};

struct SgdOptions {
  double momentum = 0;  // in [0, 1]
  bool nesterov = false;
  double weight_decay = 0;
  double clipnorm = 0, clipvalue = 0, global_clipnorm = 0;
  std::int64_t gradient_accumulation_steps = 1;
  std::string name{};
};
class SGD : public Optimizer {
 public:
  explicit SGD(double learning_rate = 0.01, const SgdOptions& options = {},
               Location location = Location::current());
  SGD(double learning_rate, const CommonOptionsFirst<SgdOptions>& options,
      Location location = Location::current())
      : SGD(learning_rate, options.options(), location) {}

 private:
  void begin(double learning_rate, std::int64_t iteration) override;
  void update(DType type, const updates::Arrays& arrays) const override;
  const OpDef& update_row(updates::UpdateAttrs& attrs) const override;
  updates::Sgd numbers_;
};

struct AdamOptions {
  double beta_1 = 0.9, beta_2 = 0.999;
  double epsilon = 1e-7;  // outside the bias correction
  bool amsgrad = false;   // divides by the largest second moment so far
  double weight_decay = 0;
  double clipnorm = 0, clipvalue = 0, global_clipnorm = 0;
  std::int64_t gradient_accumulation_steps = 1;
  std::string name{};
};
class Adam : public Optimizer {
 public:
  explicit Adam(double learning_rate = 0.001, const AdamOptions& options = {},
                Location location = Location::current());
  Adam(double learning_rate, const CommonOptionsFirst<AdamOptions>& options,
       Location location = Location::current())
      : Adam(learning_rate, options.options(), location) {}

 protected:
  Adam(std::string_view kind, double learning_rate, const AdamOptions& options, const Location& location);

 private:
  void begin(double learning_rate, std::int64_t iteration) override;
  void update(DType type, const updates::Arrays& arrays) const override;
  const OpDef& update_row(updates::UpdateAttrs& attrs) const override;
  double beta_1_, beta_2_;
  updates::Adam numbers_;
};

// Adam with decoupled weight decay, 0.004 unless given.
struct AdamWOptions {
  double beta_1 = 0.9, beta_2 = 0.999;
  double epsilon = 1e-7;
  bool amsgrad = false;
  double weight_decay = 0.004;
  double clipnorm = 0, clipvalue = 0, global_clipnorm = 0;
  std::int64_t gradient_accumulation_steps = 1;
  std::string name{};
};
class AdamW : public Adam {
 public:
  explicit AdamW(double learning_rate = 0.001, const AdamWOptions& options = {},
                 Location location = Location::current());
};

struct RmsPropOptions {
  double rho = 0.9;
  double momentum = 0;
  double epsilon = 1e-7;
  bool centered = false;  // divides by the variance rather than the mean square
  double weight_decay = 0;
  double clipnorm = 0, clipvalue = 0, global_clipnorm = 0;
  std::int64_t gradient_accumulation_steps = 1;
  std::string name{};
};
class RMSprop : public Optimizer {
 public:
  explicit RMSprop(double learning_rate = 0.001, const RmsPropOptions& options = {},
                   Location location = Location::current());
  RMSprop(double learning_rate, const CommonOptionsFirst<RmsPropOptions>& options,
          Location location = Location::current())
      : RMSprop(learning_rate, options.options(), location) {}

 private:
  void begin(double learning_rate, std::int64_t iteration) override;
  void update(DType type, const updates::Arrays& arrays) const override;
  const OpDef& update_row(updates::UpdateAttrs& attrs) const override;
  updates::RmsProp numbers_;
};

struct AdagradOptions {
  double initial_accumulator_value = 0.1;
  double epsilon = 1e-7;
  double weight_decay = 0;
  double clipnorm = 0, clipvalue = 0, global_clipnorm = 0;
  std::int64_t gradient_accumulation_steps = 1;
  std::string name{};
};
class Adagrad : public Optimizer {
 public:
  explicit Adagrad(double learning_rate = 0.001, const AdagradOptions& options = {},
                   Location location = Location::current());
  Adagrad(double learning_rate, const CommonOptionsFirst<AdagradOptions>& options,
          Location location = Location::current())
      : Adagrad(learning_rate, options.options(), location) {}

 private:
  void begin(double learning_rate, std::int64_t iteration) override;
  void update(DType type, const updates::Arrays& arrays) const override;
  const OpDef& update_row(updates::UpdateAttrs& attrs) const override;
  updates::Adagrad numbers_;
};

}  // namespace tapescope
