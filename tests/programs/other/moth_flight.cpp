// Where moths fly by the scent of a lure; the far traps give numbers that the near ones do not.
#include "report.h"

using namespace tapescope;

// Positive values from any: log(1 + e^x).
struct Positive {
  Tensor operator()(const Tensor& x) const { return log(1.0 + exp(x)); }  //!
};
struct Safe {
  Tensor operator()(const Tensor& x) const { return softplus(x); }
};

template <class Rate>
class Flight {
 public:
  Variable scent{constant(0.7), {.name = "scent"}};
  Variable wind{constant(0.2), {.name = "wind"}};

  Tensor expected(const Tensor& metres) const { return rate_(scent * metres + wind); }  //~

 private:
  Rate rate_;
};

struct Night {
  Tensor metres, caught;
};

template <class Rate>
std::vector<Tensor> study(const std::vector<Night>& nights) {
  const Flight<Rate> flight;
  std::vector<Tensor> gradients;
  for (const Night& night : nights) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      const Tensor rate = flight.expected(night.metres);  //~
      loss = reduce_mean(rate - night.caught * log(rate));
    }
    gradients = tape.gradient(loss, {flight.scent, flight.wind});
    flight.wind.assign_sub(1e-3 * gradients[1]);
  }
  return gradients;
}

int main(int argc, char**) {
  const std::vector<Night> nights{{linspace(1.0, 20.0, 6), linspace(1.0, 12.0, 6)},
                                  {linspace(5.0, 60.0, 6), linspace(2.0, 40.0, 6)},
                                  {linspace(10.0, 180.0, 6), linspace(5.0, 90.0, 6)}};
  const std::vector<Tensor> gradients = argc > 1 ? study<Safe>(nights) : study<Positive>(nights);
  report("scent", gradients[0]);
  report("wind", gradients[1]);
}
