// Bayesian update of a survey: the prior is exchanged between two regions.
#include "report.h"

using namespace tapescope;

struct Survey {
  Tensor prior = constant({0.2, 0.5, 0.3}).named("prior");
  Variable trust{constant(0.8), {.name = "trust"}};
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Survey survey;
  Function posterior("posterior", [&](const Tensor& likelihood) {
    return softmax(survey.trust * log(likelihood) + log(survey.prior));  //!
  });
  Function posterior_of("posterior_of", [&](const Tensor& likelihood, const Tensor& prior) {
    return softmax(survey.trust * log(likelihood) + log(prior));
  });
  const Tensor north = constant({0.3, 0.3, 0.4}), south = constant({0.6, 0.1, 0.3});
  posterior(north);  //~
  survey.prior = constant({0.4, 0.4, 0.2}).named("prior_of_south");  //~

  GradientTape tape;
  Tensor surprise;
  {
    auto recording = tape.record();
    tape.watch(survey.prior);
    const Tensor belief = fixed ? posterior_of(south, survey.prior) : posterior(south);  //~
    surprise = -reduce_sum(belief * log(belief));
  }
  const auto gradients = tape.gradient(surprise, {survey.trust, survey.prior});
  report("trust", gradients[0]);
  report("prior_of_south", gradients[1]);
}
