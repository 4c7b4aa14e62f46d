// Trains a small neural network on handwritten digits.
#include <bit>

#include <fmt/format.h>

#include "engine/data/dataset.h"
#include "engine/data/mnist.h"
#include "engine/graph/function.h"
#include "engine/nn/layers.h"
#include "engine/nn/losses.h"
#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "engine/program.h"
#include "samples/assets.h"
#include "samples/sample.h"

namespace tapescope {
namespace {

const SampleParameter kUnits{"units", "128", "width of the hidden layer"};
const SampleParameter kBatch{"batch", "64", "images in a batch"};
const SampleParameter kBuffer{"buffer", "10000", "images the shuffle draws from"};
const SampleParameter kRate{"learning_rate", "0.001", "step size of Adam"};
const SampleParameter kEpochs{"epochs", "5", "how often the data is gone through"};

// Load the data
Mnist load_data(const SampleOptions& options) {
  const MnistFolder folder = find_mnist(options.data, asset_folder("digits"));
  if (folder.generated) {
    note_message(
        "no MNIST files were given or found: training on the digits that come with Tapescope, which it drew "
        "itself; give a folder with the real ones by --data or TAPESCOPE_MNIST");
  }
  return load_mnist(folder.path);
}

// Pixels are divided by 255 and labels made one-hot as a batch is taken.
Dataset make_dataset(const Mnist& mnist, const SampleOptions& options) {
  return Dataset::from_tensor_slices(
             {mnist.train.images().named("images"), mnist.train.one_hot_labels().named("labels")})
      .shuffle(options.count(kBuffer), options.seed)
      .batch(options.count(kBatch))
      .repeat();
}

// Create model
struct SimpleNN {
  Flatten flatten;
  Dense dense1;
  Dense dense2;

  SimpleNN(std::int64_t units, std::uint64_t seed)
      : dense1(units, {.activation = Activation::relu, .name = "dense1", .seed = seed}),
        dense2(10, {.name = "dense2", .seed = seed}) {
    dense1.build({1, 784});
    dense2.build({1, units});
  }

  Tensor operator()(const Tensor& images) {
    Tensor x = flatten(images);
    x = dense1(x);
    return dense2(x);
  }

  std::vector<Variable> trainable_variables() const {
    return {dense1.kernel(), dense1.bias(), dense2.kernel(), dense2.bias()};
  }
};

struct MnistMlp : Sample {
  bool traced;
  Mnist mnist;
  DatasetIterator train_dataset;
  SimpleNN model;
  Adam optimizer;
  CategoricalCrossentropy loss_fn{/*from_logits=*/true};
  std::vector<Variable> variables;
  std::vector<Traced> sources;
  Function<std::vector<Tensor>(const Tensor&, const Tensor&)> train_step_function;
  std::int64_t epochs, batches_in_epoch;
  double total_loss = 0;

  explicit MnistMlp(const SampleOptions& options)
      : traced(options.variant != "unoptimized"),
        mnist(load_data(options)),
        train_dataset(make_dataset(mnist, options)),
        model(options.count(kUnits), options.seed),
        optimizer(options.number(kRate)),
        variables(model.trainable_variables()),
        sources(variables.begin(), variables.end()),
        train_step_function(
            "train_step",
            [this](const Tensor& images, const Tensor& labels) { return train_step(images, labels); },
            {.arguments = {"images", "labels"}, .optimize = {.compiled = options.variant == "compiled"}}),
        epochs(options.count(kEpochs)) {
    const std::int64_t batch = options.count(kBatch);
    batches_in_epoch = (mnist.train.count + batch - 1) / batch;
    optimizer.build(variables);
  }

  // The loss, then the gradient of each variable
  std::vector<Tensor> train_step(const Tensor& images, const Tensor& labels) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      // Forward pass
      Tensor predictions = model(images);
      loss = loss_fn(labels, predictions);
    }
    // Get gradients
    auto gradients = tape.gradient(loss, sources);
    // Update weights
    optimizer.apply_gradients(gradients, variables);
    gradients.insert(gradients.begin(), loss);
    return gradients;
  }

  // Train the model
  void step(StepContext& context) override {
    DatasetElement batch;
    train_dataset.next(batch);
    const auto results = traced ? train_step_function(batch[0], batch[1]) : train_step(batch[0], batch[1]);
    context.loss(results[0]);
    context.report_gradients(sources, std::span(results).subspan(1));

    total_loss += *context.loss_value;
    const auto done = static_cast<std::int64_t>(context.step) + 1;
    if (done % batches_in_epoch == 0) {
      const double avg_loss = total_loss / static_cast<double>(batches_in_epoch);
      context.output(fmt::format("Epoch {}/{}, Loss", done / batches_in_epoch, epochs), constant(avg_loss));
      total_loss = 0;
    }
  }

  // Evaluate model
  Tensor test_accuracy() {
    const Tensor x_test = mnist.test.images().named("x_test").all();
    const Tensor y_test = mnist.test.one_hot_labels().named("y_test").all();
    Tensor predictions = model(x_test);
    Tensor predicted_classes = argmax(predictions, 1);
    Tensor true_classes = argmax(y_test, 1);
    return reduce_mean(cast(equal(predicted_classes, true_classes), DType::f32));
  }

  void finish(StepContext& context) override {
    const Tensor accuracy = test_accuracy();
    context.metric("test_accuracy", item(accuracy));
    context.output("Test accuracy", accuracy);
  }

  std::int64_t default_steps() const override { return epochs * batches_in_epoch; }

  std::vector<std::uint64_t> save_state() const override {
    auto state = train_dataset.save_state();
    state.push_back(std::bit_cast<std::uint64_t>(total_loss));
    return state;
  }
  void restore_state(const std::vector<std::uint64_t>& state) override {
    train_dataset.restore_state(std::span(state).first(state.size() - 1));
    total_loss = std::bit_cast<double>(state.back());
  }
};

}  // namespace

SampleInfo mnist_mlp_sample() {
  return {
      .name = "mnist-mlp",
      .order = 190,
      .promise = "A network of two dense layers learns handwritten digits: 784 to 128 to 10, with Adam.",
      .document = "3, practical example",
      .variants = {"unoptimized", "optimized", "compiled"},
      .parameters = {kUnits, kBatch, kBuffer, kRate, kEpochs},
      .file = "mnist_mlp.cpp",
      .lesson =
          "The lesson's SimpleNN is a tf.Module that holds Keras layers: with Keras 3 its list of "
          "trainable "
          "variables is empty and the first step raises; here the model lists its four variables itself. The "
          "first loss is near ln 10 = 2.303, what guessing gives. The shuffle draws from 10,000 of the "
          "60,000 "
          "images at a time, so it mixes neighbours only. Most of a step is three matrix products; Adam's "
          "pass "
          "over the 101,770 parameters comes next.",
      .make = make_sample<MnistMlp>,
  };
}

}  // namespace tapescope
