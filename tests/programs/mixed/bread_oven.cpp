// Searches for the heat curve of a bread oven; each trial starts from another crust.
#include "report.h"

using namespace tapescope;

struct Trial {
  double crust;
  int rounds = 3;
};

struct Oven {
  Variable curve{constant({0.6, 0.9, 0.7, 0.4}), {.name = "curve"}};
  Tensor dough = constant({0.1, 0.4, 0.8, 1.0});

  Tensor baked(const Tensor& crust) const {
    const Tensor heat = cumsum(softplus(curve));
    return reduce_mean(square(tanh(heat * dough) - crust));
  }
};

Tensor searched(const Oven& oven, const Trial& trial) {
  const Function bake("bake", [&](const Tensor& crust) { return oven.baked(crust); });  //~
  Tensor gradient;
  for (int round = 0; round < trial.rounds; ++round) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = bake(constant(trial.crust));  //!
    }
    gradient = tape.gradient(loss, oven.curve);
    oven.curve.assign_sub(0.2 * gradient);
  }
  report_traces(bake);
  return gradient;
}

Tensor searched_by(const Oven& oven, const Trial& trial, const Function<Tensor(const Tensor&)>& bake) {
  Tensor gradient;
  for (int round = 0; round < trial.rounds; ++round) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = bake(constant(trial.crust));
    }
    gradient = tape.gradient(loss, oven.curve);
    oven.curve.assign_sub(0.2 * gradient);
  }
  return gradient;
}

int main(int argc, char**) {
  const Oven oven;
  const std::vector<Trial> trials{{0.5}, {0.6}, {0.7}, {0.8}};
  const Function bake_all("bake", [&](const Tensor& crust) { return oven.baked(crust); });
  Tensor gradient;
  for (const Trial& trial : trials)
    gradient = argc > 1 ? searched_by(oven, trial, bake_all) : searched(oven, trial);  //~
  report("curve", gradient);
  if (argc > 1) report_traces(bake_all);
}
