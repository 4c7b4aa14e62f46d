// A ship's heading by angles between its bow and known landmarks.
#include "report.h"

using namespace tapescope;

struct Landmark {
  double east, north, seen;  // where it is, and at which angle from the bow
};

class Ship {
 public:
  explicit Ship(double within) : within_(within) {}
  Variable bow{constant({0.0, 1.0}), {.name = "bow"}};

  Tensor angle(const Landmark& mark) const {
    const Tensor towards = l2_normalize(constant({mark.east, mark.north}));
    const Tensor cosine = reduce_sum(l2_normalize(bow) * towards);
    return acos(within_ < 1.0 ? clip_by_value(cosine, -within_, within_) : cosine);  //!
  }

 private:
  double within_;
};

int main(int argc, char**) {
  const Ship ship(argc > 1 ? 0.9999 : 1.0);
  const std::vector<Landmark> marks{{1.0, 1.0, 0.8}, {-1.0, 2.0, 0.4}, {0.0, 5.0, 0.02}};
  GradientTape tape;
  Tensor miss;
  {
    auto recording = tape.record();
    std::vector<Tensor> squares;
    for (const Landmark& mark : marks) squares.push_back(square(ship.angle(mark) - mark.seen));  //~
    miss = reduce_mean(stack(squares));
  }
  const Tensor turn = tape.gradient(miss, ship.bow);
  report("bow", turn);
}
