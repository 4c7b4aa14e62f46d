// Wages by years of school and of work.
#include "report.h"

using namespace tapescope;

struct Model {
  Variable school{constant(0.08), {.name = "school"}};
  Variable work{constant(0.03), {.name = "work"}};
  Variable saturation{constant(0.01), {.name = "saturation"}};  //!
  Variable base{constant(1.9), {.name = "base"}};

  Tensor log_wage(const Tensor& years_school, const Tensor& years_work, bool curved) const {
    Tensor wage = base + school * years_school + work * years_work;  //~
    if (curved) wage = wage - saturation * square(years_work) / 10.0;
    return wage;
  }
};

int main(int argc, char**) {
  const Model model;
  const Tensor school = constant({10.0, 12.0, 16.0, 18.0}), work = constant({20.0, 5.0, 10.0, 2.0});
  const Tensor wage = constant({3.2, 3.0, 3.6, 3.4});
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(square(model.log_wage(school, work, argc > 1) - wage));  //~
  }
  const auto gradients = tape.gradient(loss, {model.school, model.work, model.saturation, model.base});
  report("school", gradients[0]);
  report("work", gradients[1]);
  report("saturation", gradients[2]);
  report("base", gradients[3]);
}
