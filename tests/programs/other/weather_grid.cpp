// Error of a weather forecast on a grid: model fields are float32, those of the reanalysis float64.
#include "report.h"

using namespace tapescope;

struct Field {
  std::string source;
  Tensor kelvin;
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Field fields[] = {{"model", constant({{281.5, 283.0}, {279.25, 280.0}})},
                          {"reanalysis", constant({{281.0, 282.5}, {279.5, 280.5}}, DType::f64)},
                          {"model", constant({{282.5, 283.5}, {278.25, 279.0}})}};
  const Function roughness(
      "roughness",
      [](const Tensor& field) {
        const Tensor along = slice(field, {0, 1}, {2, 1}) - slice(field, {0, 0}, {2, 1});
        const Tensor across = slice(field, {1, 0}, {1, 2}) - slice(field, {0, 0}, {1, 2});
        return reduce_sum(square(along)) + reduce_sum(square(across));
      },
      {.arguments = {"field"}});

  for (const Field& field : fields) {
    const Tensor values = fixed ? cast(field.kelvin, DType::f32) : field.kelvin;  //~
    const Tensor rough = roughness(values);  //!
    std::printf("%s %.3f\n", field.source.c_str(), element(rough, 0));
  }
  report_traces(roughness);
}
