// Heat of a peat stove by draught: rooms of a house each start with a threshold.
#include "report.h"

using namespace tapescope;

class Room {
 public:
  Room(const std::string& name, double gain, double threshold)
      : gain(constant(gain), {.name = name + "/gain"}),
        threshold(constant(threshold), {.name = name + "/threshold"}) {}
  Variable gain, threshold;

  Tensor warmth(const Tensor& draught, bool leaks) const {
    const Tensor above = gain * draught - threshold;  //~
    return leaks ? softplus(above) : relu(above);  //!
  }
};

struct House {
  std::vector<Room> rooms{{"kitchen", 1.2, 0.3}, {"cellar", 0.4, 2.5}};  //~
};

Tensor comfort(const House& house, const Tensor& draught, bool leaks) {
  Tensor sum = zeros({6});
  for (const Room& room : house.rooms) sum += square(room.warmth(draught, leaks) - 1.0);  //~
  return reduce_mean(sum);
}

int main(int argc, char**) {
  const House house;
  std::vector<Variable> all;
  for (const Room& room : house.rooms) all.push_back(room.gain), all.push_back(room.threshold);
  SGD optimizer(0.05);
  std::vector<Tensor> gradients;
  for (int evening = 0; evening < 4; ++evening) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = comfort(house, linspace(0.5, 2.0 + 0.1 * evening, 6), argc > 1);  //~
    }
    gradients = tape.gradient(loss, all);
    optimizer.apply_gradients(gradients, all);
  }
  for (std::size_t i = 0; i < all.size(); ++i) report(all[i].name(), gradients[i]);
}
