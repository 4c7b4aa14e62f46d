// Places lamps along a path; the first lamp is fixed by a wall and its gradient is wanted by itself.
#include "report.h"

using namespace tapescope;

class Path {
 public:
  explicit Path(int lamps) : places_(linspace(1.0, 9.0, lamps), {.name = "places"}) {}  //~

  Tensor lamp(int i) const { return at(places_, i); }  //~
  const Variable& places() const { return places_; }

  Tensor darkness(const std::vector<Tensor>& lamps) const {
    const Tensor spots = linspace(0.0, 10.0, 21);
    Tensor light = zeros({21});
    for (const Tensor& place : lamps) light = light + 1.0 / (0.2 + square(spots - place));
    return reduce_mean(exp(-light));
  }

 private:
  Variable places_;
};

int main(int argc, char**) {
  const Path path(4);
  GradientTape tape({.persistent = true});
  Tensor dark;
  std::vector<Tensor> lamps;
  {
    auto recording = tape.record();
    for (int i = 0; i < 4; ++i) lamps.push_back(path.lamp(i));
    dark = path.darkness(lamps);
  }
  report("places", tape.gradient(dark, path.places()));
  const Tensor first = argc > 1 ? lamps[0] : path.lamp(0);  //!
  report("first", tape.gradient(dark, first.named("first")));  //~
}
