// Two singers learn a duet in turns: each listens to the other, and only moves their own voice.
#include "report.h"

using namespace tapescope;

struct Voice {
  Variable pitch, vibrato;
  Voice(const std::string& name, double start)
      : pitch(constant(start), {.name = name + "/pitch"}),
        vibrato(constant(0.1), {.name = name + "/vibrato"}) {}
  Tensor sound(const Tensor& time) const { return pitch + vibrato * sin(5.0 * time); }
};

// What one hears of the other does not move the other.
Tensor clash(const Voice& own, const Voice& other, const Tensor& time, double interval) {
  return reduce_mean(square(own.sound(time) - stop_gradient(other.sound(time)) - interval));
}

class Rehearsal {
 public:
  Rehearsal(const Voice& high, const Voice& low) : high_(high), low_(low) {}
  std::vector<Tensor> bar(const Tensor& time) {
    GradientTape tape({.persistent = true});
    Tensor above, below;
    {
      auto recording = tape.record();
      above = clash(high_, low_, time, 0.5);
      below = clash(low_, high_, time, -0.5);
    }
    const auto up = tape.gradient(above, {high_.pitch, high_.vibrato});
    const auto down = tape.gradient(below, {low_.pitch, low_.vibrato});
    high_.pitch.assign_sub(0.2 * up[0]);
    high_.vibrato.assign_sub(0.2 * up[1]);
    low_.pitch.assign_sub(0.2 * down[0]);
    low_.vibrato.assign_sub(0.2 * down[1]);
    return {up[0], up[1], down[0], down[1]};
  }

 private:
  const Voice& high_;
  const Voice& low_;
};

int main() {
  const Voice high("high", 1.2), low("low", 0.4);
  Rehearsal rehearsal(high, low);
  std::vector<Tensor> gradients;
  for (int bar = 0; bar < 5; ++bar) gradients = rehearsal.bar(linspace(0.0, 1.0 + 0.3 * bar, 9));
  report("high/pitch", gradients[0]);
  report("high/vibrato", gradients[1]);
  report("low/pitch", gradients[2]);
  report("low/vibrato", gradients[3]);
}
