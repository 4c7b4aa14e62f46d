// Chooses the updates' loop by dtype and processor, and divides it among threads.
#include "engine/nn/update_loops.h"

#include <type_traits>

#include "engine/core/error.h"
#include "engine/kernels/map.h"
#include "engine/kernels/thread_pool.h"

namespace tapescope::updates {
namespace {

const Table& table() { return kernels::uses_avx2() ? kAvx2 : kBaseline; }

std::size_t row_of(DType type) {
  switch (type) {
    case DType::f32: return 0;
    case DType::f64: return 1;
    case DType::f16: return 2;
    case DType::bf16: return 3;
    default:
      fail(ErrorKind::type, "optimizer",
           "cannot update a variable of dtype " + std::string(name_of(type)) +
               "; only variables of floating dtypes are trained");
  }
}

// From the element `begin` on; null stays null.
void* from(void* p, std::int64_t begin, DType type) {
  return p ? static_cast<char*>(p) + begin * static_cast<std::int64_t>(size_of(type)) : nullptr;
}
const void* from(const void* p, std::int64_t begin, DType type) {
  return from(const_cast<void*>(p), begin, type);
}

template <class Update>
void run_pieces(void (*loop)(Update, const Arrays&), std::type_identity_t<Update> update, DType type,
                const Arrays& arrays) {
  constexpr std::int64_t kPiece = 8192, kSerial = 32'768;  // elements; a piece takes about 3 microseconds
  kernels::parallel_for(arrays.n, kPiece, kSerial, [&](std::int64_t begin, std::int64_t end) {
    Arrays piece{.w = from(arrays.w, begin, type), .g = from(arrays.g, begin, type), .n = end - begin};
    for (std::size_t i = 0; i < std::size(piece.slot); ++i) piece.slot[i] = from(arrays.slot[i], begin, type);
    loop(update, piece);
  });
}

}  // namespace

void run(const Sgd& update, DType type, const Arrays& arrays) {
  run_pieces(table().sgd[row_of(type)], update, type, arrays);
}
void run(const Adam& update, DType type, const Arrays& arrays) {
  run_pieces(table().adam[row_of(type)], update, type, arrays);
}
void run(const RmsProp& update, DType type, const Arrays& arrays) {
  run_pieces(table().rmsprop[row_of(type)], update, type, arrays);
}
void run(const Adagrad& update, DType type, const Arrays& arrays) {
  run_pieces(table().adagrad[row_of(type)], update, type, arrays);
}
void decay(DType type, void* w, std::int64_t n, double amount) {
  run_pieces(table().decay[row_of(type)], amount, type, {.w = w, .g = nullptr, .n = n});
}

}  // namespace tapescope::updates
