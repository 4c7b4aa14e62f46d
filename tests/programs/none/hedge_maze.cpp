// Gardeners learn which hedge to trim; the shared cost of a month is made once and used all month.
#include "report.h"

using namespace tapescope;

class Garden {
 public:
  Variable growth{constant({0.5, 0.7}), {.name = "growth"}}, trim{constant(0.4), {.name = "trim"}};
  Tensor thickness() const { return exp(growth) - 1.0; }  //!
};

class Month {
 public:
  Month(const Garden& garden, bool fresh) : garden_(garden), fresh_(fresh) {}
  Tensor cost(const Tensor& rain) {
    if (fresh_ || !thick_) thick_ = garden_.thickness();  //~
    return reduce_mean(square(thick_ * rain - garden_.trim));  //~
  }

 private:
  const Garden& garden_;
  bool fresh_;
  Tensor thick_;
};

int main(int argc, char**) {
  const Garden garden;
  Month month(garden, argc > 1);
  std::vector<Tensor> gradients;
  for (int day = 0; day < 4; ++day) {
    GradientTape tape;
    Tensor cost;
    {
      auto recording = tape.record();
      cost = month.cost(constant({0.8 + 0.1 * day, 1.0}));  //~
    }
    gradients = tape.gradient(cost, {garden.growth, garden.trim});
    if (gradients[0]) garden.growth.assign_sub(0.1 * gradients[0]);
    garden.trim.assign_sub(0.1 * gradients[1]);
  }
  report("growth", gradients[0]);
  report("trim", gradients[1]);
}
