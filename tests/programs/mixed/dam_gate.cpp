// Water through the gate of a dam, from a table of openings: between two entries it is to be interpolated.
#include "report.h"

using namespace tapescope;

class Gate {
 public:
  explicit Gate(bool interpolated) : interpolated_(interpolated) {}
  Variable slope{0.8, {.name = "slope"}};
  Variable offset{1.3, {.name = "offset"}};
  Variable table{{0.0, 0.3, 0.9, 1.4, 2.6, 3.1, 3.3, 3.4}, {.name = "table"}};

  Tensor flow(const Tensor& level) const {
    const Tensor opening = clip_by_value(slope * level + offset, 0.0, 6.5);
    const Tensor below = floor(opening);  //!
    const Tensor place = cast(below, DType::i32);
    const Tensor low = gather(table, place), high = gather(table, place + 1);
    const Tensor part = interpolated_ ? opening - below : ceil(opening) - below - 0.5;  //~
    return low + part * (high - low);
  }

 private:
  bool interpolated_;
};

int main(int argc, char**) {
  const Gate gate(argc > 1);
  const Function flow("flow", [&](const Tensor& level) { return gate.flow(level); },
                      {.arguments = {"level"}});
  const Tensor levels = constant({0.3, 1.9, 3.4, 4.6}), measured = constant({0.4, 1.2, 2.5, 3.2});
  std::map<std::string, Tensor> gradients;
  for (int season = 0; season < 3; ++season) {
    GradientTape tape;
    Tensor miss;
    {
      auto recording = tape.record();
      miss = reduce_mean(square(flow(levels) - measured));  //~
    }
    gradients = tape.gradient(miss, {{"slope", gate.slope}, {"offset", gate.offset}, {"table", gate.table}});
    gate.table.assign_sub(0.1 * gradients.at("table"));
  }
  for (const auto& [name, gradient] : gradients) report(name, gradient);
}
