// Runs the model of a wind turbine with coarse and fine steps in turn; the mode is a setting of the program's
// own.
#include <optional>

#include "report.h"

using namespace tapescope;

class Turbine {
 public:
  Tensor power(const Tensor& wind) const {
    return power_(wind);  //!
  }
  const auto& function() const { return power_; }

 private:
  Variable efficiency_{constant(0.42), {.name = "efficiency"}};
  Function<Tensor(const Tensor&)> power_{
      "power",
      [this](const Tensor& wind) { return 0.5 * efficiency_ * pow(wind, 3.0); },
      {.arguments = {"wind"}}};
};

int main(int argc, char**) {
  const Turbine turbine;
  const Tensor wind = constant({6.0, 9.5, 11.0}).named("wind");
  const char* modes[] = {"coarse", "fine", "storm"};
  for (const char* mode : modes) {
    std::optional<TraceContext> context;
    if (argc == 1) context.emplace(mode);  //~
    std::printf("%s %.1f\n", mode, element(reduce_sum(turbine.power(wind)), 0));  //~
  }
  report_traces(turbine.function());
}
