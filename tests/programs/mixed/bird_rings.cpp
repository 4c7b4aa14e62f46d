// A model of ringed birds is tuned further; its first layer was frozen when the former colony was learned.
#include "report.h"

using namespace tapescope;

class Colony {
 public:
  Dense wings{5, {.activation = Activation::relu, .name = "wings", .seed = 11}};
  Dense age{1, {.name = "age", .seed = 12}};

  Tensor years(const Tensor& rings) { return squeeze(age(wings(rings)), {1}); }  //!
  void settle() { wings.set_trainable(false); }  //~
  void move_on() { wings.set_trainable(true); }
};

int main(int argc, char**) {
  Colony colony;
  const Tensor rings = abs(reshape(sin(linspace(0.0, 13.0, 30)), {10, 3})), years = linspace(1.0, 6.0, 10);
  colony.wings.build(rings.shape());
  colony.age.build({10, 5});
  colony.settle();
  if (argc > 1) colony.move_on();
  Tensor of_wings, of_age;
  for (int season = 0; season < 3; ++season) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor target = stop_gradient(years + 0.1 * colony.years(rings));
      loss = reduce_mean(square(colony.years(rings) - target));  //~
    }
    const auto gradients = tape.gradient(loss, {colony.wings.kernel(), colony.age.kernel()});
    of_wings = gradients[0], of_age = gradients[1];
  }
  report("wings/kernel", of_wings);
  report("age/kernel", of_age);
}
