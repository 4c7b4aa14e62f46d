// Anneals the model of a tuning fork: less and less noise is forgiven, epoch by epoch.
#include "report.h"

using namespace tapescope;

struct Fork {
  Variable mass{1.3, {.name = "mass"}}, bend{2.1, {.name = "bend"}};
};

template <class Temperature>
Tensor energy(const Fork& fork, const Tensor& times, const Temperature& temperature) {
  const Tensor heard = cos(sqrt(fork.bend / fork.mass) * times) * exp(-0.1 * times);
  const Tensor apart = heard - cos(1.5 * times);
  return reduce_mean(1.0 - exp(-square(apart) / temperature));
}

template <class Temperature>
std::vector<Tensor> epoch(const Fork& fork, const Tensor& loss_input,
                          const Function<Tensor(const Tensor&, const Temperature&)>& traced,
                          const Temperature& temperature) {
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = traced(loss_input, temperature);  //!
  }
  auto gradients = tape.gradient(loss, {fork.mass, fork.bend});
  fork.bend.assign_sub(0.1 * gradients[1]);
  return gradients;
}

int main(int argc, char**) {
  const Fork fork;
  const Tensor times = linspace(0.0, 6.0, 25);
  const Function<Tensor(const Tensor&, const double&)> cooled(
      "energy", [&](const Tensor& t, const double& temperature) { return energy(fork, t, temperature); },
      {.arguments = {"times", "temperature"}});
  const Function<Tensor(const Tensor&, const Tensor&)> cooled_by_tensor(
      "energy", [&](const Tensor& t, const Tensor& temperature) { return energy(fork, t, temperature); },
      {.arguments = {"times", "temperature"}});
  std::vector<Tensor> gradients;
  for (const double temperature : {2.0, 1.0, 1.0, 0.5}) {  //~
    if (argc > 1) gradients = epoch<Tensor>(fork, times, cooled_by_tensor, constant(temperature));
    else gradients = epoch<double>(fork, times, cooled, temperature);  //~
  }
  report("mass", gradients[0]);
  report("bend", gradients[1]);
  if (argc > 1) report_traces(cooled_by_tensor);
  else report_traces(cooled);
}
