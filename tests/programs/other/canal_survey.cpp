// Levels along a canal: only the drop between two stakes is measured.
#include "report.h"

using namespace tapescope;

class Canal {
 public:
  Variable datum{constant(12.0), {.name = "datum"}};
  Variable fall{constant(0.08), {.name = "fall"}};
  Variable bend{constant(0.3), {.name = "bend"}};

  Tensor level(const Tensor& metres) const { return datum - fall * metres + bend * sin(metres); }  //~
};

struct Stakes {
  Tensor upper, lower, drop;
};

class Survey {
 public:
  Survey(const Canal& canal, bool anchored) : canal_(canal), anchored_(anchored) {}
  Tensor misfit(const Stakes& stakes) const {
    const Tensor drop = canal_.level(stakes.upper) - canal_.level(stakes.lower);  //!
    Tensor loss = reduce_mean(square(drop - stakes.drop));  //~
    if (anchored_) loss += square(reduce_mean(canal_.level(stakes.upper)) - 12.4);
    return loss;
  }

 private:
  const Canal& canal_;
  bool anchored_;
};

int main(int argc, char**) {
  const Canal canal;
  const Survey survey(canal, argc > 1);
  std::vector<Tensor> gradients;
  for (int day = 0; day < 3; ++day) {
    const Stakes stakes{linspace(0.0, 3.0, 5), linspace(1.0, 5.0 + day, 5), fill({5}, 0.15)};
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = survey.misfit(stakes);  //~
    }
    gradients = tape.gradient(loss, {canal.datum, canal.fall, canal.bend});
    canal.fall.assign_sub(0.01 * gradients[1]);
    canal.bend.assign_sub(0.01 * gradients[2]);
  }
  report("datum", gradients[0]);
  report("fall", gradients[1]);
  report("bend", gradients[2]);
}
