// Rows of results from samples.
#include "viewer/bench/bench.h"

#include <algorithm>

#include "viewer/model/statistics.h"

namespace tapescope {

BenchResult bench_row(std::string name, std::vector<double> samples, std::string unit, double target,
                      std::string note) {
  std::sort(samples.begin(), samples.end());
  return {std::move(name),
          percentile_of(samples, 0.5),
          percentile_of(samples, 0.1),
          percentile_of(samples, 0.9),
          std::move(unit),
          target,
          std::move(note)};
}

}  // namespace tapescope
