// Flavours of candy by how alike their recipes are: a kernel between all pairs of recipes.
#include "report.h"

using namespace tapescope;

class Kernel {
 public:
  Variable reach{constant(0.6), {.name = "reach"}};
  Variable gain{constant(1.2), {.name = "gain"}};

  Tensor between(const Tensor& one, const Tensor& other) const {
    return square(gain) * exp(-square(one - other) / (2.0 * square(reach)));  //~
  }
  Tensor pairwise(const Tensor& recipes) const {
    std::vector<Tensor> rows;
    for (int i = 0; i < recipes.dim(0); ++i) {  //~
      std::vector<Tensor> row;
      for (int j = 0; j < recipes.dim(0); ++j) row.push_back(between(recipes[i], recipes[j]));  //!
      rows.push_back(stack(row));  //~
    }
    return stack(rows);  //~
  }
  Tensor table(const Tensor& recipes) const {
    return between(expand_dims(recipes, 1), expand_dims(recipes, 0));
  }
};

// How well sweetness is explained, with a little noise on it.
Tensor unlikely(const Tensor& kernel, const Tensor& sweetness) {
  const Tensor noisy = kernel + 0.2 * eye(kernel.dim(0));
  const Tensor solved = matrix_solve(noisy, expand_dims(sweetness, 1));
  return reduce_sum(expand_dims(sweetness, 1) * solved) + log(matrix_determinant(noisy));
}

int main(int argc, char**) {
  const Kernel kernel;
  const Tensor recipes = linspace(0.0, 3.0, 12), sweetness = sin(linspace(0.0, 3.0, 12));
  std::vector<Tensor> gradients;
  for (int batch = 0; batch < 3; ++batch) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = unlikely(argc > 1 ? kernel.table(recipes) : kernel.pairwise(recipes), sweetness);  //~
    }
    gradients = tape.gradient(loss, {kernel.reach, kernel.gain});
    kernel.reach.assign_sub(0.01 * gradients[0]);
    kernel.gain.assign_sub(0.01 * gradients[1]);
  }
  report("reach", gradients[0]);
  report("gain", gradients[1]);
}
