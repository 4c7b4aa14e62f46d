// Mixes lamps on a stage to a wanted colour. Cues come as a list of lamps that grows during the show.
#include "report.h"

using namespace tapescope;

class Desk {
 public:
  Variable warmth{constant({0.9, 0.7, 0.4}), {.name = "warmth"}};

  Tensor colour(const std::vector<Tensor>& lamps) const { return add_n(lamps) * warmth; }
  Tensor colour_of(const Tensor& lamps) const { return reduce_sum(lamps, 0) * warmth; }

  const auto& function() const { return mix_; }
  const auto& stacked() const { return mix_stacked_; }

 private:
  Function<Tensor(const std::vector<Tensor>&)> mix_{
      "mix", [this](const std::vector<Tensor>& lamps) { return colour(lamps); }, {.arguments = {"lamps"}}};
  Function<Tensor(const Tensor&)> mix_stacked_{
      "mix",
      [this](const Tensor& lamps) { return colour_of(lamps); },
      {.arguments = {"lamps"}, .input_signature = {{TensorSpec{.dims = {-1, 3}, .dtype = DType::f32}}}}};
};

int main(int argc, char**) {
  const bool fixed = argc > 1;
  const Desk desk;
  std::vector<Tensor> lamps;
  for (int cue = 0; cue < 5; ++cue) {
    lamps.push_back(constant({0.1 * cue, 0.2, 0.3}));  //~
    const Tensor mixed = fixed ? desk.stacked()(stack(lamps)) : desk.function()(lamps);  //!
    std::fprintf(stderr, "cue %d: %.3f\n", cue, item(reduce_sum(mixed)));
  }
  if (fixed) report_traces(desk.stacked());
  else report_traces(desk.function());
}
