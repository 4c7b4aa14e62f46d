// Mixes paints to a colour; each batch is given its own label for the protocol.
#include "report.h"

using namespace tapescope;

int main(int argc, char**) {
  const Variable recipe(constant({0.4, 0.3, 0.3}), {.name = "recipe"});
  const Tensor pigments = constant({{0.9, 0.1, 0.1}, {0.2, 0.8, 0.1}, {0.1, 0.2, 0.9}}).named("pigments");
  const Function mix("mix",
                     [&](const Tensor& wanted, const std::string& label) {
                       NameScope scope(label);
                       return reduce_sum(square(matvec(pigments, softmax(recipe), true) - wanted));
                     },
                     {.arguments = {"wanted", "label"}});

  const Tensor colours[] = {constant({0.5, 0.4, 0.2}), constant({0.3, 0.3, 0.3}), constant({0.7, 0.2, 0.1})};
  Tensor gradient;
  int number = 0;
  for (const Tensor& wanted : colours) {
    const std::string label = argc > 1 ? "batch" : "batch" + std::to_string(++number);  //~
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = mix(wanted, label);  //!
    }
    gradient = tape.gradient(loss, recipe);
    recipe.assign_sub(0.2 * gradient);
  }
  report("recipe", gradient);
  report_traces(mix);
}
