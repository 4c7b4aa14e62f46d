// Which library computes which product, half types, and batches.
#include "engine/kernels/gemm.h"

#include <algorithm>
#include <cstring>

#include "engine/kernels/map.h"
#include "engine/kernels/scratch.h"
#include "engine/kernels/thread_pool.h"

namespace tapescope::kernels {
namespace {

// A large product is made in pieces of rows or of columns, which threads share. The shape alone decides the
// pieces, whatever the number of threads: with one, halves cost less than 1 % and quarters 3 %.
struct Pieces {
  bool columns = false;
  std::int64_t count = 1, size = 0;
};
Pieces pieces_of(const Gemm& g) {
  constexpr std::int64_t kHalves = 1 << 22, kFurther = 1 << 27;  // multiply-adds: 0.1 and 2.5 ms
  constexpr std::int64_t kCached = 1 << 17;  // elements of B that each piece may read again
  const std::int64_t work = g.m * g.n * g.k;
  if (work < kHalves) return {};
  // Libraries bring B into their order for each piece of rows, the more so where it lies transposed.
  const bool columns = g.n > g.m ? g.transpose_b || g.k * g.n > kCached : g.transpose_b && g.n >= 256;
  const std::int64_t side = columns ? g.n : g.m, shortest = columns ? 128 : 32;
  const std::int64_t count = std::min(std::max<std::int64_t>(2, work / kFurther), side / shortest);
  if (count < 2) return {};
  const std::int64_t size = ((side + count - 1) / count + 31) / 32 * 32;
  return {columns, (side + size - 1) / size, size};
}

template <class T>
void gemm_piece(GemmLibrary library, Gemm g, const Pieces& pieces, std::int64_t index, const T* a, const T* b,
                T* c) {
  const std::int64_t begin = index * pieces.size;
  std::int64_t& side = pieces.columns ? g.n : g.m;
  side = std::min(pieces.size, side - begin);
  if (pieces.columns) gemm_with(library, g, a, b + begin * (g.transpose_b ? g.ldb : 1), c + begin);
  else gemm_with(library, g, a + begin * (g.transpose_a ? 1 : g.lda), b, c + begin * g.ldc);
}

template <class T>
void gemm_floating(DType type, const Gemm& g, const T* a, const T* b, T* c) {
  if (g.m == 0 || g.n == 0) return;
  if (g.k == 0) {
    for (std::int64_t i = 0; !g.accumulate && i < g.m; ++i) std::fill_n(c + i * g.ldc, g.n, T(0));
    return;
  }
  const GemmLibrary library = gemm_library(g, type);
  const Pieces pieces = pieces_of(g);
  if (pieces.count == 1) return gemm_with(library, g, a, b, c);
  parallel_for(pieces.count, 1, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) gemm_piece(library, g, pieces, i, a, b, c);
  });
}

// Integers: exact whatever the order, wrapping as TensorFlow's.
template <class T>
void gemm_integer(const Gemm& g, const T* a, const T* b, T* c) {
  using W = std::make_unsigned_t<T>;
  for (std::int64_t i = 0; i < g.m; ++i) {
    T* row = c + i * g.ldc;
    if (!g.accumulate) std::fill_n(row, g.n, T(0));
    for (std::int64_t p = 0; p < g.k; ++p) {
      const W left = static_cast<W>(g.transpose_a ? a[p * g.lda + i] : a[i * g.lda + p]);
      for (std::int64_t j = 0; j < g.n; ++j) {
        const W right = static_cast<W>(g.transpose_b ? b[j * g.ldb + p] : b[p * g.ldb + j]);
        row[j] = static_cast<T>(static_cast<W>(row[j]) + left * right);
      }
    }
  }
}

// Rows of a strided matrix of a half type, widened side by side.
void widen_rows(DType type, const void* from, std::int64_t rows, std::int64_t columns, std::int64_t stride,
                float* to) {
  const std::uint16_t* x = static_cast<const std::uint16_t*>(from);
  if (stride == columns) return convert(type, x, DType::f32, to, rows * columns);
  for (std::int64_t i = 0; i < rows; ++i)
    convert(type, x + i * stride, DType::f32, to + i * columns, columns);
}

