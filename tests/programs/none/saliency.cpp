// Which pixels matter to a classifier of tiny glyphs: the Jacobian of its scores.
#include "report.h"

using namespace tapescope;

Tensor normalize(const Tensor& glyph) { return glyph / 255.0 - 0.5; }  //~

struct Classifier {
  Sequential model{Dense(5, {.activation = Activation::gelu, .name = "strokes"}),
                   Dense(3, {.name = "scores"})};
  Tensor operator()(const Tensor& glyphs) { return model(glyphs); }
};

// [classes, pixels]; absent where the scores do not follow the pixels.
Tensor saliency(Classifier& classifier, const Tensor& glyph, bool watched) {
  GradientTape tape;
  Tensor scores;
  {
    auto recording = tape.record();
    if (watched) tape.watch(glyph);
    const Tensor row = expand_dims(normalize(glyph), 0);  //!
    scores = squeeze(classifier(row), 0);
  }
  return tape.jacobian(scores, glyph);
}

int main(int argc, char**) {
  Classifier classifier;
  classifier.model.build({1, 6});
  const Tensor glyph = constant({0.0, 255.0, 40.0, 200.0, 12.0, 90.0}).named("glyph");  //~
  report("glyph", saliency(classifier, glyph, argc > 1));
}
