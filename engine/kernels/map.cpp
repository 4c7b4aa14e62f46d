// Which loop runs over which pieces: broadcasting, half types in tiles, division among threads.
#include "engine/kernels/map.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "engine/kernels/map_table.h"
#include "engine/kernels/strides.h"
#include "engine/kernels/thread_pool.h"

namespace tapescope::kernels {

bool cpu_has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
#else
  return false;
#endif
}

bool cpu_has_avx512() {
#if defined(__x86_64__)
  return cpu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

// Usable before its initialization: all tables give the same results.
constinit const MapTable* g_map = &kMapBaseline;

namespace {

// The loops of `better`, and those of `other` that it has not.
MapTable joined(const MapTable& better, const MapTable& other) {
  MapTable t = other;
  const auto take = [](auto& to, const auto& from) {
    if (from) to = from;
  };
  for (int type = 0; type < kDTypeCount; ++type) {
    for (int op = 0; op < kUnaryCount; ++op) take(t.unary[op][type], better.unary[op][type]);
    for (int op = 0; op < kBinaryCount; ++op) {
      for (int mode = 0; mode < kModeCount; ++mode)
        take(t.binary[op][mode][type], better.binary[op][mode][type]);
    }
  }
  return t;
}

constinit Instructions g_instructions = Instructions::baseline;
[[maybe_unused]] const bool g_chosen = (limit_instructions(Instructions::avx512), true);

bool allows_512_bits() {
  static const bool allowed = [] {
    const char* asked = std::getenv("TAPESCOPE_VECTOR_BITS");
    const std::string_view bits = asked ? asked : "";
    if (!bits.empty() && bits != "256" && bits != "512")
      fmt::print(stderr, "tapescope: TAPESCOPE_VECTOR_BITS is '{}', expected 256 or 512\n", bits);
    return bits != "256";
  }();
  return allowed;
}

// 2 KiB of float32: three such tiles leave room in the first cache.
constexpr std::int64_t kTile = 512;
// Work worth waking a thread for, and the size of a piece of it.
constexpr double kSerialNanoseconds = 50'000, kPieceNanoseconds = 12'500;

// Below this many elements no function is worth a second thread.
constexpr std::int64_t kSmall = 4096;
std::int64_t pieces(double budget, double each) {
  return static_cast<std::int64_t>(budget / each) & ~std::int64_t{63};
}

ConvertLoop widen(DType type) { return g_map->convert[static_cast<int>(type)][static_cast<int>(DType::f32)]; }
ConvertLoop narrow(DType type) {
  return g_map->convert[static_cast<int>(DType::f32)][static_cast<int>(type)];
}
const char* at(const void* p, std::int64_t bytes) { return static_cast<const char*>(p) + bytes; }
char* at(void* p, std::int64_t bytes) { return static_cast<char*>(p) + bytes; }

// One thread's share, of any dtype.
void run_unary(UnaryOp op, DType type, const void* x, void* y, std::int64_t n, double param) {
  const auto& row = g_map->unary[static_cast<int>(op)];
  if (!is_half(type)) return row[static_cast<int>(type)](x, y, n, param);
  const UnaryLoop loop = row[static_cast<int>(DType::f32)];
  float in[kTile], out[kTile];
  for (std::int64_t i = 0; i < n; i += kTile) {
    const std::int64_t m = n - i < kTile ? n - i : kTile;
    widen(type)(at(x, 2 * i), in, m);
    if (gives_bool(op)) {
      loop(in, at(y, i), m, param);
    } else {
      loop(in, out, m, param);
      narrow(type)(out, at(y, 2 * i), m);
    }
  }
}

void run_binary(BinaryOp op, DType type, Mode mode, const void* a, const void* b, void* y, std::int64_t n,
                double param) {
  const auto& row = g_map->binary[static_cast<int>(op)][static_cast<int>(mode)];
  if (!is_half(type)) return row[static_cast<int>(type)](a, b, y, n, param);
  const BinaryLoop loop = row[static_cast<int>(DType::f32)];
  float left[kTile], right[kTile], out[kTile];
  const bool whole_a = mode != Mode::scalar_vector, whole_b = mode != Mode::vector_scalar;
  if (!whole_a) widen(type)(a, left, 1);
  if (!whole_b) widen(type)(b, right, 1);
  for (std::int64_t i = 0; i < n; i += kTile) {
    const std::int64_t m = n - i < kTile ? n - i : kTile;
    if (whole_a) widen(type)(at(a, 2 * i), left, m);
    if (whole_b) widen(type)(at(b, 2 * i), right, m);
    if (gives_bool(op)) {
      loop(left, right, at(y, i), m, param);
    } else {
      loop(left, right, out, m, param);
      narrow(type)(out, at(y, 2 * i), m);
    }
  }
}

std::int64_t out_size(BinaryOp op, DType type) {
  return gives_bool(op) ? 1 : static_cast<std::int64_t>(size_of(type));
}

void map_mode(BinaryOp op, DType type, Mode mode, const void* a, const void* b, void* y, std::int64_t n,
              double param) {
  if (n <= kSmall) return run_binary(op, type, mode, a, b, y, n, param);
  const double each = nanoseconds(op, type);
  const std::int64_t serial = pieces(kSerialNanoseconds, each);
  if (n <= serial) return run_binary(op, type, mode, a, b, y, n, param);
  const std::int64_t size = static_cast<std::int64_t>(size_of(type)), result = out_size(op, type);
  const std::int64_t step_a = mode == Mode::scalar_vector ? 0 : size,
                     step_b = mode == Mode::vector_scalar ? 0 : size;
  parallel_for(n, pieces(kPieceNanoseconds, each), serial, [&](std::int64_t begin, std::int64_t end) {
    run_binary(op, type, mode, at(a, begin * step_a), at(b, begin * step_b), at(y, begin * result),
               end - begin, param);
  });
}

template <class T>
void select_run(const std::uint8_t* c, const void* a, const void* b, void* y, std::int64_t n,
                const std::int64_t* strides) {
  const T* x = static_cast<const T*>(a);
  const T* z = static_cast<const T*>(b);
  T* out = static_cast<T*>(y);
  const std::int64_t sc = strides[0], sx = strides[1], sz = strides[2];
  for (std::int64_t i = 0; i < n; ++i) out[i] = c[i * sc] ? x[i * sx] : z[i * sz];
}

}  // namespace

Instructions instructions() { return g_instructions; }

void limit_instructions(Instructions most) {
  const Instructions have = cpu_has_avx512() && allows_512_bits() ? Instructions::avx512
                            : cpu_has_avx2()                      ? Instructions::avx2
                                                                  : Instructions::baseline;
  g_instructions = std::min(most, have);
  static const MapTable widest = joined(kMapAvx512, kMapAvx2);
  const MapTable* const tables[] = {&kMapBaseline, &kMapAvx2, &widest};
  g_map = tables[static_cast<int>(g_instructions)];
}

int widest_vector_bits() { return g_instructions == Instructions::avx512 ? 512 : 256; }

UnaryLoop unary_loop(UnaryOp op, DType type) {
  return g_map->unary[static_cast<int>(op)][static_cast<int>(type)];
}
BinaryLoop binary_loop(BinaryOp op, DType type, Mode mode) {
  return g_map->binary[static_cast<int>(op)][static_cast<int>(mode)][static_cast<int>(type)];
}

void map_unary(UnaryOp op, DType type, const void* x, void* y, std::int64_t n, double param) {
  if (n <= kSmall) return run_unary(op, type, x, y, n, param);
  const double each = nanoseconds(op, type);
  const std::int64_t serial = pieces(kSerialNanoseconds, each);
  if (n <= serial) return run_unary(op, type, x, y, n, param);
  const std::int64_t size = static_cast<std::int64_t>(size_of(type)), result = gives_bool(op) ? 1 : size;
  parallel_for(n, pieces(kPieceNanoseconds, each), serial, [&](std::int64_t begin, std::int64_t end) {
    run_unary(op, type, at(x, begin * size), at(y, begin * result), end - begin, param);
  });
}

void map_binary(BinaryOp op, DType type, const void* a, const void* b, void* y, std::int64_t n,
                double param) {
  map_mode(op, type, Mode::vector_vector, a, b, y, n, param);
}

void map_broadcast(BinaryOp op, DType type, const void* a, const Shape& a_shape, const void* b,
                   const Shape& b_shape, void* y, const Shape& out, double param) {
  const std::int64_t n = out.numel();
  if (n == 0) return;
  if (b_shape.numel() == 1) return map_mode(op, type, Mode::vector_scalar, a, b, y, n, param);
  if (a_shape.numel() == 1) return map_mode(op, type, Mode::scalar_vector, a, b, y, n, param);
  const Strided<2> walk(out, {&a_shape, &b_shape});
  const Mode mode = walk.inner_stride(0) == 0   ? Mode::scalar_vector
                    : walk.inner_stride(1) == 0 ? Mode::vector_scalar
                                                : Mode::vector_vector;
  const std::int64_t inner = walk.inner();
  if (inner == n) return map_mode(op, type, mode, a, b, y, n, param);
  const std::int64_t size = static_cast<std::int64_t>(size_of(type)), result = out_size(op, type);
  const double each = nanoseconds(op, type) * static_cast<double>(inner) + 3;
  const std::int64_t serial = static_cast<std::int64_t>(kSerialNanoseconds / each);
  parallel_for(n / inner, static_cast<std::int64_t>(kPieceNanoseconds / each) + 1, serial,
               [&](std::int64_t begin, std::int64_t end) {
                 walk.each(begin, end, [&](std::int64_t row, const std::int64_t* offset) {
                   run_binary(op, type, mode, at(a, offset[0] * size), at(b, offset[1] * size),
                              at(y, row * inner * result), inner, param);
                 });
               });
}

void map_select(const std::uint8_t* condition, const Shape& condition_shape, const void* a,
                const Shape& a_shape, const void* b, const Shape& b_shape, void* y, const Shape& out,
                int element_size) {
  if (out.numel() == 0) return;
  const Strided<3> walk(out, {&condition_shape, &a_shape, &b_shape});
  const std::int64_t inner = walk.inner();
  const std::int64_t strides[3] = {walk.inner_stride(0), walk.inner_stride(1), walk.inner_stride(2)};
  walk.each(0, out.numel() / inner, [&](std::int64_t row, const std::int64_t* offset) {
    const std::uint8_t* c = condition + offset[0];
    const void* x = at(a, offset[1] * element_size);
    const void* z = at(b, offset[2] * element_size);
    void* to = at(y, row * inner * element_size);
    switch (element_size) {
      case 1: return select_run<std::uint8_t>(c, x, z, to, inner, strides);
      case 2: return select_run<std::uint16_t>(c, x, z, to, inner, strides);
      case 4: return select_run<std::uint32_t>(c, x, z, to, inner, strides);
      default: return select_run<std::uint64_t>(c, x, z, to, inner, strides);
    }
  });
}

void accumulate(DType type, void* y, const void* x, std::int64_t n) {
  map_binary(BinaryOp::add, type, y, x, y, n);
}

void convert(DType from, const void* x, DType to, void* y, std::int64_t n) {
  if (from == to) {
    std::memcpy(y, x, static_cast<std::size_t>(n) * size_of(from));
    return;
  }
  if (const ConvertLoop loop = g_map->convert[static_cast<int>(from)][static_cast<int>(to)])
    return loop(x, y, n);
  // A half type on one side or both: by way of float32.
  const std::int64_t size_x = static_cast<std::int64_t>(size_of(from)),
                     size_y = static_cast<std::int64_t>(size_of(to));
  float tile[kTile];
  for (std::int64_t i = 0; i < n; i += kTile) {
    const std::int64_t m = n - i < kTile ? n - i : kTile;
    widen(from)(at(x, i * size_x), tile, m);
    narrow(to)(tile, at(y, i * size_y), m);
  }
}

}  // namespace tapescope::kernels
