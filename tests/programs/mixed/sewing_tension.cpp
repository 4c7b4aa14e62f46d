// Thread tension of sewing machines: readings of two makes of sensors go through one fitting step.
#include "report.h"

using namespace tapescope;

enum class Make { fine, coarse };

Tensor readings(Make make, int stitch) {
  const DType kept = make == Make::fine ? DType::f64 : DType::f32;
  return cast(0.4 + 0.1 * sin(linspace(0.0, 2.0 + stitch, 6)), kept);  //~
}

class Machine {
 public:
  explicit Machine(bool narrow)
      : narrow_(narrow),
        fit_("fit", [this](const Tensor& reading) {
          GradientTape tape;
          Tensor loss;
          {
            auto recording = tape.record();
            const Tensor x = cast(reading, DType::f32);
            loss = reduce_mean(square(gain * x + offset - 0.5));
          }
          return tape.gradient(loss, {gain, offset});
        }, {.arguments = {"reading"}}) {}

  std::vector<Tensor> stitch(const Tensor& reading) {
    const Tensor given = narrow_ ? cast(reading, DType::f32) : reading;
    std::vector<Tensor> slopes = fit_(given);  //!
    gain.assign_sub(0.1 * slopes[0]);
    offset.assign_sub(0.1 * slopes[1]);
    return slopes;
  }
  const auto& function() const { return fit_; }

  Variable gain{constant(1.0), {.name = "gain"}}, offset{constant(0.0), {.name = "offset"}};

 private:
  bool narrow_;
  Function<std::vector<Tensor>(const Tensor&)> fit_;
};

int main(int argc, char**) {
  Machine machine(argc > 1);
  std::vector<Tensor> slopes;
  for (int stitch = 0; stitch < 6; ++stitch) {
    slopes = machine.stitch(readings(stitch % 3 == 2 ? Make::fine : Make::coarse, stitch));  //~
  }
  report("gain", slopes[0]);
  report("offset", slopes[1]);
  report_traces(machine.function());
}
