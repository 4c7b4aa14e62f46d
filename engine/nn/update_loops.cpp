// Chooses the updates' loop by dtype and processor; half types have their only loops here.
#include "engine/nn/update_loops.h"

#include <type_traits>

#include "engine/core/error.h"
#include "engine/core/half.h"
#include "engine/kernels/map.h"

namespace {

constexpr int kVectorBytes = 16;

// A half type that rounds after every operation.
template <class H> struct Rounding {
  H value;
  Rounding() = default;
  explicit Rounding(double number) : value(static_cast<float>(number)) {}
  explicit Rounding(float number) : value(number) {}
  friend Rounding operator+(Rounding a, Rounding b) { return Rounding(float(a.value) + float(b.value)); }
  friend Rounding operator-(Rounding a, Rounding b) { return Rounding(float(a.value) - float(b.value)); }
  friend Rounding operator*(Rounding a, Rounding b) { return Rounding(float(a.value) * float(b.value)); }
  friend Rounding operator/(Rounding a, Rounding b) { return Rounding(float(a.value) / float(b.value)); }
  friend bool operator>(Rounding a, Rounding b) { return float(a.value) > float(b.value); }
  friend Rounding sqrt_of(Rounding x) { return Rounding(__builtin_sqrtf(float(x.value))); }
};
using F16 = Rounding<tapescope::Half>;
using BF16 = Rounding<tapescope::BFloat16>;

}  // namespace

#include "engine/kernels/vector.inl"
#include "engine/nn/update_loops.inl"

namespace tapescope::updates {
namespace {

const Table& table() { return kernels::uses_avx2() ? kAvx2 : kBaseline; }

[[noreturn]] void refuse(DType type) {
  fail(ErrorKind::type, "optimizer",
       "cannot update a variable of dtype " + std::string(name_of(type)) +
           "; only variables of floating dtypes are trained");
}

}  // namespace

void run(const Sgd& update, DType type, const Arrays& arrays) {
  switch (type) {
    case DType::f32: return table().sgd[0](update, arrays);
    case DType::f64: return table().sgd[1](update, arrays);
    case DType::f16: return sgd<F16>(update, arrays);
    case DType::bf16: return sgd<BF16>(update, arrays);
    default: refuse(type);
  }
}

void run(const Adam& update, DType type, const Arrays& arrays) {
  switch (type) {
    case DType::f32: return table().adam[0](update, arrays);
    case DType::f64: return table().adam[1](update, arrays);
    case DType::f16: return adam<F16>(update, arrays);
    case DType::bf16: return adam<BF16>(update, arrays);
    default: refuse(type);
  }
}

void run(const RmsProp& update, DType type, const Arrays& arrays) {
  switch (type) {
    case DType::f32: return table().rmsprop[0](update, arrays);
    case DType::f64: return table().rmsprop[1](update, arrays);
    case DType::f16: return rmsprop<F16>(update, arrays);
    case DType::bf16: return rmsprop<BF16>(update, arrays);
    default: refuse(type);
  }
}

void run(const Adagrad& update, DType type, const Arrays& arrays) {
  switch (type) {
    case DType::f32: return table().adagrad[0](update, arrays);
    case DType::f64: return table().adagrad[1](update, arrays);
    case DType::f16: return adagrad<F16>(update, arrays);
    case DType::bf16: return adagrad<BF16>(update, arrays);
    default: refuse(type);
  }
}

void decay(DType type, void* w, std::int64_t n, double amount) {
  const Arrays arrays{.w = w, .g = nullptr, .n = n};
  switch (type) {
    case DType::f32: return table().decay[0](amount, arrays);
    case DType::f64: return table().decay[1](amount, arrays);
    case DType::f16: return ::decay<F16>(amount, arrays);
    case DType::bf16: return ::decay<BF16>(amount, arrays);
    default: refuse(type);
  }
}

}  // namespace tapescope::updates
