// Damage by frost, leaf by leaf: below zero ice forms by one law, above it a leaf dries by another.
#include "report.h"

using namespace tapescope;

class Plant {
 public:
  Variable freezing{0.7, {.name = "freezing"}};
  Variable drying{0.1, {.name = "drying"}};
  Variable wax{constant(1.4), {.name = "wax"}};

  Tensor damage(const Tensor& degrees) const {
    return map_fn(
        [this](const Tensor& leaf) {
          return cond(  //~
              leaf < 0.0, [&] { return ice(leaf); }, [&] { return drying * leaf / wax; });  //!
        },
        degrees);
  }

 private:
  Tensor ice(const Tensor& leaf) const {
    return 1.0 - exp(freezing * leaf);  //~
  }
};

int main(int argc, char**) {
  const Plant plant;
  const std::vector<Tensor> nights{constant({-2.0, 1.0, 0.5}), constant({1.4, -1.5, -0.3}),
                                   constant({1.5, 0.5, 2.0})};
  std::map<std::string, Tensor> gradients;
  for (const Tensor& degrees : nights) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor known = where(degrees < 0.0, 0.6, 0.1);
      loss = reduce_mean(square(plant.damage(argc > 1 ? degrees - 1.0 : degrees) - known));  //~
    }
    gradients = tape.gradient(loss, {{"drying", plant.drying}, {"freezing", plant.freezing}});
    plant.drying.assign_sub(0.1 * gradients.at("drying"));
  }
  report("drying", gradients.at("drying"));
  report("freezing", gradients.at("freezing"));
}
