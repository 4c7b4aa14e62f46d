// Plans when vending machines are refilled, week by week, as the demand goes with the season.
#include "report.h"

using namespace tapescope;

struct Machine {
  Variable demand{constant({4.0, 6.0, 3.0}), {.name = "demand"}};
  Variable swing{constant(0.3), {.name = "swing"}};
};

class Planner {
 public:
  explicit Planner(const Machine& machine)
      : machine_(machine),
        by_number_("plan", [this](const Tensor& sold, int week) { return fit(sold, constant(1.0 * week)); },
                   {.arguments = {"sold", "week"}}),
        by_tensor_("plan", [this](const Tensor& sold, const Tensor& week) { return fit(sold, week); },
                   {.arguments = {"sold", "week"}}) {}

  std::vector<Tensor> plan(const Tensor& sold, int week) const {
    return by_number_(sold, week);  //!
  }
  std::vector<Tensor> plan_once_traced(const Tensor& sold, int week) const {
    return by_tensor_(sold, constant(1.0 * week));
  }
  void report_all() const {
    if (by_number_.tracing_count()) report_traces(by_number_);
    if (by_tensor_.tracing_count()) report_traces(by_tensor_);
  }

 private:
  Tensor season(const Tensor& week) const { return 1.0 + machine_.swing * sin(week * (2 * 3.14159 / 52)); }
  std::vector<Tensor> fit(const Tensor& sold, const Tensor& week) const {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(machine_.demand * season(week) - sold));
    }
    return tape.gradient(loss, {machine_.demand, machine_.swing});
  }
  const Machine& machine_;
  Function<std::vector<Tensor>(const Tensor&, int)> by_number_;
  Function<std::vector<Tensor>(const Tensor&, const Tensor&)> by_tensor_;
};

int main(int argc, char**) {
  const Machine machine;
  const Planner planner(machine);
  std::vector<Tensor> gradients;
  for (int week = 20; week < 25; ++week) {
    const Tensor sold = constant({4.4, 6.8, 3.1}) + 0.1 * week;
    gradients = argc > 1 ? planner.plan_once_traced(sold, week) : planner.plan(sold, week);  //~
    machine.demand.assign_sub(0.1 * gradients[0]);
    machine.swing.assign_sub(0.01 * gradients[1]);
  }
  report("demand", gradients[0]);
  report("swing", gradients[1]);
  planner.report_all();
}
