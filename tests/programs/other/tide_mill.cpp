// A tide mill grinds hour by hour; each hour of the tide goes into one traced step.
#include "report.h"

using namespace tapescope;

class Mill {
 public:
  explicit Mill(bool as_tensor)
      : as_tensor_(as_tensor),
        by_hour_("grind", [this](const Tensor& water, double phase) { return step(water, constant(phase)); },
                 {.arguments = {"water", "phase"}}),
        by_tensor_("grind", [this](const Tensor& water, const Tensor& phase) { return step(water, phase); },
                   {.arguments = {"water", "phase"}}) {}

  std::vector<Tensor> grind(const Tensor& water, double phase) {
    if (as_tensor_) return by_tensor_(water, constant(phase));
    return by_hour_(water, phase);  //!
  }
  void print() const {
    if (as_tensor_) report_traces(by_tensor_);
    else report_traces(by_hour_);
  }
  Variable gate{constant(0.6), {.name = "gate"}}, stones{constant(0.9), {.name = "stones"}};

 private:
  std::vector<Tensor> step(const Tensor& water, const Tensor& phase) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor flow = gate * water * (1.0 + sin(phase));
      loss = reduce_mean(square(stones * flow - 0.5));
    }
    return tape.gradient(loss, {gate, stones});
  }
  bool as_tensor_;
  Function<std::vector<Tensor>(const Tensor&, double)> by_hour_;
  Function<std::vector<Tensor>(const Tensor&, const Tensor&)> by_tensor_;
};

int main(int argc, char**) {
  Mill mill(argc > 1);
  std::vector<Tensor> gradients;
  for (int hour = 0; hour < 6; ++hour) {
    gradients = mill.grind(linspace(0.3, 1.1, 6), 0.5 * hour);  //~
    mill.gate.assign_sub(0.05 * gradients[0]);
    mill.stones.assign_sub(0.05 * gradients[1]);
  }
  report("gate", gradients[0]);
  report("stones", gradients[1]);
  mill.print();
}
