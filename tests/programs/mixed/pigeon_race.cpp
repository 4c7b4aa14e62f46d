// Where homing pigeons rest, by a mixture of places. A robust step: gradients are looked at before they are
// used.
#include "report.h"

using namespace tapescope;

class Rests {
 public:
  Variable places{constant({{0.0, 0.5}, {1.0, -0.5}, {2.0, 0.8}}), {.name = "places"}};
  Variable share{{0.1, 0.2, -0.1}, {.name = "share"}};
  Variable width{-0.5, {.name = "log_width"}};
  Variable seen{0, {.name = "seen", .trainable = false}};

  Tensor surprise(const Tensor& birds) const {
    seen.assign_add(static_cast<int>(birds.dim(0)));
    const Tensor apart = reduce_sum(square(expand_dims(birds, 1) - expand_dims(places, 0)), 2);
    const Tensor each = log_softmax(share) - 0.5 * apart * exp(-2.0 * width) - 2.0 * width;
    return -reduce_mean(reduce_logsumexp(each, 1));
  }
};

bool usable(const std::vector<Tensor>& gradients) {
  for (const Tensor& gradient : gradients) {
    if (!gradient) return false;
    if (!reduce_all(is_finite(gradient))) return false;
    if (item(reduce_max(abs(gradient))) == 0.0) return false;
  }
  return true;
}

int main() {
  const Rests rests;
  const std::vector<Variable> learned{rests.places, rests.share, rests.width};
  std::vector<Variable> averages;
  for (const Variable& variable : learned)
    averages.emplace_back(variable.peek(), VariableOptions{.trainable = false});
  Adam optimizer(0.05);
  Tensor last;
  std::vector<Tensor> gradients;
  for (int race = 0; race < 8; ++race) {
    const Tensor birds = reshape(sin(linspace(race, 9.0 + race, 12)), {6, 2});
    GradientTape tape;
    Tensor surprise;
    {
      auto recording = tape.record();
      surprise = rests.surprise(birds);
    }
    gradients = tape.gradient(surprise, learned);
    if (!usable(gradients)) return 1;
    optimizer.apply_gradients(gradients, learned);
    for (std::size_t i = 0; i < learned.size(); ++i)
      averages[i].assign(0.9 * averages[i] + 0.1 * stop_gradient(learned[i]));
    last = surprise;
  }
  std::printf("%d birds, surprise %.3f\n", static_cast<int>(item(rests.seen)), item(last));
  for (std::size_t i = 0; i < learned.size(); ++i) report(learned[i].name(), gradients[i]);
}
