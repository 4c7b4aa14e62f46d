// Sorts photographs of carved faces. Training drops features, watching does not; the last batch is smaller.
#include "report.h"

using namespace tapescope;

class Sorter {
 public:
  Sorter()
      : model_(Dense(6, {.activation = Activation::silu, .name = "inner"}), Dropout(0.25, {.seed = 7}),
               Dense(3, {.name = "outer"})) {
    model_.build({4, 5});
  }
  Tensor loss(const Tensor& photos, const Tensor& kinds, bool training) {
    return loss_(kinds, model_(photos, training));
  }
  std::vector<Variable> variables() { return model_.trainable_variables(); }

 private:
  Sequential model_;
  SparseCategoricalCrossentropy loss_{true};
};

int main() {
  Sorter sorter;
  AdamW optimizer(0.01);
  const Tensor photos = reshape(sin(linspace(0.0, 25.0, 50)), {10, 5});
  const Tensor kinds = constant({0, 1, 2, 1, 0, 2, 2, 1, 0, 1});
  const auto variables = sorter.variables();
  optimizer.build(variables);
  const Function step(
      "step",
      [&](const Tensor& photos, const Tensor& kinds) {
        GradientTape tape;
        Tensor loss;
        {
          auto recording = tape.record();
          loss = sorter.loss(photos, kinds, true);
        }
        auto gradients = tape.gradient(loss, variables);
        optimizer.apply_gradients(clip_by_global_norm(gradients, 5.0).first, variables);
        return gradients;
      },
      {.arguments = {"photos", "kinds"},
       .input_signature = std::vector<TensorSpec>{{{-1, 5}, DType::f32}, {{-1}, DType::i32}}});
  Mean watched("watched");
  std::vector<Tensor> gradients;
  for (int epoch = 0; epoch < 3; ++epoch) {
    DatasetIterator batches(Dataset::from_tensor_slices({photos, kinds}).batch(4));
    DatasetElement batch;
    while (batches.next(batch)) gradients = step(batch[0], batch[1]);
    watched.update(sorter.loss(photos, kinds, false));
  }
  for (std::size_t i = 0; i < variables.size(); ++i) report(variables[i].name(), gradients[i]);
  report_traces(step);
}
