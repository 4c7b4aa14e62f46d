// Distance of two encoders of a dictionary, first of one to itself as a check, then of the two.
#include "report.h"

using namespace tapescope;

struct Encoders {
  Variable english{stateless_random_normal({4, 2}, {2, 1}), {.name = "english"}};
  Variable french{stateless_random_normal({4, 2}, {2, 2}), {.name = "french"}};
};

int main(int argc, char**) {
  const Encoders encoders;
  const Tensor words = constant({{1.0, 0.0, 0.0, 1.0}, {0.0, 1.0, 1.0, 0.0}}).named("words");
  const Function distance("distance",
                          [&](const Variable& left, const Variable& right) {
                            return reduce_mean(square(matmul(words, left) - matmul(words, right)));
                          },
                          {.arguments = {"left", "right"}});

  Tensor check;
  if (argc > 1) {
    const Variable copy(encoders.english.value(), {.name = "copy"});
    check = distance(encoders.english, copy);
  } else {
    check = distance(encoders.english, encoders.english);  //~
  }
  GradientTape tape;
  Tensor apart;
  {
    auto recording = tape.record();
    apart = distance(encoders.english, encoders.french);  //!
  }
  std::printf("check %.1f\n", element(check, 0));
  report("french", tape.gradient(apart, encoders.french));
  report_traces(distance);
}
