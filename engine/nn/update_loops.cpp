// Chooses the updates' loop by dtype and processor.
#include "engine/nn/update_loops.h"

#include "engine/core/error.h"
#include "engine/kernels/map.h"

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
    case DType::f16: return table().sgd[2](update, arrays);
    case DType::bf16: return table().sgd[3](update, arrays);
    default: refuse(type);
  }
}

void run(const Adam& update, DType type, const Arrays& arrays) {
  switch (type) {
    case DType::f32: return table().adam[0](update, arrays);
    case DType::f64: return table().adam[1](update, arrays);
    case DType::f16: return table().adam[2](update, arrays);
    case DType::bf16: return table().adam[3](update, arrays);
    default: refuse(type);
  }
}

void run(const RmsProp& update, DType type, const Arrays& arrays) {
  switch (type) {
    case DType::f32: return table().rmsprop[0](update, arrays);
    case DType::f64: return table().rmsprop[1](update, arrays);
    case DType::f16: return table().rmsprop[2](update, arrays);
    case DType::bf16: return table().rmsprop[3](update, arrays);
    default: refuse(type);
  }
}

void run(const Adagrad& update, DType type, const Arrays& arrays) {
  switch (type) {
    case DType::f32: return table().adagrad[0](update, arrays);
    case DType::f64: return table().adagrad[1](update, arrays);
    case DType::f16: return table().adagrad[2](update, arrays);
    case DType::bf16: return table().adagrad[3](update, arrays);
    default: refuse(type);
  }
}

void decay(DType type, void* w, std::int64_t n, double amount) {
  const Arrays arrays{.w = w, .g = nullptr, .n = n};
  switch (type) {
    case DType::f32: return table().decay[0](amount, arrays);
    case DType::f64: return table().decay[1](amount, arrays);
    case DType::f16: return table().decay[2](amount, arrays);
    case DType::bf16: return table().decay[3](amount, arrays);
    default: refuse(type);
  }
}

}  // namespace tapescope::updates
