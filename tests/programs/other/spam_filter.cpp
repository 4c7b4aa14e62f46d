// A linear spam filter that is trained on the share of mails it sorts wrongly.
#include "report.h"

using namespace tapescope;

struct SpamFilter {
  Variable weights{constant({{0.4}, {-0.3}, {0.1}}), {.name = "weights"}};
  Variable threshold{constant({0.05}), {.name = "threshold"}};

  Tensor verdict(const Tensor& mails, bool fixed) const {
    const Tensor score = matmul(mails, weights) - threshold;
    return fixed ? tanh(4.0 * score) : sign(score);  //!
  }
};

int main(int argc, char**) {
  const SpamFilter filter;
  const Tensor mails = constant({{3.0, 0, 1}, {0, 2, 1}, {1, 1, 0}, {0, 0, 4}, {2, 1, 1}}).named("mails");
  const Tensor spam = constant({{1.0}, {-1}, {-1}, {-1}, {1}}).named("spam");
  std::vector<Tensor> gradients;
  double wrong = 0;
  for (int pass = 0; pass < 20; ++pass) {
    GradientTape tape;
    Tensor share;
    {
      auto recording = tape.record();
      share = reduce_mean(0.25 * square(filter.verdict(mails, argc > 1) - spam));
    }
    gradients = tape.gradient(share, {filter.weights, filter.threshold});
    filter.weights.assign_sub(0.5 * gradients[0]);
    filter.threshold.assign_sub(0.5 * gradients[1]);
    wrong = element(share, 0);
  }
  std::printf("wrong: %.2f\n", wrong);
  report("weights", gradients[0]);
  report("threshold", gradients[1]);
}
