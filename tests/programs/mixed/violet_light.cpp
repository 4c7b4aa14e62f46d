// Learns spectra of violets by a pupil that follows its teacher, a slow average of the pupil itself.
#include "report.h"

using namespace tapescope;

class Encoder {
 public:
  explicit Encoder(const char* name) : kernel(reshape(sin(linspace(0.1, 4.0, 15)), {5, 3}), {.name = name}) {}
  Tensor operator()(const Tensor& spectra) const { return l2_normalize(matmul(spectra, kernel), {1}); }
  Variable kernel;
};

void follow(const Encoder& teacher, const Encoder& pupil) {
  teacher.kernel.assign(0.95 * teacher.kernel + 0.05 * pupil.kernel);
}

int main() {
  const Encoder pupil("pupil"), teacher("teacher");
  const Variable head(reshape(cos(linspace(0.0, 3.0, 9)), {3, 3}), {.name = "head"});
  const Tensor dawn = reshape(cos(linspace(0.0, 16.0, 20)), {4, 5});
  const Tensor dusk = dawn + 0.1 * reshape(sin(linspace(0.0, 40.0, 20)), {4, 5});
  SGD optimizer(0.2);
  std::vector<Tensor> gradients;
  double agreement = 0;
  for (int day = 0; day < 6; ++day) {
    const Tensor wanted = teacher(dusk);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = 1.0 - reduce_mean(reduce_sum(l2_normalize(matmul(pupil(dawn), head), {1}) * wanted, 1));
    }
    gradients = tape.gradient(loss, {pupil.kernel, head});
    optimizer.apply_gradients(gradients, {pupil.kernel, head});
    follow(teacher, pupil);
    agreement = item(reduce_mean(reduce_sum(pupil(dusk) * teacher(dusk), 1)));
  }
  std::printf("agreement %.2f\n", agreement);
  report("pupil", gradients[0]);
  report("head", gradients[1]);
}
