// Averages the samples of a laboratory, as many as came in that hour.
#include "report.h"

using namespace tapescope;

std::vector<Tensor> samples_of_hour(int hour) {
  std::vector<Tensor> samples;
  for (int i = 0; i <= hour % 4; ++i) samples.push_back(constant({0.1 * hour + i, 1.0 + i}));
  return samples;
}

int main(int argc, char**) {
  const Variable calibration(constant({1.1, 0.9}), {.name = "calibration"});
  const Function average("average",
                         [&](const std::vector<Tensor>& samples) {
                           return reduce_sum(calibration * add_n(samples)) /
                                  static_cast<double>(samples.size());
                         },
                         {.arguments = {"samples"}});
  const Function average_rows(
      "average_rows", [&](const Tensor& rows) { return reduce_sum(calibration * reduce_mean(rows, 0)); },
      {.arguments = {"rows"}, .input_signature = std::vector<TensorSpec>{{.dims = {TensorSpec::kAny, 2}}}});

  double total = 0;
  for (int hour = 0; hour < 6; ++hour) {
    const std::vector<Tensor> samples = samples_of_hour(hour);  //~
    total += element(argc > 1 ? average_rows(stack(samples)) : average(samples), 0);  //!
  }
  std::printf("total %.3f\n", total);
  report_traces(average);
}
