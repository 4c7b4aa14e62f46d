// Grades flour sample by sample with a small network, then averages the losses.
#include "report.h"

using namespace tapescope;

class Mill {
 public:
  Variable sieve{reshape(sin(linspace(0.0, 6.0, 24)), {6, 4}), {.name = "sieve"}};
  Variable grade{constant({0.4, -0.2, 0.3, 0.1}), {.name = "grade"}};

  Tensor score(const Tensor& samples) const { return matvec(tanh(matmul(samples, sieve)), grade); }
};

int main(int argc, char**) {
  const bool batched = argc > 1;
  const Mill mill;
  const Tensor samples = reshape(cos(linspace(0.0, 40.0, 48 * 6)), {48, 6}),
               grades = sin(linspace(0.0, 3.0, 48));
  std::vector<Tensor> gradients;
  for (int day = 0; day < 3; ++day) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      if (batched) {
        loss = reduce_mean(square(mill.score(samples) - grades));
      } else {
        std::vector<Tensor> losses;
        for (int i = 0; i < 48; ++i) {
          const Tensor sample = slice(samples, {i, 0}, {1, 6});  //~
          losses.push_back(reduce_sum(square(mill.score(sample) - at(grades, i))));  //!
        }
        loss = add_n(losses) / 48.0;
      }
    }
    gradients = tape.gradient(loss, {mill.sieve, mill.grade});
    mill.grade.assign_sub(0.05 * gradients[1]);
  }
  report("sieve", gradients[0]);
  report("grade", gradients[1]);
}
