// Mussels on ropes: the tape of each tide is kept, to look at it later.
#include "report.h"

using namespace tapescope;

class Farm {
 public:
  Variable growth{0.4 + 0.1 * sin(linspace(0.0, 6.0, 500)), {.name = "growth"}},
      food{constant(0.7), {.name = "food"}};
  Tensor harvest(const Tensor& tide) const {
    return reduce_mean(square(exp(growth) * tanh(food * tide) - 1.2));
  }
};

class Diary {
 public:
  explicit Diary(std::size_t pages) : pages_(pages) {}
  GradientTape& page() {
    tapes_.push_back(std::make_unique<GradientTape>(TapeOptions{.persistent = true}));  //!
    if (tapes_.size() > pages_) tapes_.erase(tapes_.begin());
    return *tapes_.back();
  }
  double bytes() const {
    double sum = 0;
    for (const auto& tape : tapes_) sum += static_cast<double>(tape->counts().saved_bytes);
    return sum;
  }

 private:
  std::size_t pages_;
  std::vector<std::unique_ptr<GradientTape>> tapes_;
};

int main(int argc, char**) {
  const Farm farm;
  Diary diary(argc > 1 ? 1 : 1000);
  std::vector<Tensor> gradients;
  for (int tide = 0; tide < 40; ++tide) {
    GradientTape& tape = diary.page();  //~
    Tensor loss;
    {
      auto recording = tape.record();  //~
      loss = farm.harvest(linspace(0.2, 1.0 + 0.01 * tide, 500));
    }
    const Tensor one = tape.gradient(loss, farm.food);
    gradients = tape.gradient(loss, {farm.growth, farm.food});
    farm.growth.assign_sub(0.5 * gradients[0]);
    farm.food.assign_sub(0.1 * one);
  }
  report_cost("kept_bytes", diary.bytes());
  report("growth", gradients[0]);
  report("food", gradients[1]);
}
