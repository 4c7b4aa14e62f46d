// Interpolates the depths of a lake between soundings; the range of the correlation is fixed, the trend is
// fitted.
#include "report.h"

using namespace tapescope;

Tensor soundings(int count) {
  std::vector<double> where;
  for (int i = 0; i < count; ++i) {
    where.push_back(10 * std::sin(1.7 * i));
    where.push_back(10 * std::cos(2.3 * i));
  }
  return constant(std::span<const double>(where), {count, 2});
}

Tensor correlation(const Tensor& where) {
  const Tensor apart = expand_dims(where, 1) - expand_dims(where, 0);
  return exp(-reduce_sum(square(apart), 2) / 18.0) + 0.1 * eye(where.dim(0));  //!
}

class Lake {
 public:
  Variable trend{constant({0.1, -0.2, 4.0}), {.name = "trend"}};

  Tensor misfit(const Tensor& where, const Tensor& depth, const Tensor& factor) const {
    const Tensor design = concat({where, ones({where.dim(0), 1})}, 1);
    const Tensor rest = depth - matmul(design, reshape(trend, {3, 1}));
    return reduce_mean(square(triangular_solve(factor, rest)));
  }
};

int main(int argc, char**) {
  const Lake lake;
  const Tensor where = soundings(72);
  const Tensor depth = 4.0 + reshape(sin(linspace(0.0, 12.0, 72)), {72, 1});
  const Tensor known = cholesky(correlation(where));
  Tensor gradient;
  for (int round = 0; round < 12; ++round) {
    GradientTape tape;
    Tensor misfit;
    {
      auto recording = tape.record();
      const Tensor factor = argc > 1 ? known : cholesky(correlation(where));  //~
      misfit = lake.misfit(where, depth, factor);
    }
    gradient = tape.gradient(misfit, lake.trend);
    lake.trend.assign_sub(0.01 * gradient);
  }
  report("trend", gradient);
}
