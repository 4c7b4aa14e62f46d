// A traced loss whose weight between two terms is a variable that a schedule moves.
#include "report.h"

using namespace tapescope;

class Objective {
 public:
  explicit Objective(bool as_tensor)
      : loss_("loss", [this, as_tensor](const Tensor& image, const Tensor& wanted) {
          const Tensor made = tanh(image * contrast_);
          const Tensor close = reduce_mean(square(made - wanted));
          const Tensor flat = reduce_mean(square(roll(made, 1, 0) - made));
          if (as_tensor) return close + balance_ * flat;
          return close + element(balance_.peek(), 0) * flat;  //!
        }) {}

  Tensor operator()(const Tensor& image, const Tensor& wanted) const { return loss_(image, wanted); }  //~
  const Variable& balance() const { return balance_; }
  const Variable& contrast() const { return contrast_; }

 private:
  Variable balance_{constant(0.3), {.name = "balance"}};
  Variable contrast_{constant(1.1), {.name = "contrast"}};
  Function<Tensor(const Tensor&, const Tensor&)> loss_;
};

int main(int argc, char**) {
  const Objective objective(argc > 1);
  const Tensor image = constant({0.1, 0.6, 0.4, 0.9}), wanted = constant({0.2, 0.5, 0.5, 0.7});
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 4; ++epoch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = objective(image, wanted);  //~
    }
    gradients = tape.gradient(loss, {objective.contrast(), objective.balance()});
    objective.balance().assign_add(0.1);
  }
  report("contrast", gradients[0]);
  report("balance", gradients[1]);
}
