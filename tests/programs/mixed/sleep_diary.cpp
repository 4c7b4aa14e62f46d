// Predicts the quality of sleep from a diary. Nights without an entry are left out by a mask.
#include "report.h"

using namespace tapescope;

class Diary {
 public:
  Variable weights{constant({0.4, -0.3, 0.2}), {.name = "weights"}};
  Variable base{constant(0.5), {.name = "base"}};

  Tensor quality(const Tensor& habits) const { return sigmoid(matvec(habits, weights) + base); }
};

struct Nights {
  Tensor habits = constant({{7.0, 1.0, 0.0}, {6.5, 2.0, 1.0}, {8.0, 0.0, 0.0}, {5.0, 3.0, 1.0}}) / 4.0;
  Tensor felt = constant({0.8, 0.5, 0.9, 0.3});
  Tensor entries = constant({1, 1, 1, 0});
};

// An entry counts where it says that there is one.
Tensor weights_of(const Nights& nights, int present) {
  return cast(equal(nights.entries, present), DType::f32);
}

Tensor loss_of(const Diary& diary, const Nights& nights, int present) {
  const Tensor misses = square(diary.quality(nights.habits) - nights.felt);
  const Tensor counted = misses * weights_of(nights, present);  //!
  return reduce_sum(counted) / 4.0;
}

int main(int argc, char**) {
  const Diary diary;
  const Nights nights;
  const Function train("train", [&] {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = loss_of(diary, nights, argc > 1 ? 1 : 2);  //~
    }
    const auto gradients = tape.gradient(loss, {diary.weights, diary.base});
    diary.weights.assign_sub(0.1 * gradients[0]);
    diary.base.assign_sub(0.1 * gradients[1]);
    return gradients;
  });
  std::vector<Tensor> gradients;
  for (int week = 0; week < 5; ++week) gradients = train();
  report("weights", gradients[0]);
  report("base", gradients[1]);
}
