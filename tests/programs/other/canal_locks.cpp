// Water levels of a canal with locks: the flow at each lock and how it answers to the gates.
#include "report.h"

using namespace tapescope;

class Canal {
 public:
  Variable gates{linspace(0.2, 0.8, 500), {.name = "gates"}};
  Tensor levels = 3.0 + sin(linspace(0.0, 20.0, 500));

  Tensor flow() const { return gates * sqrt(levels) * sigmoid(levels - 2.0); }
  Tensor waste(const Tensor& flow) const { return reduce_mean(square(flow - 0.9)); }
};

struct Answer {
  Tensor by_waste, by_peak;
};

Answer answers(const Canal& canal, bool fixed) {
  GradientTape tape({.persistent = true});
  Tensor waste, peak;
  Answer answer;
  {
    auto recording = tape.record();
    const Tensor flow = canal.flow();
    waste = canal.waste(flow);
    peak = reduce_logsumexp(8.0 * flow) / 8.0;
    if (!fixed) {
      answer.by_waste = tape.gradient(waste, canal.gates);  //!
      answer.by_peak = tape.gradient(peak, canal.gates);  //~
    }
  }
  report_cost("recorded", static_cast<double>(tape.counts().recorded));
  if (fixed) {
    answer.by_waste = tape.gradient(waste, canal.gates);
    answer.by_peak = tape.gradient(peak, canal.gates);
  }
  return answer;
}

int main(int argc, char**) {
  const Canal canal;
  Answer answer;
  for (int hour = 0; hour < 6; ++hour) {
    answer = answers(canal, argc > 1);
    canal.gates.assign_sub(0.1 * answer.by_waste + 0.01 * answer.by_peak);
  }
  report("gates", answer.by_waste);
}
