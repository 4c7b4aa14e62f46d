// Loads cars on the decks of a ferry; the weather decides how much a list to one side costs.
#include <memory>

#include "report.h"

using namespace tapescope;

struct Weather {
  double waves, wind;
};

class Loading {
 public:
  Variable places{constant({-0.4, 0.1, 0.5, 0.2}), {.name = "places"}};
  Function<Tensor(const Tensor&, const std::shared_ptr<Weather>&)> list{
      "list",
      [this](const Tensor& cars, const std::shared_ptr<Weather>& weather) {
        const Tensor lean = reduce_sum(cars * places);
        return weather->waves * square(lean) + weather->wind * reduce_mean(square(places));
      },
      {.arguments = {"cars", "weather"}}};
};

class Forecast {
 public:
  explicit Forecast(bool kept) : kept_(kept), calm_(std::make_shared<Weather>(Weather{0.8, 0.1})) {}
  std::shared_ptr<Weather> now() const {
    if (kept_) return calm_;
    return std::make_shared<Weather>(*calm_);  //~
  }

 private:
  bool kept_;
  std::shared_ptr<Weather> calm_;
};

int main(int argc, char**) {
  const Loading loading;
  const Forecast forecast(argc > 1);
  std::vector<std::shared_ptr<Weather>> log;
  Tensor gradient;
  for (int ramp = 0; ramp < 4; ++ramp) {
    GradientTape tape;
    Tensor cost;
    {
      auto recording = tape.record();
      log.push_back(forecast.now());  //~
      cost = loading.list(constant({1.2, 0.9 + 0.1 * ramp, 1.5, 2.0}), log.back());  //!
    }
    gradient = tape.gradient(cost, loading.places);
    loading.places.assign_sub(0.05 * gradient);
  }
  report("places", gradient);
  report_traces(loading.list);
}
