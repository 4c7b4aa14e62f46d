// Places folk tunes near those that are sung on the same evenings. Places are kept within a ball.
#include "report.h"

using namespace tapescope;

class Songbook {
 public:
  explicit Songbook(bool whole) : whole_(whole) {}
  Variable tunes{reshape(sin(linspace(0.0, 900.0, 3000 * 4)), {3000, 4}), {.name = "tunes"}};

  Tensor places(const Tensor& ids) const {
    if (whole_) return gather(tanh(tunes), ids);  //!
    return tanh(gather(tunes, ids));
  }
  Tensor apart(const Tensor& sung, const Tensor& with) const {
    return reduce_mean(reduce_sum(square(places(sung) - places(with)), 1));
  }

 private:
  bool whole_;
};

int main(int argc, char**) {
  const Songbook book(argc == 1);
  SGD optimizer(0.1);
  Tensor gradient;
  for (int evening = 0; evening < 4; ++evening) {
    const Tensor sung = constant({3 + evening, 70, 812}), with = constant({5, 71 + evening, 2400});
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = book.apart(sung, with);
    }
    gradient = tape.gradient(loss, book.tunes);  //~
    optimizer.apply_gradients({gradient}, {book.tunes});
  }
  report("tunes", gradient);
}
