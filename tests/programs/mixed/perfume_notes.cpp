// How alike the notes of perfumes smell, each pair of notes by one traced comparison.
#include "report.h"

using namespace tapescope;

class Nose {
 public:
  Variable weights{constant({0.5, 0.3, 0.9}), {.name = "weights"}};
  Function<Tensor(const Variable&, const Variable&)> compare{
      "compare",
      [this](const Variable& one, const Variable& other) {
        return reduce_sum(weights * square(one - other)) + 0.1 * reduce_sum(one * other);
      },
      {.arguments = {"one", "other"}}};
};

std::vector<Variable> notes() {
  std::vector<Variable> all;
  for (const char* name : {"cedar", "musk", "rose"})
    all.emplace_back(sin(linspace(0.1 * all.size(), 2.0, 3)), VariableOptions{.name = name});
  return all;
}

int main(int argc, char**) {
  const Nose nose;
  const std::vector<Variable> all = notes();
  const std::size_t first = argc > 1 ? 1 : 0;  //~
  GradientTape tape;
  Tensor clash = constant(0.0);
  {
    auto recording = tape.record();
    for (std::size_t i = 0; i < all.size(); ++i)
      for (std::size_t j = i + first; j < all.size(); ++j) clash += nose.compare(all[i], all[j]);  //!
  }
  const Tensor gradient = tape.gradient(clash, nose.weights);
  report("weights", gradient);
  report_traces(nose.compare);
}
