// Forecasts of a ski resort: snow, visitors and queues from one weather, each with its head. The heads' steps
// have rates that the desks choose themselves, so that each is asked for apart.
#include "report.h"

using namespace tapescope;

struct Desk {
  std::string task;
  double rate;
  Tensor seen;
  Variable head{constant({0.4, -0.2, 0.3}), {.name = task}};

  Tensor miss(const Tensor& weather) const { return reduce_mean(square(matvec(weather, head) - seen)); }
};

class Resort {
 public:
  explicit Resort(bool persistent) : persistent_(persistent) {}
  std::vector<Desk> desks{{"snow", 0.1, constant({0.5, 0.2})},
                          {"visitors", 0.05, constant({0.9, 0.4})},
                          {"queues", 0.2, constant({0.3, 0.1})}};

  void day(const Tensor& weather, std::map<std::string, Tensor>& gradients) const {
    GradientTape tape({.persistent = persistent_});  //~
    std::vector<Tensor> misses;
    {
      auto recording = tape.record();
      for (const Desk& desk : desks) misses.push_back(desk.miss(weather));
    }
    for (std::size_t i = 0; i < desks.size(); ++i) {
      const Desk& desk = desks[i];
      gradients[desk.task] = tape.gradient(misses[i], desk.head);  //!
      desk.head.assign_sub(desk.rate * gradients[desk.task]);
    }
  }

 private:
  bool persistent_;
};

int main(int argc, char**) {
  const Resort resort(argc > 1);
  const Tensor weather = constant({{-3.0, 0.4, 1.0}, {1.0, 0.1, 1.0}}).named("weather");
  std::map<std::string, Tensor> gradients;
  try {
    for (int day = 0; day < 2; ++day) resort.day(weather / 3.0, gradients);
  } catch (const Error& error) {
    report_error(error);
  }
  report("snow", gradients["snow"]);
  report("visitors", gradients["visitors"]);
}