void gemm_half(DType type, const Gemm& g, const void* a, const void* b, void* c) {
  const Scratch scratch(4 * (g.m * g.k + g.k * g.n + g.m * g.n));
  float* x = scratch.as<float>();
  float* y = x + g.m * g.k;
  float* z = y + g.k * g.n;
  const std::int64_t a_rows = g.transpose_a ? g.k : g.m, a_columns = g.transpose_a ? g.m : g.k;
  const std::int64_t b_rows = g.transpose_b ? g.n : g.k, b_columns = g.transpose_b ? g.k : g.n;
  widen_rows(type, a, a_rows, a_columns, g.lda, x);
  widen_rows(type, b, b_rows, b_columns, g.ldb, y);
  if (g.accumulate) widen_rows(type, c, g.m, g.n, g.ldc, z);
  gemm(Gemm::of(g.transpose_a, g.transpose_b, g.m, g.n, g.k, g.accumulate), x, y, z);
  std::uint16_t* to = static_cast<std::uint16_t*>(c);
  if (g.ldc == g.n) return convert(DType::f32, z, type, to, g.m * g.n);
  for (std::int64_t i = 0; i < g.m; ++i) convert(DType::f32, z + i * g.n, type, to + i * g.ldc, g.n);
}

}  // namespace

GemmLibrary gemm_library(const Gemm& g, DType type) {
#if defined(__x86_64__)
  static const bool wide = __builtin_cpu_supports("avx512f");
#else
  constexpr bool wide = false;
#endif
  const std::int64_t work = g.m * g.n * g.k;
  // Measured: below 32^3 our own loops win; without AVX-512 below 48^3, too, where columns of B fill whole
  // tiles as they lie; so they do for next to no depth.
  if (work <= 32'768 || (!wide && work <= 110'592 && g.n % 16 == 0 && !g.transpose_b) || g.k <= 2)
    return GemmLibrary::own;
  const bool blas = has(GemmLibrary::openblas, type), dnnl = has(GemmLibrary::onednn, type);
  if (!dnnl) return blas ? GemmLibrary::openblas : GemmLibrary::own;
  if (!blas) return GemmLibrary::onednn;
  // With AVX-512 oneDNN is slow to start: small products go to OpenBLAS, of those with B transposed only the
  // smallest.
  if (wide) return work < (g.transpose_b ? 262'144 : 1'000'000) ? GemmLibrary::openblas : GemmLibrary::onednn;
  // Without, it is slow where rows of B are long and lie untransposed: 30 % of peak against 60.
  if (!g.transpose_b && g.n >= 512 && g.m >= 32) return GemmLibrary::openblas;
  return GemmLibrary::onednn;
}

void gemm(const Gemm& g, const float* a, const float* b, float* c) { gemm_floating(DType::f32, g, a, b, c); }
void gemm(const Gemm& g, const double* a, const double* b, double* c) {
  gemm_floating(DType::f64, g, a, b, c);
}

void gemm(DType type, const Gemm& g, const void* a, const void* b, void* c) {
  switch (type) {
    case DType::f32:
      return gemm(g, static_cast<const float*>(a), static_cast<const float*>(b), static_cast<float*>(c));
    case DType::f64:
      return gemm(g, static_cast<const double*>(a), static_cast<const double*>(b), static_cast<double*>(c));
    case DType::i32:
      return gemm_integer(g, static_cast<const std::int32_t*>(a), static_cast<const std::int32_t*>(b),
                          static_cast<std::int32_t*>(c));
    case DType::i64:
      return gemm_integer(g, static_cast<const std::int64_t*>(a), static_cast<const std::int64_t*>(b),
                          static_cast<std::int64_t*>(c));
    default: return gemm_half(type, g, a, b, c);
  }
}

void gemm_batch(DType type, const Gemm& g, std::int64_t count, const void* a, const std::int64_t* a_index,
                const void* b, const std::int64_t* b_index, void* c) {
  const std::int64_t size = static_cast<std::int64_t>(size_of(type));
  const std::int64_t a_bytes = g.m * g.k * size, b_bytes = g.k * g.n * size, c_bytes = g.m * g.n * size;
  // About 20 multiply-adds a nanosecond.
  const std::int64_t each = std::max<std::int64_t>(1, g.m * g.n * g.k / 20);
  parallel_for(count, std::max<std::int64_t>(1, 12'500 / each), 50'000 / each,
               [&](std::int64_t begin, std::int64_t end) {
                 for (std::int64_t i = begin; i < end; ++i) {
                   gemm(type, g, static_cast<const char*>(a) + (a_index ? a_index[i] : i) * a_bytes,
                        static_cast<const char*>(b) + (b_index ? b_index[i] : i) * b_bytes,
                        static_cast<char*>(c) + i * c_bytes);
                 }
               });
}

}  // namespace tapescope::kernels
