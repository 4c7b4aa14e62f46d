// How long a parcel takes, from the stations that it has passed so far.
#include "report.h"

using namespace tapescope;

using Stations = std::vector<Tensor>;

class Arrival {
 public:
  explicit Arrival(std::size_t slots)
      : slots_(slots),
        estimate_("estimate",
                  [this](const Stations& stations, const Tensor& taken) {
                    GradientTape tape;
                    Tensor loss;
                    {
                      auto recording = tape.record();
                      Tensor sum = zeros({3});
                      for (const Tensor& station : stations) sum = sum + pace * station;
                      loss = reduce_mean(square(sum + delay - taken));
                    }
                    return tape.gradient(loss, {pace, delay});
                  },
                  {.arguments = {"stations", "taken"}}) {}

  std::vector<Tensor> revise(Stations stations, const Tensor& taken) {
    while (stations.size() < slots_) stations.push_back(zeros({3}));
    return estimate_(stations, taken);  //!
  }
  const auto& function() const { return estimate_; }
  Variable pace{constant(0.7), {.name = "pace"}}, delay{constant(0.5), {.name = "delay"}};

 private:
  std::size_t slots_;
  Function<std::vector<Tensor>(const Stations&, const Tensor&)> estimate_;
};

int main(int argc, char**) {
  Arrival arrival(argc > 1 ? 4 : 0);
  Stations passed;
  std::vector<Tensor> gradients;
  for (int station = 0; station < 4; ++station) {
    passed.push_back(constant({1.0 + station, 0.8, 1.2}));  //~
    gradients = arrival.revise(passed, fill({3}, 2.0 + station));  //~
    arrival.pace.assign_sub(0.01 * gradients[0]);
    arrival.delay.assign_sub(0.01 * gradients[1]);
  }
  report("pace", gradients[0]);
  report("delay", gradients[1]);
  report_traces(arrival.function());
}
