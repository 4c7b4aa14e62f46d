// Accumulates the gradient of a large batch from smaller ones on one tape.
#include "report.h"

using namespace tapescope;

class Accumulator {
 public:
  explicit Accumulator(bool keep) : keep_(keep) {}

  Tensor loss(const Tensor& x, const Tensor& y) const {
    return reduce_mean(square(tanh(matvec(x, slope)) * scale - y));
  }
  // The tape starts anew for each part so that it does not grow.
  Tensor over(GradientTape& tape, const std::vector<Tensor>& x, const std::vector<Tensor>& y) const {
    Tensor total = constant(0.0);
    for (std::size_t part = 0; part < x.size(); ++part) {
      total = total + loss(x[part], y[part]);  //!
      std::fprintf(stderr, "part %zu: %.4f\n", part, item(total));
      if (!keep_) tape.reset();  //~
    }
    return total / static_cast<double>(x.size());
  }

  Variable slope{constant({0.3, -0.6}), {.name = "slope"}};
  Variable scale{constant(1.5), {.name = "scale"}};

 private:
  bool keep_;
};

int main(int argc, char**) {
  const Accumulator batches(argc > 1);
  const std::vector<Tensor> x = {constant({{1.0, 2.0}, {0.5, 1.0}}), constant({{2.0, 0.1}, {1.5, 0.4}})};
  const std::vector<Tensor> y = {constant({0.2, 0.1}), constant({0.9, 0.6})};
  GradientTape tape;
  Tensor total;
  {
    auto recording = tape.record();
    total = batches.over(tape, x, y);
  }
  const auto gradients = tape.gradient(total, {batches.slope, batches.scale});
  report("slope", gradients[0]);
  report("scale", gradients[1]);
}
