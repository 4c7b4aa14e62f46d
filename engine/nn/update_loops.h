// The optimizers' updates: one pass over a variable, its slots and its gradient, in place.
//
// Each loop exists for the baseline instruction set and for AVX2; both give the same bits, but for those
// inside a NaN. Half types round after every operation, as a program computing in that type does. n counts
// elements; pointers may not overlap.
#pragma once
#include <cstdint>

#include "engine/core/dtype.h"
#include "engine/core/public.h"

namespace tapescope {
namespace updates TAPESCOPE_PUBLIC {

// A slot that the update does without is null.
struct Arrays {
  void* w;
  const void* g;
  void* slot[3] = {nullptr, nullptr, nullptr};
  std::int64_t n = 0;
};

// w -= lr g; with a slot v: v = momentum v - lr g, then w += v, or w += momentum v - lr g for Nesterov's.
struct Sgd {
  double lr, momentum;
  bool nesterov;
};
// Slots m, v and, for AMSGrad, the largest v: m += (g - m)(1 - beta1); v += (g^2 - v)(1 - beta2);
// w -= alpha m / (sqrt(v) + epsilon), where alpha has the bias corrections in it.
struct Adam {
  double alpha, rest1, rest2, epsilon;  // rest is 1 - beta
};
// Slots v, momentum and mean of g: v = rho v + (1 - rho) g^2; w -= lr g / sqrt(v - mean^2 + epsilon).
struct RmsProp {
  double lr, rho, momentum, epsilon;
};
// Slot a: a += g^2; w -= lr g / sqrt(a + epsilon).
struct Adagrad {
  double lr, epsilon;
};

void run(const Sgd& update, DType type, const Arrays& arrays);
void run(const Adam& update, DType type, const Arrays& arrays);
void run(const RmsProp& update, DType type, const Arrays& arrays);
void run(const Adagrad& update, DType type, const Arrays& arrays);
// w -= w amount: decoupled weight decay.
void decay(DType type, void* w, std::int64_t n, double amount);

// The loops of one instruction set: float32, float64, float16, bfloat16.
struct Table {
  void (*sgd[4])(const Sgd&, const Arrays&);
  void (*adam[4])(const Adam&, const Arrays&);
  void (*rmsprop[4])(const RmsProp&, const Arrays&);
  void (*adagrad[4])(const Adagrad&, const Arrays&);
  void (*decay[4])(double amount, const Arrays&);
};
extern const Table kBaseline;
extern const Table kAvx2;

}  // namespace updates
}  // namespace tapescope
