// Rows of softmax, which the softmax ops, their gradients and the cross entropies share.
//
// Matrices are [rows, n], row-major, n > 0. Rows are divided among threads. The same bits with every
// instruction set and any number of threads: a row of float32 has sixteen partial sums, which are joined in a
// fixed order. A NaN anywhere in a row, or an infinite maximum, makes all of its results NaN. Results may lie
// where an input does. T is float or double.
#pragma once
#include <cstdint>

namespace tapescope::kernels {

template <class T>
struct SoftmaxFacts {
  T largest;  // of the row
  T log_sum;  // log sum e^(x - largest)
};

// y = e^(x - largest) / sum e^(x - largest). `facts`, one a row, may be null.
template <class T>
void softmax_rows(const T* x, std::int64_t rows, std::int64_t n, T* y, SoftmaxFacts<T>* facts);
// y = x - largest - log_sum
template <class T>
void log_softmax_rows(const T* x, std::int64_t rows, std::int64_t n, T* y);
// to = (g - sum(g y)) y
template <class T>
void softmax_grad_rows(const T* y, const T* g, std::int64_t rows, std::int64_t n, T* to);
// to = g - e^y sum(g)
template <class T>
void log_softmax_grad_rows(const T* y, const T* g, std::int64_t rows, std::int64_t n, T* to);
// losses[r] = sum labels (log_sum - (x - largest)), where a label of 0 counts 0 whatever x is; p, the
// softmax, becomes p - labels.
template <class T>
void cross_entropy_rows(const T* x, const T* labels, const SoftmaxFacts<T>* facts, std::int64_t rows,
                        std::int64_t n, T* p, T* losses);

}  // namespace tapescope::kernels
