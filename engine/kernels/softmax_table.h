// The loops over one row of softmax, of one instruction set. Internal to the kernels.
#pragma once
#include <cstdint>

namespace tapescope::kernels {

// Of float32.
struct SoftmaxTable {
  // The sum of the exponentials.
  float (*softmax)(const float* x, std::int64_t n, float* y, float* largest);
  float (*largest)(const float* x, std::int64_t n);
  float (*exponentials)(const float* x, std::int64_t n, float largest, float* e);  // e^(x - largest); the sum
  void (*shift)(const float* x, std::int64_t n, float largest, float log_sum, float* y);
  float (*sum)(const float* x, std::int64_t n);
  float (*dot)(const float* x, const float* y, std::int64_t n);
  void (*grad)(const float* y, const float* g, std::int64_t n, float sum, float* to);
  void (*log_grad)(const float* y, const float* g, std::int64_t n, float sum, float* to);
  float (*cross_entropy)(const float* x, const float* labels, std::int64_t n, float largest, float log_sum,
                         float* p);
};
extern const SoftmaxTable kSoftmaxBaseline;
extern const SoftmaxTable kSoftmaxAvx2;
extern const SoftmaxTable kSoftmaxAvx512;

}  // namespace tapescope::kernels
