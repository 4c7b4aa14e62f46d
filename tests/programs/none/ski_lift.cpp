// Energy of a ski lift by a traced function; friction and drag come from a table of settings.
#include "report.h"

using namespace tapescope;

using Settings = std::map<std::string, Variable>;
using Numbers = std::map<std::string, double>;

Numbers numbers_of(const Settings& settings) {
  Numbers numbers;
  for (const auto& [name, variable] : settings) numbers[name] = item(variable.value());  //~
  return numbers;
}

class Lift {
 public:
  Lift(const Settings& settings, bool live)
      : drag_(settings.at("drag")), energy_(make(settings, numbers_of(settings), live)) {}  //~

  Tensor energy(const Tensor& speeds) const { return energy_(speeds); }  //~
  const auto& function() const { return energy_; }

 private:
  using Energy = Function<Tensor(const Tensor&)>;
  Energy make(const Settings& settings, const Numbers& numbers, bool live) const {
    if (live) {
      return Energy("energy", [this, friction = settings.at("friction")](const Tensor& speeds) {
        return reduce_sum(friction * speeds + drag_ * speeds * square(speeds));
      });
    }
    return Energy("energy", [this, numbers](const Tensor& speeds) {
      return reduce_sum(numbers.at("friction") * speeds + drag_ * speeds * square(speeds));  //!
    });
  }
  Variable drag_;
  Energy energy_;
};

int main(int argc, char**) {
  const Settings settings{{"friction", Variable(constant(0.3), {.name = "friction"})},
                          {"drag", Variable(constant(0.05), {.name = "drag"})}};
  const Lift lift(settings, argc > 1);
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 4; ++hour) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = square(lift.energy(linspace(1.0, 2.5 + 0.1 * hour, 5)) - 5.0);  //~
    }
    gradients = tape.gradient(miss, {settings.at("friction"), settings.at("drag")});
    settings.at("drag").assign_sub(1e-4 * gradients[1]);
  }
  report("friction", gradients[0]);
  report("drag", gradients[1]);
  report_traces(lift.function());
}
