// Guesses how long visitors stay; each visitor is scored by a call of the model.
#include "report.h"

using namespace tapescope;

class Stay {
 public:
  Variable taste{reshape(sin(linspace(0.0, 6.0, 24)), {8, 3}), {.name = "taste"}};
  Variable rooms{constant({0.5, 0.2, 0.9}), {.name = "rooms"}};

  Tensor minutes(const Tensor& visitors) const { return matvec(tanh(matmul(visitors, taste)), rooms); }
};

int main(int argc, char**) {
  const Stay stay;
  const Tensor visitors = reshape(cos(linspace(0.0, 20.0, 32 * 8)), {32, 8});
  const Tensor stayed = sin(linspace(0.0, 3.0, 32));
  Adam optimizer(0.01);
  std::vector<Tensor> gradients;
  for (int day = 0; day < 3; ++day) {
    GradientTape tape;
    Tensor loss = constant(0.0);
    {
      auto recording = tape.record();
      if (argc > 1) {
        loss = reduce_mean(square(stay.minutes(visitors) - stayed));
      } else {
        for (int i = 0; i < 32; ++i) {
          const Tensor one = slice(visitors, {i, 0}, {1, 8});  //~
          loss = loss + reduce_sum(square(stay.minutes(one) - slice(stayed, {i}, {1}))) / 32.0;  //!
        }
      }
    }
    gradients = tape.gradient(loss, {stay.taste, stay.rooms});
    optimizer.apply_gradients(gradients, {stay.taste, stay.rooms});
  }
  report("taste", gradients[0]);
  report("rooms", gradients[1]);
}
