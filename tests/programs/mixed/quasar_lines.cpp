// Lines in a quasar's spectrum, fitted by Newton's method while a second thread smooths the next spectrum.
#include <thread>

#include "report.h"

using namespace tapescope;

struct Line {
  Variable shape{{1.2, 0.4, 0.8}, {.name = "shape"}};  // height, place, width

  Tensor at(const Tensor& waves) const {
    const Tensor parts[] = {shape[0], shape[1], shape[2]};
    return parts[0] * exp(-square((waves - parts[1]) / parts[2]));
  }
};

std::vector<double> smoothed(std::vector<double> spectrum) {
  for (std::size_t i = 1; i + 1 < spectrum.size(); ++i)
    spectrum[i] = 0.25 * spectrum[i - 1] + 0.5 * spectrum[i] + 0.25 * spectrum[i + 1];
  return spectrum;
}

struct Newton {
  Tensor slope, bend;

  Tensor step() const {
    const Tensor damped = bend + 2.0 * eye(3);
    return squeeze(matrix_solve(damped, expand_dims(slope, 1)), 1);
  }
};

Newton derivatives(const Line& line, const Tensor& waves, const Tensor& spectrum) {
  GradientTape outer;
  Tensor slope;
  {
    auto recording = outer.record();
    GradientTape inner;
    Tensor miss;
    {
      auto recording = inner.record();
      miss = reduce_mean(square(line.at(waves) - spectrum));
    }
    slope = inner.gradient(miss, line.shape);
  }
  return {slope, outer.jacobian(slope, line.shape)};
}

int main() {
  const Line line;
  const Tensor waves = linspace(-1.0, 2.0, 31);
  std::vector<double> spectrum = elements(exp(-square((waves - 0.5) / 0.6)) + 0.02 * sin(40.0 * waves));
  Newton last;
  for (int night = 0; night < 3; ++night) {
    std::vector<double> next;
    std::thread smoother([&] { next = smoothed(spectrum); });
    last = derivatives(line, waves, constant(spectrum));
    line.shape.assign_sub(last.step());
    smoother.join();
    spectrum = next;
    std::printf("night %d: slope %.4f\n", night, item(norm(last.slope)));
  }
  report("shape", last.bend);
}
