// Two growth models of kelp, averaged; the second was swapped in after the first season.
#include <memory>

#include "report.h"

using namespace tapescope;

class Growth {
 public:
  Growth(double rate, double limit)
      : rate_(constant(rate), {.name = "rate"}), limit_(constant(limit), {.name = "limit"}) {}  //~

  Tensor next(const Tensor& blades) const { return blades + rate_ * blades * (1.0 - blades / limit_); }
  const Variable& rate() const { return rate_; }
  const Variable& limit() const { return limit_; }

 private:
  Variable rate_, limit_;
};

class Forest {
 public:
  explicit Forest(std::shared_ptr<Growth> growth) : growth_(std::move(growth)) {}
  void replace(std::shared_ptr<Growth> growth) { growth_ = std::move(growth); }

  Tensor miss(const Tensor& spring, const Tensor& autumn) const {
    Tensor blades = spring;
    for (int month = 0; month < 3; ++month) blades = growth_->next(blades);
    return reduce_mean(square(blades - autumn));
  }
  const Growth& growth() const { return *growth_; }

 private:
  std::shared_ptr<Growth> growth_;
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Forest forest(std::make_shared<Growth>(0.2, 9.0));
  const Tensor spring = constant({1.0, 2.0, 3.0}), autumn = constant({2.0, 4.1, 5.5});
  std::vector<Variable> trained = {forest.growth().rate(), forest.growth().limit()};
  std::vector<Tensor> gradients;
  for (int season = 0; season < 4; ++season) {
    if (season == 2) {
      forest.replace(std::make_shared<Growth>(0.4, 7.0));  //~
      if (fixed) trained = {forest.growth().rate(), forest.growth().limit()};
    }
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = forest.miss(spring, autumn);  //~
    }
    gradients = tape.gradient(miss, {trained[0], trained[1]});  //!
    for (std::size_t i = 0; i < trained.size(); ++i) {
      if (gradients[i]) trained[i].assign_sub(0.01 * gradients[i]);
    }
  }
  report("rate", gradients[0]);
  report("limit", gradients[1]);
}
