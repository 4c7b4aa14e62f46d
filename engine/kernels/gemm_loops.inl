// A register-tiled product, once per instruction set. After vector.inl.
//
// Six rows by two vectors of columns fill twelve registers. A panel of B that is transposed or narrower than
// a tile is copied first; A is read where it lies, one element to all lanes.
#include <utility>

namespace {

using tapescope::kernels::Gemm;

#if defined(__x86_64__)
TAPESCOPE_INLINE F multiply_add(F a, F b, F c) {
  if constexpr (kVectorBytes == 32)
    return bits<F>(_mm256_fmadd_ps(bits<__m256>(a), bits<__m256>(b), bits<__m256>(c)));
  else return a * b + c;
}
TAPESCOPE_INLINE D multiply_add(D a, D b, D c) {
  if constexpr (kVectorBytes == 32)
    return bits<D>(_mm256_fmadd_pd(bits<__m256d>(a), bits<__m256d>(b), bits<__m256d>(c)));
  else return a * b + c;
}
#else
template <class V>
TAPESCOPE_INLINE V multiply_add(V a, V b, V c) {
  return a * b + c;
}
#endif

constexpr i64 kRows = 6;
constexpr i64 kDepth = 256;  // of a panel: 16 KiB of float32 and 16 columns, half of the first cache
template <class T>
constexpr i64 kColumns = 2 * kLanes<T>;

// kCount rows of one tile: c[i][0..columns) (+)= sum over p of a[i * row + p * step] * b[p * ldb ..].
template <class T, int kCount>
TAPESCOPE_INLINE void tile(i64 depth, const T* a, i64 row, i64 step, const T* b, i64 ldb, T* c, i64 ldc,
                           i64 columns, bool add) {
  using V = Vec<T>;
  V sum[kCount][2];
#pragma GCC unroll 6
  for (int i = 0; i < kCount; ++i) sum[i][0] = sum[i][1] = V{};
  for (i64 p = 0; p < depth; ++p) {
    const V left = load<V>(b + p * ldb), right = load<V>(b + p * ldb + kLanes<T>);
#pragma GCC unroll 6
    for (int i = 0; i < kCount; ++i) {
      const V all = a[i * row + p * step] - V{};
      sum[i][0] = multiply_add(all, left, sum[i][0]);
      sum[i][1] = multiply_add(all, right, sum[i][1]);
    }
  }
  if (columns == kColumns<T>) {
#pragma GCC unroll 6
    for (int i = 0; i < kCount; ++i) {
      T* to = c + i * ldc;
      store(to, add ? load<V>(to) + sum[i][0] : sum[i][0]);
      store(to + kLanes<T>, add ? load<V>(to + kLanes<T>) + sum[i][1] : sum[i][1]);
    }
    return;
  }
  for (int i = 0; i < kCount; ++i) {
    T line[kColumns<T>];
    store(line, sum[i][0]);
    store(line + kLanes<T>, sum[i][1]);
    for (i64 j = 0; j < columns; ++j) c[i * ldc + j] = add ? c[i * ldc + j] + line[j] : line[j];
  }
}

template <class T>
void rows_of_tiles(i64 m, i64 depth, const T* a, i64 row, i64 step, const T* b, i64 ldb, T* c, i64 ldc,
                   i64 columns, bool add) {
  i64 i = 0;
  for (; i + kRows <= m; i += kRows)
    tile<T, 6>(depth, a + i * row, row, step, b, ldb, c + i * ldc, ldc, columns, add);
  a += i * row;
  c += i * ldc;
  switch (m - i) {
    case 1: return tile<T, 1>(depth, a, row, step, b, ldb, c, ldc, columns, add);
    case 2: return tile<T, 2>(depth, a, row, step, b, ldb, c, ldc, columns, add);
    case 3: return tile<T, 3>(depth, a, row, step, b, ldb, c, ldc, columns, add);
    case 4: return tile<T, 4>(depth, a, row, step, b, ldb, c, ldc, columns, add);
    case 5: return tile<T, 5>(depth, a, row, step, b, ldb, c, ldc, columns, add);
    default: return;
  }
}

// y[i * step] (+)= row i of x . v: a product with a vector whose matrix lies along the sum.
template <class T>
void dots(i64 rows, i64 k, const T* x, i64 ldx, const T* v, T* y, i64 step, bool add) {
  using V = Vec<T>;
  constexpr i64 kStep = kLanes<T>;
  for (i64 i = 0; i < rows; ++i) {
    const T* row = x + i * ldx;
    V sum[2] = {};
    i64 p = 0;
    for (; p + 2 * kStep <= k; p += 2 * kStep) {
      sum[0] = multiply_add(load<V>(row + p), load<V>(v + p), sum[0]);
      sum[1] = multiply_add(load<V>(row + p + kStep), load<V>(v + p + kStep), sum[1]);
    }
    sum[0] = sum[0] + sum[1];
    T total = 0;
    for (i64 q = 0; q < kStep; ++q) total += sum[0][q];
    for (; p < k; ++p) total += row[p] * v[p];
    y[i * step] = add ? y[i * step] + total : total;
  }
}

// One stage of a transposition in registers: of rows i and i + kHalf, the blocks off the diagonal change
// places.
template <class T, i64 kHalf, i64... kLane>
TAPESCOPE_INLINE void swap_blocks(Vec<T>* rows, std::integer_sequence<i64, kLane...>) {
  constexpr i64 kCount = kLanes<T>;
  for (i64 i = 0; i < kCount; ++i) {
    if (i & kHalf) continue;
    const Vec<T> a = rows[i], b = rows[i + kHalf];
    rows[i] = __builtin_shufflevector(a, b, (kLane & kHalf ? kCount + kLane - kHalf : kLane)...);
    rows[i + kHalf] = __builtin_shufflevector(a, b, (kLane & kHalf ? kCount + kLane : kLane + kHalf)...);
  }
}

// A square of as many rows as a vector has elements.
template <class T>
TAPESCOPE_INLINE void transpose_square(const T* from, i64 stride, T* to, i64 to_stride) {
  constexpr auto kAll = std::make_integer_sequence<i64, kLanes<T>>();
  Vec<T> rows[kLanes<T>];
#pragma GCC unroll 8
  for (i64 i = 0; i < kLanes<T>; ++i) rows[i] = load<Vec<T>>(from + i * stride);
  swap_blocks<T, 1>(rows, kAll);
  if constexpr (kLanes < T >> 2) swap_blocks<T, 2>(rows, kAll);
  if constexpr (kLanes < T >> 4) swap_blocks<T, 4>(rows, kAll);
#pragma GCC unroll 8
  for (i64 i = 0; i < kLanes<T>; ++i) store(to + i * to_stride, rows[i]);
}

// A panel of B for one tile's columns, zeros where there are fewer.
template <class T>
void copy_panel(const Gemm& g, const T* from, i64 depth, i64 columns, T* panel) {
  const i64 across = g.transpose_b ? g.ldb : 1, down = g.transpose_b ? 1 : g.ldb;
  const i64 square_depth = g.transpose_b ? depth / kLanes<T> * kLanes<T> : 0;
  const i64 square_columns = square_depth > 0 ? columns / kLanes<T> * kLanes<T> : 0;
  for (i64 q = 0; q < square_columns; q += kLanes<T>) {
    for (i64 p = 0; p < square_depth; p += kLanes<T>)
      transpose_square(from + q * across + p, across, panel + p * kColumns<T> + q, kColumns<T>);
  }
  for (i64 p = 0; p < depth; ++p) {
    T* to = panel + p * kColumns<T>;
    for (i64 q = p < square_depth ? square_columns : 0; q < columns; ++q) to[q] = from[p * down + q * across];
    for (i64 q = columns; q < kColumns<T>; ++q) to[q] = T(0);
  }
}

template <class T>
void gemm_loops(const Gemm& g, const T* a, const T* b, T* c) {
  if (g.n == 1 && !g.transpose_a && (g.transpose_b || g.ldb == 1))
    return dots(g.m, g.k, a, g.lda, b, c, g.ldc, g.accumulate);
  if (g.m == 1 && g.transpose_b && (!g.transpose_a || g.lda == 1))
    return dots(g.n, g.k, b, g.ldb, a, c, i64{1}, g.accumulate);
  const i64 row = g.transpose_a ? 1 : g.lda, step = g.transpose_a ? g.lda : 1;
  alignas(64) T panel[kDepth * kColumns<T>];
  for (i64 first = 0; first == 0 || first < g.k; first += kDepth) {
    const i64 depth = g.k - first < kDepth ? g.k - first : kDepth;
    const bool add = g.accumulate || first > 0;
    for (i64 j = 0; j < g.n; j += kColumns<T>) {
      const i64 columns = g.n - j < kColumns<T> ? g.n - j : kColumns<T>;
      const T* from = g.transpose_b ? b + j * g.ldb + first : b + first * g.ldb + j;
      i64 ldb = g.ldb;
      if (g.transpose_b || columns < kColumns<T>) {
        copy_panel(g, from, depth, columns, panel);
        from = panel;
        ldb = kColumns<T>;
      }
      rows_of_tiles<T>(g.m, depth, a + first * step, row, step, from, ldb, c + j, g.ldc, columns, add);
    }
  }
}

}  // namespace
