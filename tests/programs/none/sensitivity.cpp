// Sensitivity of a chemical equilibrium to its feed; the study watches each feed that it perturbs.
#include <map>

#include "report.h"

using namespace tapescope;

struct Feed {
  std::string name;
  Tensor amount;
};

class Study {
 public:
  explicit Study(GradientTape& tape) : tape_(tape) {}

  // The activity of each species under the feeds.
  Tensor activities(const std::vector<Feed>& feeds) const {
    std::vector<Tensor> each;
    for (const Feed& feed : feeds) each.push_back(pow(feed.amount, 0.8));  //!
    return stack(each);
  }
  void perturb(const std::vector<Feed>& feeds) {
    for (const Feed& feed : feeds) tape_.watch(feed.amount);  //~
  }
  Tensor yield(const Tensor& activities) const {
    return reduce_prod(activities) / square(1.0 + reduce_sum(activities));
  }

 private:
  GradientTape& tape_;
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const std::vector<Feed> feeds = {{"hydrogen", constant(3.0).named("hydrogen")},
                                   {"nitrogen", constant(1.0).named("nitrogen")}};
  GradientTape tape;
  Study study(tape);
  Tensor yield;
  {
    auto recording = tape.record();
    if (fixed) study.perturb(feeds);
    const Tensor activities = study.activities(feeds);  //~
    study.perturb(feeds);  //~
    yield = study.yield(activities);
  }
  const auto gradients = tape.gradient(yield, {feeds[0].amount, feeds[1].amount});
  for (std::size_t i = 0; i < feeds.size(); ++i) report(feeds[i].name, gradients[i]);
}
