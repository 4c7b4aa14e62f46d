// Which of several crosses of orchids will flower best, by a score of each parent.
#include "report.h"

using namespace tapescope;

class Parent {
 public:
  Parent(const std::string& name, double vigour)
      : traits(constant({vigour, 0.5 * vigour}), {.name = name + "/traits"}) {}
  Variable traits;
  Tensor offspring(const Tensor& climate) const { return matvec(climate, traits); }
};

class Nursery {
 public:
  Nursery() {
    for (const auto& [name, vigour] : {std::pair("alba", 0.3), {"rosea", 1.4}, {"lutea", 0.2}})
      parents.emplace_back(name, vigour);
  }
  std::vector<Parent> parents;

  // Only the best cross is raised.
  Tensor flowers(const Tensor& climate, bool shared) const {
    std::vector<Tensor> each;
    for (const Parent& parent : parents) each.push_back(parent.offspring(climate));
    const Tensor all_crosses = stack(each);
    return shared ? reduce_logsumexp(all_crosses, 0) : reduce_max(all_crosses, 0);  //!
  }
};

int main(int argc, char**) {
  const Nursery nursery;
  const Tensor climate = reshape(0.5 + 0.4 * cos(linspace(0.0, 3.0, 12)), {6, 2});
  std::vector<Tensor> gradients;
  std::vector<Variable> bred;
  for (const Parent& parent : nursery.parents) bred.push_back(parent.traits);
  for (int season = 0; season < 3; ++season) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(nursery.flowers(climate, argc > 1) - 2.0));
    }
    gradients = tape.gradient(loss, bred);
    for (std::size_t i = 0; i < bred.size(); ++i) bred[i].assign_sub(0.05 * gradients[i]);
  }
  for (std::size_t i = 0; i < bred.size(); ++i) report(bred[i].name(), gradients[i]);
}
