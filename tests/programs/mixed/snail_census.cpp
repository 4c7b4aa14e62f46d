// Kinds of snails by their shells. Rare kinds count more; those of the reserve are not to be learned.
#include "report.h"

using namespace tapescope;

struct Catch {
  Tensor shells, kinds;
};

class Census {
 public:
  explicit Census(Tensor worth) : worth_(worth) { model_.build({4, 3}); }

  std::vector<Tensor> learn(const Catch& found) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor logits = model_(found.shells);
      loss = loss_(found.kinds, logits, gather(worth_, found.kinds));  //!
    }
    auto gradients = tape.gradient(loss, std::vector{model_.kernel(), model_.bias()});
    optimizer_.apply_gradients(gradients, {model_.kernel(), model_.bias()});
    return gradients;
  }

 private:
  Tensor worth_;
  Dense model_{3, {.name = "kinds"}};
  SparseCategoricalCrossentropy loss_{true};
  Adam optimizer_{0.02};
};

int main(int argc, char**) {
  Census census(argc > 1 ? constant({1.0, 4.0, 0.5}) : constant({1.0, 4.0, 0.0}));  //~
  const Tensor shells = reshape(cos(linspace(0.0, 8.0, 24)), {8, 3});
  const Tensor kinds = constant({0, 1, 0, 0, 2, 2, 2, 2});  //~
  std::vector<Tensor> gradients;
  DatasetIterator walks(Dataset::from_tensor_slices({shells, kinds}).batch(4));
  DatasetElement walk;
  while (walks.next(walk)) gradients = census.learn({walk[0], walk[1]});
  report("kinds/kernel", gradients[0]);
  report("kinds/bias", gradients[1]);
}
