// Water in a gutter during a storm, minute by minute; the depth at its start and the roof are fitted.
#include "report.h"

using namespace tapescope;

struct Roof {
  Variable start{constant(0.8), {.name = "start"}};
  Variable slope{constant(0.5), {.name = "slope"}};
  Variable outlet{constant(0.3), {.name = "outlet"}};
};

using State = std::tuple<Tensor, Tensor>;

class Gutter {
 public:
  Gutter(const Roof& roof, bool keeps) : roof_(roof), keeps_(keeps) {}

  // One minute: rain comes from the roof, a share of the depth leaves.
  State minute(const Tensor& index, const Tensor& depth) const {
    const Tensor rain = exp(-0.1 * cast(index, DType::f32)) * sin(roof_.slope);
    if (!keeps_) return {index + 1, rain * (1.0 - roof_.outlet)};  //~
    return {index + 1, depth + rain - roof_.outlet * depth};
  }
  Tensor after(int minutes) const {
    const Tensor depth = 1.0 * roof_.start;  //~
    const auto [index, last] = while_loop(  //~
        [minutes](const Tensor& index, const Tensor&) { return index < minutes; },
        [this](const Tensor& index, const Tensor& depth) { return minute(index, depth); },
        State(constant(0), depth));
    return last;
  }

 private:
  const Roof& roof_;
  bool keeps_;
};

int main(int argc, char**) {
  const Roof roof;
  const Gutter gutter(roof, argc > 1);
  std::vector<Tensor> gradients;
  for (int storm = 0; storm < 3; ++storm) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = square(gutter.after(4 + storm) - 0.9);  //!
    }
    gradients = tape.gradient(miss, {roof.start, roof.slope, roof.outlet});
    roof.slope.assign_sub(0.05 * gradients[1]);
  }
  report("start", gradients[0]);
  report("slope", gradients[1]);
  report("outlet", gradients[2]);
}
