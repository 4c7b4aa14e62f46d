// Which dyes are in a stain, from counts of photons in each colour.
#include "report.h"

using namespace tapescope;

template <class Score>
Tensor shares(const Score& score, bool from_the_top) {
  const Tensor raised = from_the_top ? score - reduce_max(score, 1, true) : score;
  const Tensor weight = exp(raised);  //!
  return weight / reduce_sum(weight, 1, true);  //~
}

class Unmixer {
 public:
  explicit Unmixer(bool from_the_top) : from_the_top_(from_the_top) {}
  Variable spectra{reshape(0.4 + 0.3 * cos(linspace(0.0, 5.0, 12)), {4, 3}), {.name = "spectra"}};
  Variable bias{constant({0.1, 0.0, -0.1}), {.name = "bias"}};

  Tensor operator()(const Tensor& counts) const {
    return shares(matmul(counts, spectra) + bias, from_the_top_);  //~
  }

 private:
  bool from_the_top_;
};

Tensor cross_entropy(const Tensor& truth, const Tensor& found) {
  return -reduce_mean(reduce_sum(truth * log(found + 1e-6), 1));
}

struct Exposure {
  double milliseconds;
  Tensor counts() const {
    const Tensor rate = reshape(0.6 + 0.3 * sin(linspace(0.0, 9.0, 24)), {6, 4});
    return milliseconds * rate;  //~
  }
};

int main(int argc, char**) {
  const Unmixer unmixer(argc > 1);
  const Tensor truth = one_hot(constant({0, 2, 1, 0, 1, 2}), 3);
  std::vector<Tensor> gradients;
  for (const Exposure& exposure : {Exposure{4.0}, Exposure{12.0}, Exposure{160.0}}) {
    const Tensor counts = exposure.counts();
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = cross_entropy(truth, unmixer(counts));
    }
    gradients = tape.gradient(loss, {unmixer.spectra, unmixer.bias});
    unmixer.spectra.assign_sub(0.001 * gradients[0]);
    unmixer.bias.assign_sub(0.001 * gradients[1]);
  }
  report("spectra", gradients[0]);
  report("bias", gradients[1]);
}
