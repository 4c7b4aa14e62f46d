// Sorts mail by weight in trays; the last tray of a day is not full.
#include "report.h"

using namespace tapescope;

class Sorter {
 public:
  Variable kernel{constant({0.4, -0.3, 0.2}), {.name = "kernel"}};
  Tensor miss(const Tensor& letters, const Tensor& place) const {
    return reduce_mean(square(tanh(matvec(letters, kernel)) - place));
  }
};

int main(int argc, char**) {
  const Sorter sorter;
  const auto body = [&](const Tensor& letters, const Tensor& place) { return sorter.miss(letters, place); };
  FunctionOptions options{.arguments = {"letters", "place"}};
  if (argc > 1) options.input_signature = std::vector<TensorSpec>{{{-1, 3}, DType::f32}, {{-1}, DType::f32}};
  const Function sort("sort", body, options);
  Tensor gradient;
  for (int count : {8, 8, 5, 8, 3}) {
    const Tensor letters = reshape(sin(linspace(0.0, 1.0 * count, 3 * count)), {count, 3});
    const Tensor place = cos(linspace(0.0, 2.0, count));
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = sort(letters, place);  //!
    }
    gradient = tape.gradient(miss, sorter.kernel);
    sorter.kernel.assign_sub(0.1 * gradient);
  }
  report("kernel", gradient);
  report_traces(sort);
}
