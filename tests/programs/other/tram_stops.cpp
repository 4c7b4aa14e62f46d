// Learns a vector for each tram stop from which stops passengers ride to.
#include "report.h"

using namespace tapescope;

class Stops {
 public:
  static constexpr int kStops = 900, kSize = 24;
  Variable places{reshape(sin(linspace(0.0, 700.0, kStops* kSize)) * 0.3, {kStops, kSize}),
                  {.name = "places"}};

  Tensor vectors(const Tensor& ids, bool fixed) const {
    if (fixed) return gather(places, ids);
    return matmul(one_hot(ids, kStops), places);  //!
  }
  Tensor attraction(const Tensor& from, const Tensor& to, bool fixed) const {
    return reduce_sum(vectors(from, fixed) * vectors(to, fixed), 1);  //~
  }
};

int main(int argc, char**) {
  const Stops stops;
  std::vector<std::int32_t> boarded, left;
  for (int i = 0; i < 32; ++i) {
    boarded.push_back((37 * i) % Stops::kStops);
    left.push_back((91 * i + 5) % Stops::kStops);
  }
  const Tensor from = constant(std::span<const std::int32_t>(boarded), {32});
  const Tensor to = constant(std::span<const std::int32_t>(left), {32});
  const Tensor rides = sigmoid(linspace(-2.0, 2.0, 32));
  Tensor gradient;
  for (int week = 0; week < 4; ++week) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(sigmoid_cross_entropy_with_logits(rides, stops.attraction(from, to, argc > 1)));
    }
    gradient = tape.gradient(loss, stops.places);
    stops.places.assign_sub(0.5 * gradient);
  }
  report("places", gradient);
}
