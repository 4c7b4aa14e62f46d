// Finds beats in a drum track. Only what is tuned today is to be followed by the tape.
#include "report.h"

using namespace tapescope;

template <class... Names>
std::map<std::string, Variable> knobs(Names... names) {
  std::map<std::string, Variable> made;
  double start = 0.9;
  ((made.emplace(names, Variable(constant({start, start / 2}), {.name = names})), start -= 0.4), ...);
  return made;
}

class Tracker {
 public:
  std::map<std::string, Variable> knobs_ = knobs("attack", "release", "offset");

  Tensor envelope(const Tensor& track) const {
    const Tensor up =
        relu(track * expand_dims(knobs_.at("attack"), 1) - expand_dims(knobs_.at("offset"), 1));  //!
    return cumsum(up, 1) * exp(-expand_dims(knobs_.at("release"), 1));
  }

  std::map<std::string, Tensor> tune(const Tensor& track, const std::vector<std::string>& today) const {
    GradientTape tape({.watch_accessed_variables = false});  //~
    Tensor loss;
    {
      auto recording = tape.record();
      for (const std::string& name : today) tape.watch(knobs_.at(name));  //~
      loss = reduce_mean(square(envelope(track) - 1.0));
    }
    return tape.gradient(loss, std::map<std::string, Traced>(knobs_.begin(), knobs_.end()));
  }
};

int main(int argc, char**) {
  const Tracker tracker;
  const Tensor track = reshape(1.0 + square(sin(linspace(0.0, 12.0, 20))), {2, 10});
  std::vector<std::string> today{"attack", "release"};
  if (argc > 1) today.push_back("offset");
  std::map<std::string, Tensor> gradients;
  for (int bar = 0; bar < 3; ++bar) {
    gradients = tracker.tune(track, today);
    for (const std::string& name : today) tracker.knobs_.at(name).assign_sub(0.01 * gradients.at(name));
  }
  for (const auto& [name, gradient] : gradients) report(name, gradient);
}
