// Dries plums: heat and air by a traced step, cooler and cooler, since late plums burn easily.
#include "report.h"

using namespace tapescope;

class Dryer {
 public:
  Variable heat{{0.7, 0.9, 0.5}, {.name = "heat"}};
  Variable air{0.4, {.name = "air"}};

  Tensor wet(const Tensor& plums) const {
    Tensor water = plums;
    for (int tray = 0; tray < 3; ++tray) water = water * exp(-heat[tray] * sigmoid(air));
    return reduce_mean(square(water - 0.2));
  }
  std::vector<Tensor> stepped(const Tensor& plums, const Tensor& rate) const {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = wet(plums);
    }
    auto gradients = tape.gradient(loss, {heat, air});
    heat.assign_sub(rate * gradients[0]);
    air.assign_sub(rate * gradients[1]);
    return gradients;
  }
};

int main(int argc, char**) {
  const Dryer dryer;
  const Function by_number(
      "dry", [&](const Tensor& plums, double rate) { return dryer.stepped(plums, constant(rate)); },
      {.arguments = {"plums", "rate"}});
  const Function by_tensor(
      "dry", [&](const Tensor& plums, const Tensor& rate) { return dryer.stepped(plums, rate); },
      {.arguments = {"plums", "rate"}});
  const Tensor plums = linspace(0.6, 0.9, 10);
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 12; ++hour) {
    const double rate = 0.2 / (1 + hour);  //~
    gradients = argc > 1 ? by_tensor(plums, constant(rate)) : by_number(plums, rate);  //!
  }
  report("heat", gradients[0]);
  report("air", gradients[1]);
  if (argc > 1) report_traces(by_tensor);
  else report_traces(by_number);
}
