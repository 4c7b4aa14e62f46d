// Where a tsunami began, from when it came to the gauges along a coast.
#include <future>

#include "report.h"

using namespace tapescope;

struct Gauge {
  double along, depth, arrival;
};

class Source {
 public:
  Variable place{constant({0.3, 1.8}), {.name = "place"}};
  Variable begun{constant(0.2), {.name = "begun"}};

  Tensor travel(const Gauge& gauge) const {
    const Tensor away = place - constant({gauge.along, 0.0});
    return sqrt(reduce_sum(square(away))) / std::sqrt(9.81 * gauge.depth);
  }
};

// Each gauge is traced back on its own core.
std::vector<Tensor> travel_times(const Source& source, const std::vector<Gauge>& gauges, bool in_turn) {
  std::vector<Tensor> times;
  std::vector<std::future<Tensor>> running;
  for (const Gauge& gauge : gauges) {
    if (in_turn) times.push_back(source.travel(gauge));
    else running.push_back(std::async(std::launch::async, [&] { return source.travel(gauge); }));  //!
  }
  for (auto& one : running) times.push_back(one.get());  //~
  return times;
}

int main(int argc, char**) {
  const Source source;
  const std::vector<Gauge> gauges{{-1.0, 0.3, 1.5}, {0.5, 0.2, 1.3}, {1.4, 0.4, 1.1}};
  std::vector<Tensor> gradients;
  for (int round = 0; round < 3; ++round) {
    GradientTape tape;
    Tensor misfit;
    {
      auto recording = tape.record();
      const std::vector<Tensor> times = travel_times(source, gauges, argc > 1);  //~
      misfit = 0.1 * square(source.begun);
      for (std::size_t i = 0; i < gauges.size(); ++i)
        misfit = misfit + square(source.begun + times[i] - gauges[i].arrival);
    }
    gradients = tape.gradient(misfit, {source.place, source.begun});
    source.begun.assign_sub(0.05 * gradients[1]);
  }
  report("place", gradients[0]);
  report("begun", gradients[1]);
}
