// Growth of cell colonies in dishes that are counted at the same time, one thread a dish.
#include <future>

#include "report.h"

using namespace tapescope;

struct Dish {
  Tensor hours, cells;
};

class Logistic {
 public:
  Variable rate{0.4, {.name = "rate"}};
  Variable room{6.0, {.name = "room"}};
  Variable lag{constant(1.5), {.name = "lag", .trainable = false}};

  Tensor miss(const Dish& dish) const {
    const Tensor grown = room * sigmoid(rate * (dish.hours - lag));  //!
    return reduce_mean(square(grown - dish.cells));
  }
};

Tensor counted_together(const Logistic& growth, const std::vector<Dish>& dishes) {
  std::vector<std::future<Tensor>> counting;
  for (const Dish& dish : dishes)
    counting.push_back(std::async(std::launch::async, [&] { return growth.miss(dish); }));  //~
  Tensor sum = 0.01 * square(growth.room - 5.0);
  for (auto& dish : counting) sum = sum + dish.get();
  return sum / static_cast<double>(dishes.size());
}

Tensor counted_in_turn(const Logistic& growth, const std::vector<Dish>& dishes) {
  Tensor sum = 0.01 * square(growth.room - 5.0);
  for (const Dish& dish : dishes) sum = sum + growth.miss(dish);
  return sum / static_cast<double>(dishes.size());
}

int main(int argc, char**) {
  const Logistic growth;
  std::vector<Dish> dishes;
  for (int dish = 0; dish < 3; ++dish)
    dishes.push_back(
        {linspace(0.0, 8.0, 5), 4.0 * sigmoid(0.6 * (linspace(0.0, 8.0, 5) - 2.0 - 0.3 * dish))});
  std::vector<Tensor> gradients;
  for (int day = 0; day < 3; ++day) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = argc > 1 ? counted_in_turn(growth, dishes) : counted_together(growth, dishes);
    }
    gradients = tape.gradient(miss, {growth.rate, growth.room});
    growth.room.assign_sub(0.1 * gradients[1]);
  }
  report("rate", gradients[0]);
  report("room", gradients[1]);
}
