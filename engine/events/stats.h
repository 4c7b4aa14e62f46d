// Summaries of tensors: what the second, budgeted channel of a session carries.
#pragma once
#include <cstdint>
#include <vector>

#include "engine/core/tensor.h"

namespace tapescope {

// Over the finite elements, unless it says otherwise.
struct TensorStats {
  TensorId tensor = 0;
  const Type* type = nullptr;
  double min = 0, max = 0, mean = 0;
  double norm = 0;  // Euclidean; not finite when an element is not
  std::int64_t zeros = 0;
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
  std::int64_t negative_infinities = 0;  // of them; counted where the values themselves were read
  bool signs_known = false;              // that they were
  std::int64_t count = 0;
};

TensorStats tensor_stats(const Tensor& tensor);

// Sums of `bins` equal bins between min and max of the finite elements.
std::vector<std::int64_t> tensor_histogram(const Tensor& tensor, const TensorStats& stats, int bins);

}  // namespace tapescope
