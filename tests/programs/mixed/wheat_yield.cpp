// Yields of wheat by rain and sun. The archive's years come in double precision, this year's in single.
#include "report.h"

using namespace tapescope;

struct Field {
  Tensor weather, yield;
};

class Model {
 public:
  Variable weights{constant({0.4, 0.7}), {.name = "weights"}};

  Tensor fit(const Field& field) {
    return fit_(field.weather, field.yield);  //!
  }
  const auto& traced() const { return fit_; }

 private:
  Function<Tensor(const Tensor&, const Tensor&)> fit_{
      "fit",
      [this](const Tensor& weather, const Tensor& yield) {
        GradientTape tape;
        Tensor miss;
        {
          auto recording = tape.record();
          const Tensor guess = matvec(cast(weather, DType::f32), weights);
          miss = reduce_mean(square(guess - cast(yield, DType::f32)));
        }
        const Tensor gradient = tape.gradient(miss, weights);
        weights.assign_sub(0.05 * gradient);
        return gradient;
      },
      {.arguments = {"weather", "yield"}}};
};

Field year(int number, DType dtype) {
  const double rain = 0.4 + 0.05 * number;
  return {constant({{rain, 0.6}, {rain + 0.2, 0.3}, {0.9 - rain, 0.8}}, dtype), constant({0.7, 0.6, 0.9})};
}

int main(int argc, char**) {
  const DType archive = argc > 1 ? DType::f32 : DType::f64;  //~
  Model model;
  Tensor gradient;
  for (int number = 0; number < 5; ++number) gradient = model.fit(year(number, archive));
  gradient = model.fit(year(5, DType::f32));  //~
  report("weights", gradient);
  report_traces(model.traced());
}
