// An ensemble of growth curves, each member with a tape of its own, fitted to one bacterial culture.
#include "report.h"

using namespace tapescope;

struct Member {
  Variable rate, capacity;
  Member(int number, double r, double k)
      : rate(constant(r), {.name = "rate" + std::to_string(number)}),
        capacity(constant(k), {.name = "capacity" + std::to_string(number)}) {}

  Tensor density(const Tensor& hours) const {
    return capacity / (1.0 + 30.0 * exp(-rate * hours));  //!
  }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  std::vector<Member> members = {{0, 0.8, 1.9}, {1, 1.1, 2.2}, {2, 0.5, 1.4}};
  const Tensor hours = constant({0.0, 2.0, 4.0, 6.0, 8.0});
  const Tensor culture = constant({0.07, 0.4, 1.3, 1.9, 2.1});

  std::vector<GradientTape> tapes(members.size());
  std::vector<Tensor> misfits(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    auto recording = tapes[i].record();
    misfits[i] = reduce_mean(square(members[i].density(hours) - culture));  //~
  }
  // The member that fits best takes the step.
  std::size_t best = 0;
  for (std::size_t i = 1; i < misfits.size(); ++i) {
    if (item(misfits[i]) < item(misfits[best])) best = i;
  }
  GradientTape& tape = fixed ? tapes[best] : tapes[misfits.size() - 1];
  const auto gradients = tape.gradient(misfits[best], {members[best].rate, members[best].capacity});  //~
  report(members[best].rate.name(), gradients[0]);
  report(members[best].capacity.name(), gradients[1]);
}
