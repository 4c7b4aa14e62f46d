// A winch tows gliders; how the climb feels each wind along the rope is asked of tensors, not of variables.
#include "report.h"

using namespace tapescope;

struct Wind {
  std::string name;
  Tensor speed;
};

class Tow {
 public:
  explicit Tow(std::size_t followed) : followed_(followed) {}
  Variable pull{constant(1.3), {.name = "pull"}};

  void follow(GradientTape& tape, const std::vector<Wind>& winds) const {
    for (std::size_t i = 0; i < std::min(followed_, winds.size()); ++i) tape.watch(winds[i].speed);
  }
  Tensor climb(const std::vector<Wind>& winds) const {
    Tensor height = constant(0.0);
    double rope = 1.0;
    for (const Wind& wind : winds) {
      height += pull * rope * sqrt(1.0 + square(wind.speed));  //!
      rope *= 0.8;
    }
    return height;
  }

 private:
  std::size_t followed_;
};

int main(int argc, char**) {
  const Tow tow(argc > 1 ? 3 : 2);  //~
  const std::vector<Wind> winds{{"low", constant(0.4).named("low")},
                                {"middle", constant(0.7).named("middle")},
                                {"high", constant(1.1).named("high")}};  //~
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    tow.follow(tape, winds);  //~
    loss = square(tow.climb(winds) - 4.0);  //~
  }
  const auto gradients = tape.gradient(loss, {tow.pull, winds[0].speed, winds[1].speed, winds[2].speed});
  report("pull", gradients[0]);
  for (int i = 0; i < 3; ++i) report(winds[i].name, gradients[i + 1]);
}
