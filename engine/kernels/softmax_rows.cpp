// Chooses the loops by processor and divides rows among threads.
#include "engine/kernels/softmax_rows.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "engine/kernels/map.h"
#include "engine/kernels/softmax_table.h"
#include "engine/kernels/thread_pool.h"

namespace tapescope::kernels {
namespace {

// The loops of a table, for float64.
struct DoubleLoops {
  static double largest(const double* x, std::int64_t n) { return *std::max_element(x, x + n); }
  // Four partial sums: shorter chains of rounding errors, and the additions overlap.
  template <class Term>
  static double summed(std::int64_t n, const Term& term) {
    double sums[4] = {};
    for (std::int64_t i = 0; i < n; ++i) sums[i % 4] += term(i);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  static double exponentials(const double* x, std::int64_t n, double largest, double* e) {
    return summed(n, [&](std::int64_t i) { return e[i] = std::exp(x[i] - largest); });
  }
  static double softmax(const double* x, std::int64_t n, double* y, double* largest) {
    *largest = DoubleLoops::largest(x, n);
    const double sum = exponentials(x, n, *largest, y);
    for (std::int64_t i = 0; i < n; ++i) y[i] /= sum;
    return sum;
  }
  static void shift(const double* x, std::int64_t n, double largest, double log_sum, double* y) {
    for (std::int64_t i = 0; i < n; ++i) y[i] = x[i] - largest - log_sum;
  }
  static double sum(const double* x, std::int64_t n) {
    return summed(n, [&](std::int64_t i) { return x[i]; });
  }
  static double dot(const double* x, const double* y, std::int64_t n) {
    return summed(n, [&](std::int64_t i) { return x[i] * y[i]; });
  }
  static void grad(const double* y, const double* g, std::int64_t n, double sum, double* to) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = (g[i] - sum) * y[i];
  }
  static void log_grad(const double* y, const double* g, std::int64_t n, double sum, double* to) {
    for (std::int64_t i = 0; i < n; ++i) to[i] = g[i] - sum * std::exp(y[i]);
  }
  static double cross_entropy(const double* x, const double* labels, std::int64_t n, double largest,
                              double log_sum, double* p) {
    const double loss = summed(
        n, [&](std::int64_t i) { return labels[i] == 0 ? 0 : labels[i] * (log_sum - (x[i] - largest)); });
    for (std::int64_t i = 0; i < n; ++i) p[i] -= labels[i];
    return loss;
  }
};

// Calls body(loops, row, offset of the row) for each row. About 1 ns an element, and 10 for a row.
template <class T, class Body>
void each_row(std::int64_t rows, std::int64_t n, const Body& body) {
  constexpr const SoftmaxTable* kTables[] = {&kSoftmaxBaseline, &kSoftmaxAvx2, &kSoftmaxAvx512};
  const std::int64_t each = n + 10;
  parallel_for(rows, 12'500 / each + 1, 50'000 / each, [&](std::int64_t begin, std::int64_t end) {
    const auto run = [&](const auto& loops) {
      for (std::int64_t r = begin; r < end; ++r) body(loops, r, r * n);
    };
    if constexpr (std::is_same_v<T, double>) run(DoubleLoops());
    else run(*kTables[static_cast<int>(instructions())]);
  });
}

}  // namespace

template <class T>
void softmax_rows(const T* x, std::int64_t rows, std::int64_t n, T* y, SoftmaxFacts<T>* facts) {
  each_row<T>(rows, n, [&](const auto& loops, std::int64_t r, std::int64_t at) {
    T largest;
    const T sum = loops.softmax(x + at, n, y + at, &largest);
    if (facts) facts[r] = {largest, std::log(sum)};
  });
}

template <class T>
void log_softmax_rows(const T* x, std::int64_t rows, std::int64_t n, T* y) {
  each_row<T>(rows, n, [&](const auto& loops, std::int64_t, std::int64_t at) {
    // x may be y, so that the exponentials lie elsewhere, a part at a time.
    constexpr std::int64_t kPart = 1024;
    T room[kPart], sum = 0;
    const T largest = loops.largest(x + at, n);
    for (std::int64_t i = 0; i < n; i += kPart)
      sum += loops.exponentials(x + at + i, std::min(kPart, n - i), largest, room);
    loops.shift(x + at, n, largest, std::log(sum), y + at);
  });
}

template <class T>
void softmax_grad_rows(const T* y, const T* g, std::int64_t rows, std::int64_t n, T* to) {
  each_row<T>(rows, n, [&](const auto& loops, std::int64_t, std::int64_t at) {
    loops.grad(y + at, g + at, n, loops.dot(g + at, y + at, n), to + at);
  });
}

template <class T>
void log_softmax_grad_rows(const T* y, const T* g, std::int64_t rows, std::int64_t n, T* to) {
  each_row<T>(rows, n, [&](const auto& loops, std::int64_t, std::int64_t at) {
    loops.log_grad(y + at, g + at, n, loops.sum(g + at, n), to + at);
  });
}

template <class T>
void cross_entropy_rows(const T* x, const T* labels, const SoftmaxFacts<T>* facts, std::int64_t rows,
                        std::int64_t n, T* p, T* losses) {
  each_row<T>(rows, n, [&](const auto& loops, std::int64_t r, std::int64_t at) {
    losses[r] = loops.cross_entropy(x + at, labels + at, n, facts[r].largest, facts[r].log_sum, p + at);
  });
}

template void softmax_rows(const float*, std::int64_t, std::int64_t, float*, SoftmaxFacts<float>*);
template void softmax_rows(const double*, std::int64_t, std::int64_t, double*, SoftmaxFacts<double>*);
template void log_softmax_rows(const float*, std::int64_t, std::int64_t, float*);
template void log_softmax_rows(const double*, std::int64_t, std::int64_t, double*);
template void softmax_grad_rows(const float*, const float*, std::int64_t, std::int64_t, float*);
template void softmax_grad_rows(const double*, const double*, std::int64_t, std::int64_t, double*);
template void log_softmax_grad_rows(const float*, const float*, std::int64_t, std::int64_t, float*);
template void log_softmax_grad_rows(const double*, const double*, std::int64_t, std::int64_t, double*);
template void cross_entropy_rows(const float*, const float*, const SoftmaxFacts<float>*, std::int64_t,
                                 std::int64_t, float*, float*);
template void cross_entropy_rows(const double*, const double*, const SoftmaxFacts<double>*, std::int64_t,
                                 std::int64_t, double*, double*);

}  // namespace tapescope::kernels
