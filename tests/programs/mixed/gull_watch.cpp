// Watches gulls: the likelihood of each sighting under a mixture of colonies.
#include "report.h"

using namespace tapescope;

class Colonies {
 public:
  Variable places{reshape(cos(linspace(0.0, 4.0, 6)), {3, 2}), {.name = "places"}};
  Variable sizes{constant({0.1, 0.4, -0.2}), {.name = "sizes"}};

  Tensor of_one(const Tensor& sighting) const {
    const Tensor gaps = reduce_sum(square(places - expand_dims(sighting, 0)), 1);
    return reduce_logsumexp(log_softmax(sizes) - gaps);
  }
  Tensor of_all(const Tensor& sightings) const {
    const Tensor gaps = reduce_sum(square(expand_dims(places, 0) - expand_dims(sightings, 1)), 2);
    return reduce_logsumexp(log_softmax(sizes) - gaps, {1});
  }
};

int main(int argc, char**) {
  const Colonies colonies;
  const Tensor sightings = reshape(sin(linspace(0.0, 33.0, 64)), {32, 2});
  std::vector<Tensor> gradients;
  for (int day = 0; day < 3; ++day) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      if (argc > 1) {
        loss = -reduce_mean(colonies.of_all(sightings));
      } else {
        loss = constant(0.0);
        for (int i = 0; i < 32; ++i) loss = loss - colonies.of_one(at(sightings, i)) / 32.0;  //!
      }
    }
    gradients = tape.gradient(loss, {colonies.places, colonies.sizes});
    colonies.places.assign_sub(0.1 * gradients[0]);
  }
  report("places", gradients[0]);
  report("sizes", gradients[1]);
}
