// Tolls of roads by an equilibrium: a running mean of what is paid, rows of an embedding.
#include "report.h"

using namespace tapescope;

class Roads {
 public:
  Embedding roads{12, 4, {.name = "roads", .seed = 3}};
  Variable toll{constant({0.2, 0.1, -0.3, 0.4}), {.name = "toll"}};
  Variable usual{constant(0.0), {.name = "usual", .trainable = false}};

  Tensor income(const Tensor& driven) {
    const Tensor felt = roads(driven);
    const Tensor paid = softplus(reduce_sum(felt * toll, 1));
    usual.assign(0.9 * usual + 0.1 * reduce_mean(paid));
    return paid;
  }
};

int main() {
  Roads roads;
  Adam optimizer(0.05);
  Tensor by_roads, by_toll;
  for (int day = 0; day < 5; ++day) {
    const Tensor driven = constant({day % 12, (day * 5) % 12, 7});
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(roads.income(driven) - constant({0.6, 0.8, 0.7})));
    }
    const Variable table = roads.roads.trainable_variables()[0];
    const auto gradients = tape.gradient(loss, {table, roads.toll});
    optimizer.apply_gradients(gradients, {table, roads.toll});
    by_roads = gradients[0];
    by_toll = gradients[1];
  }
  report("roads/embeddings", by_roads);
  report("toll", by_toll);
}
