// Colours of stars to temperatures: cool ones by one law, hot ones by another.
#include "report.h"

using namespace tapescope;

struct Law {
  Variable scale, bend;
  Law(const std::string& name, double scale_value, double bend_value)
      : scale(constant(scale_value), {.name = name + "/scale"}),  //~
        bend(constant(bend_value), {.name = name + "/bend"}) {}  //~
  Tensor operator()(const Tensor& colour) const { return scale / (bend + colour); }  //~
};

class Atlas {
 public:
  explicit Atlas(bool blended) : blended_(blended) {}
  Law cool{"cool", 5.0, 0.4}, hot{"hot", 8.0, 0.7};

  Tensor temperature(const Tensor& colour) const {
    if (blended_) {
      const Tensor share = sigmoid(4.0 * (reduce_mean(colour) - 0.4));
      return share * cool(colour) + (1.0 - share) * hot(colour);
    }
    return cond(  //~
        reduce_mean(colour) > 0.4, [&] { return cool(colour); },  //!
        [&] { return hot(colour); });  //~
  }

 private:
  bool blended_;
};

int main(int argc, char**) {
  const Atlas atlas(argc > 1);
  std::vector<Tensor> gradients;
  const std::vector<Variable> fitted{atlas.cool.scale, atlas.cool.bend, atlas.hot.scale, atlas.hot.bend};
  SGD optimizer(0.01);
  for (int field = 0; field < 3; ++field) {
    const Tensor colour = linspace(0.3 + 0.05 * field, 1.4, 7), known = linspace(7.0, 3.0, 7);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(atlas.temperature(colour) - known));  //~
    }
    gradients = tape.gradient(loss, fitted);
    optimizer.apply_gradients(std::span(gradients).first(2), std::span(fitted).first(2));
  }
  for (std::size_t i = 0; i < fitted.size(); ++i) report(fitted[i].name(), gradients[i]);
}
