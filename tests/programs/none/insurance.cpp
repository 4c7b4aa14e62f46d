// Premiums by age: a learned table of age classes, whose width is to be learned too.
#include "report.h"

using namespace tapescope;

class Premium : public Layer {
 public:
  explicit Premium(bool between) : Layer("premium"), between_(between) {}
  const Variable& width() const { return width_; }
  const Variable& table() const { return table_; }

 private:
  void make_variables(const Shape&, const Location& location) override {
    width_ = add_variable("width", constant(14.0), location);
    table_ = add_variable("table", constant({1.2, 0.8, 0.7, 0.9, 1.4, 2.1, 3.0}), location);
  }
  Tensor call(const Tensor& age, const Location&) override {
    const Tensor place = age / width_;
    const Tensor below = cast(place, DType::i32);  //!
    const Tensor low = gather(table_, below);  //~
    if (!between_) return low;
    const Tensor share = place - cast(below, DType::f32);
    return low * (1.0 - share) + gather(table_, below + 1) * share;
  }

  bool between_;
  Variable width_, table_;
};

int main(int argc, char**) {
  Premium premium(argc > 1);
  const Tensor ages = constant({19.0, 34.0, 52.0, 71.0}), claims = constant({1.3, 0.75, 0.85, 2.0});
  std::vector<Tensor> gradients;
  for (int step = 0; step < 4; ++step) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = MeanSquaredError()(expand_dims(claims, 1), expand_dims(premium(ages), 1));
    }
    gradients = tape.gradient(loss, {premium.width(), premium.table()});
    premium.table().assign_sub(0.2 * gradients[1]);
  }
  report("premium/width", gradients[0]);
  report("premium/table", gradients[1]);
}
