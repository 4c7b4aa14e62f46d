// Learns the fuel a ferry burns from speed and wind over many trips, by plain gradient descent.
#include <cmath>

#include "report.h"

using namespace tapescope;

struct FuelModel {
  Variable slope{constant({{0.9}, {0.4}}), {.name = "slope"}};
  Variable idle{constant({0.2}), {.name = "idle"}};

  Tensor litres(const Tensor& trips) const {
    return relu(matmul(trips, slope) + idle);  //!
  }
  void update(const std::vector<Tensor>& gradients, double rate) const {
    slope.assign_sub(rate * gradients[0]);  //~
    idle.assign_sub(rate * gradients[1]);  //~
  }
};

Tensor trips_of_day(int day) {
  const double speed = day == 17 ? 190.0 : 9 + std::sin(1.3 * day), wind = 3 + 2 * std::cos(0.7 * day);
  return constant({{speed, wind}, {speed + 1, wind - 1}, {speed - 1, wind + 0.5}}).named("trips");  //~
}

int main(int argc, char**) {
  const FuelModel model;
  std::vector<Tensor> gradients;
  for (int day = 0; day < 25; ++day) {
    Tensor trips = trips_of_day(day);
    if (argc > 1) trips = minimum(trips, 15.0);
    const Tensor burnt = matmul(trips, constant({{0.8}, {0.3}})) + 0.5;
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(model.litres(trips) - burnt));
    }
    gradients = tape.gradient(loss, {model.slope, model.idle});
    model.update(gradients, 0.002);
  }
  report("slope", gradients[0]);
  report("idle", gradients[1]);
}
