// Learns how strongly to brighten X-ray images together with the classifier; batches are made ahead.
#include "report.h"

using namespace tapescope;

struct Experiment {
  Variable brightness{constant(1.2), {.name = "brightness"}};
  Dense classifier{1, {.name = "classifier"}};

  Tensor brighten(const Tensor& images) const { return 1.0 - pow(1.0 - images, 1.0 * brightness); }  //!

  Dataset batches(const Tensor& images, const Tensor& sick, bool in_pipeline) const {
    Dataset data = Dataset::from_tensor_slices({images, sick}).batch(2);
    if (!in_pipeline) return data;
    const ElementMap brighter = [this](const DatasetElement& e) {
      return DatasetElement{{brighten(e[0]), e[1]}};
    };
    return data.map(brighter).prefetch(2);  //~
  }
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  Experiment xray;
  const Tensor images = constant({{0.1, 0.7, 0.3}, {0.9, 0.4, 0.2}, {0.5, 0.5, 0.1}, {0.2, 0.8, 0.6}});
  const Tensor sick = constant({{0.0}, {1.0}, {1.0}, {0.0}});
  xray.classifier.build({2, 3});
  const Dataset data = xray.batches(images, sick, !fixed);
  DatasetIterator batches(data);
  DatasetElement batch;
  std::vector<Tensor> gradients;
  while (batches.next(batch)) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor pixels = fixed ? xray.brighten(batch[0]) : batch[0];
      loss = reduce_mean(sigmoid_cross_entropy_with_logits(batch[1], xray.classifier(pixels)));
    }
    gradients = tape.gradient(loss, {xray.brightness, xray.classifier.kernel()});
  }
  report("brightness", gradients[0]);
  report("classifier/kernel", gradients[1]);
}
