// Calibrates the gain and the background of a fluorescence reader against a dilution series.
#include "report.h"

using namespace tapescope;

struct Reader {
  Variable gain{constant(1.8), {.name = "gain"}};
  Variable background{constant(12.0), {.name = "background"}};
};

Tensor corrected(const Tensor& counts, const Reader& reader) { return counts - reader.background; }

Tensor concentration(const Tensor& signal, const Reader& reader) { return log1p(relu(signal)) * reader.gain; }

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Reader reader;
  const Tensor counts = constant({40.0, 75.0, 141.0, 270.0, 530.0});
  const Tensor known = constant({6.0, 8.0, 9.5, 11.0, 13.0});
  for (int round = 0; round < 4; ++round) {
    const Tensor cleaned = corrected(counts, reader);  //!
    GradientTape tape;
    Tensor misfit;
    {
      auto recording = tape.record();
      const Tensor signal = fixed ? corrected(counts, reader) : cleaned;  //~
      const Tensor weights = stop_gradient(known / reduce_sum(known));
      misfit = reduce_sum(weights * square(concentration(signal, reader) - known));
    }
    const auto gradients = tape.gradient(misfit, {reader.gain, reader.background});
    if (round == 3) {
      report("gain", gradients[0]);
      report("background", gradients[1]);
    }
    if (gradients[0]) reader.gain.assign_sub(gradients[0] * 1e-3);
    if (gradients[1]) reader.background.assign_sub(gradients[1] * 1e-3);
  }
}
