// Gold in ore by two assays, from a table in which a laboratory left a field empty.
#include "report.h"

#include <limits>

using namespace tapescope;

struct Row {
  double density, colour, gold;
};

class Assay {
 public:
  Variable by_density{constant(0.3), {.name = "by_density"}};
  Variable by_colour{constant(-0.2), {.name = "by_colour"}};

  Tensor gold(const Tensor& table) const {
    const auto columns = unstack(table, 1);
    return by_density * columns[0] + by_colour * columns[1];
  }
};

Tensor table_of(const std::vector<Row>& rows) {
  std::vector<double> values;
  for (const Row& row : rows) values.insert(values.end(), {row.density, row.colour});
  return constant(std::span<const double>(values), {static_cast<int>(rows.size()), 2}).named("table");  //!
}

int main(int argc, char**) {
  const double empty = argc > 1 ? 0.4 : std::numeric_limits<double>::quiet_NaN();  //~
  const std::vector<Row> rows{{2.6, 0.3, 0.1}, {3.1, 0.5, 0.4}, {2.9, empty, 0.3}, {4.0, 0.7, 0.9}};
  const Assay assay;
  const Tensor table = table_of(rows), gold = constant({0.1, 0.4, 0.3, 0.9});  //~
  std::vector<Tensor> gradients;
  for (int shift = 0; shift < 3; ++shift) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_mean(square(assay.gold(table) - gold));
    }
    gradients = tape.gradient(loss, {assay.by_density, assay.by_colour});
    assay.by_density.assign_sub(0.1 * gradients[0]);
    assay.by_colour.assign_sub(0.1 * gradients[1]);
  }
  report("by_density", gradients[0]);
  report("by_colour", gradients[1]);
}
