// Ripples on a beach: wavelength and drift from photographs. One tape serves all evaluations of a search.
#include "report.h"

using namespace tapescope;

class Evaluation {
 public:
  explicit Evaluation(bool clean_first) : clean_first_(clean_first) {}

  template <class Setup, class Loss>
  std::map<std::string, Tensor> operator()(const Setup& setup, const Loss& loss,
                                           const std::map<std::string, Traced>& sources) {
    Tensor value;
    {
      auto recording = tape_.record();
      if (clean_first_) tape_.reset();
      const auto prepared = setup();
      if (!clean_first_) forget_last();  //~
      value = loss(prepared);
    }
    ++evaluations_;
    return tape_.gradient(value, sources);
  }
  int evaluations() const { return evaluations_; }

 private:
  void forget_last() {
    tape_.reset();  //~
  }

  bool clean_first_;
  int evaluations_ = 0;
  GradientTape tape_{{.persistent = true}};
};

int main(int argc, char**) {
  const Variable length(1.3, {.name = "length"}), drift(0.2, {.name = "drift"}),
      height(0.8, {.name = "height"});
  const Tensor places = linspace(0.0, 6.0, 15), brightness = sin(4.6 * places + 0.4);
  Evaluation evaluate(argc > 1);
  std::map<std::string, Tensor> gradients;
  for (int photo = 0; photo < 3; ++photo) {
    gradients =
        evaluate([&] { return 2.0 * 3.14159 * (places - photo * drift) / length; },  //!
                 [&](const Tensor& phase) { return reduce_mean(square(height * sin(phase) - brightness)); },
                 {{"length", length}, {"drift", drift}, {"height", height}});
    height.assign_sub(0.1 * gradients.at("height"));
  }
  std::printf("after %d evaluations\n", evaluate.evaluations());
  for (const auto& [name, gradient] : gradients) report(name, gradient);
}
