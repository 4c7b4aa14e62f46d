// Films puppets frame by frame: previews are coarse, the last takes are fine.
#include "report.h"

using namespace tapescope;

enum class Quality { preview, fine };

class Film {
 public:
  Variable wires{{0.3, 0.6, -0.2}, {.name = "wires"}};

  Tensor frame(const Tensor& pose, Quality quality, bool fixed) const {
    if (fixed) return frame_(pose);
    const TraceContext context(quality == Quality::preview ? "preview" : "fine");  //~
    return frame_(pose);  //!
  }
  const auto& traced() const { return frame_; }

 private:
  Function<Tensor(const Tensor&)> frame_{
      "frame",
      [this](const Tensor& pose) { return reduce_sum(square(sin(pose * wires) - 0.4)); },
      {.arguments = {"pose"}}};
};

int main(int argc, char**) {
  const Film film;
  Tensor gradient;
  for (int take = 0; take < 6; ++take) {
    const Quality quality = take < 4 ? Quality::preview : Quality::fine;  //~
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = film.frame(linspace(0.1 * take, 1.0, 3), quality, argc > 1);  //~
    }
    gradient = tape.gradient(miss, film.wires);
    film.wires.assign_sub(0.1 * gradient);
  }
  report("wires", gradient);
  report_traces(film.traced());
}
