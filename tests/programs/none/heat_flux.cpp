// The heating bill of a wall of three layers, and how it depends on the temperature inside and on the price.
#include "report.h"

using namespace tapescope;

struct Wall {
  Tensor conductivity = constant({0.8, 0.04, 1.1});
  Tensor thickness = constant({0.12, 0.16, 0.01});
  Tensor resistance() const { return reduce_sum(thickness / conductivity) + 0.17; }
};

class Bill {
 public:
  explicit Bill(const Wall& wall)
      : flux_("flux",
              [wall](const Tensor& inside, const Tensor& outside) {
                return (inside - outside) / wall.resistance();
              },
              {.arguments = {"inside", "outside"}}) {}

  Tensor of(const Tensor& inside, const Tensor& outside) const {
    const Tensor hours = stop_gradient(constant({8.0, 10.0, 6.0}));
    return reduce_sum(price_ * hours * flux_(inside, outside));  //!
  }
  const Variable& price() const { return price_; }

 private:
  Variable price_{constant(0.31), {.name = "price"}};
  Function<Tensor(const Tensor&, const Tensor&)> flux_;
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Bill bill{Wall()};
  const Tensor inside = constant({18.0, 21.0, 20.0}).named("inside");  //~
  const Tensor outside = constant({-2.0, 1.0, 4.0}).named("outside");
  GradientTape tape;
  Tensor total;
  {
    auto recording = tape.record();
    if (fixed) tape.watch(inside);
    total = bill.of(inside, outside);  //~
  }
  const auto gradients = tape.gradient(total, {inside, bill.price()});
  report("inside", gradients[0]);
  report("price", gradients[1]);
}
