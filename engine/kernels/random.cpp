// The generator and the distributions; logarithm, sine and cosine are computed here with basic operations
// only, so that no library version shows in the numbers.
#include "engine/kernels/random.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/kernels/map.h"
#include "engine/kernels/thread_pool.h"

namespace tapescope::kernels {
namespace {

using Words = std::array<std::uint32_t, 4>;

// About 5 ns a number, 20 for normal ones.
constexpr std::int64_t kPiece = 4096, kSerial = 8192;

// Block `index` of a stream; `attempt` distinguishes redraws.
Words block(RandomStream stream, std::uint64_t index, std::uint32_t attempt = 0) {
  return philox4x32(
      {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32) | attempt << 16,
       static_cast<std::uint32_t>(stream.counter), static_cast<std::uint32_t>(stream.counter >> 32)},
      {static_cast<std::uint32_t>(stream.seed), static_cast<std::uint32_t>(stream.seed >> 32)});
}

// log x = e ln 2 + 2 atanh(s), s = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt 2]; thirteen terms reach 1e-17.
double log_of(double x) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(x) - 0x3fe6a09e667f3bcdull;
  const double e = static_cast<double>(static_cast<std::int64_t>(bits) >> 52);
  const double m = std::bit_cast<double>((bits & 0xfffffffffffffull) + 0x3fe6a09e667f3bcdull);
  const double s = (m - 1) / (m + 1), z = s * s;
  double series = 0;
  for (int k = 25; k >= 3; k -= 2) series = (series + 1.0 / k) * z;
  return e * 0.69314718055994530942 + 2 * (s + s * series);
}

// sin and cos of 2 pi u, u in [0, 1): the quarter turn is exact, the rest in [-pi/4, pi/4] by Taylor's
// series.
void turn(double u, double& sine, double& cosine) {
  const double quarters = u * 4;
  const int q = static_cast<int>(quarters + 0.5);
  const double x = (quarters - q) * 1.57079632679489661923, z = x * x;
  // Horner's scheme on the tails: sin x = x (1 - z/6 (1 - z/20 ...)), cos x = 1 - z/2 (1 - z/12 ...).
  double s = 1, c = 1;
  for (int k = 17; k >= 3; k -= 2) s = 1 - z / (k * (k - 1)) * s;
  for (int k = 18; k >= 2; k -= 2) c = 1 - z / (k * (k - 1)) * c;
  const double sx = x * s, cx = c;
  switch (q & 3) {
    case 0: sine = sx, cosine = cx; return;
    case 1: sine = cx, cosine = -sx; return;
    case 2: sine = -sx, cosine = -cx; return;
    default: sine = -cx, cosine = sx; return;
  }
}

// Four normal numbers of a block; its words are uniform in (0, 1] and [0, 1).
void normal_pair(const Words& words, int i, double out[2]) {
  const double radius = std::sqrt(-2 * log_of((words[i] + 1.0) * 0x1p-32));
  double sine, cosine;
  turn(words[i + 1] * 0x1p-32, sine, cosine);
  out[0] = radius * cosine;
  out[1] = radius * sine;
}
void normals(const Words& words, double out[4]) {
  normal_pair(words, 0, out);
  normal_pair(words, 2, out + 2);
}

// Calls fill(floats or doubles, begin, end) for the dtype; pieces begin at multiples of four.
template <class Fill>
void fill_floating(DType type, void* y, std::int64_t n, const Fill& fill) {
  parallel_for(n, kPiece, kSerial, [&](std::int64_t begin, std::int64_t end) {
    if (type == DType::f32) return fill(static_cast<float*>(y) + begin, begin, end);
    if (type == DType::f64) return fill(static_cast<double*>(y) + begin, begin, end);
    float tile[512];
    for (std::int64_t i = begin; i < end; i += 512) {
      const std::int64_t stop = std::min(i + 512, end);
      fill(tile, i, stop);
      convert(DType::f32, tile, type, static_cast<std::uint16_t*>(y) + i, stop - i);
    }
  });
}

template <class T>
T below(T value, double high, double low) {
  return value < static_cast<T>(high) || !(low < high)
             ? value
             : std::nextafter(static_cast<T>(high), static_cast<T>(low));
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c[0], p1 = std::uint64_t{0xCD9E8D57} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k[1], static_cast<std::uint32_t>(p0)};
    k[0] += 0x9E3779B9;
    k[1] += 0xBB67AE85;
  }
  return c;
}

void fill_uniform(RandomStream stream, DType type, void* y, std::int64_t n, double low, double high) {
  fill_floating(type, y, n, [&]<class T>(T* to, std::int64_t begin, std::int64_t end) {
    const T from = static_cast<T>(low), width = static_cast<T>(high - low);
    if constexpr (sizeof(T) == 4) {
      for (std::int64_t i = begin; i < end; i += 4) {
        const Words words = block(stream, static_cast<std::uint64_t>(i) / 4);
        for (std::int64_t k = 0; k < 4 && i + k < end; ++k) {
          *to++ = below(from + static_cast<T>(words[k] >> 8) * 0x1p-24f * width, high, low);
        }
      }
    } else {
      for (std::int64_t i = begin; i < end; i += 2) {
        const Words words = block(stream, static_cast<std::uint64_t>(i) / 2);
        for (std::int64_t k = 0; k < 2 && i + k < end; ++k) {
          const std::uint64_t all = static_cast<std::uint64_t>(words[2 * k]) << 32 | words[2 * k + 1];
          *to++ = below(from + static_cast<T>(all >> 11) * 0x1p-53 * width, high, low);
        }
      }
    }
  });
}

void fill_normal(RandomStream stream, DType type, void* y, std::int64_t n, double mean, double stddev) {
  fill_floating(type, y, n, [&]<class T>(T* to, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; i += 4) {
      double four[4];
      normals(block(stream, static_cast<std::uint64_t>(i) / 4), four);
      for (std::int64_t k = 0; k < 4 && i + k < end; ++k) *to++ = static_cast<T>(mean + stddev * four[k]);
    }
  });
}

void fill_truncated_normal(RandomStream stream, DType type, void* y, std::int64_t n, double mean,
                           double stddev) {
  fill_floating(type, y, n, [&]<class T>(T* to, std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      double chosen = 3;
      // Each block succeeds with probability 1 - 5e-6; most do with the first number.
      for (std::uint32_t attempt = 0; std::abs(chosen) > 2; ++attempt) {
        const Words words = block(stream, static_cast<std::uint64_t>(i), attempt);
        for (int k = 0; k < 4 && std::abs(chosen) > 2; k += 2) {
          double two[2];
          normal_pair(words, k, two);
          chosen = std::abs(two[0]) <= 2 ? two[0] : two[1];
        }
      }
      *to++ = static_cast<T>(mean + stddev * chosen);
    }
  });
}

void fill_integers(RandomStream stream, DType type, void* y, std::int64_t n, std::int64_t low,
                   std::int64_t high) {
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  parallel_for(n, kPiece, kSerial, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Words words = block(stream, static_cast<std::uint64_t>(i) / 2);
      const std::uint64_t all = static_cast<std::uint64_t>(words[2 * (i & 1)]) << 32 | words[2 * (i & 1) + 1];
      // The high half of the product is uniform in [0, width) up to width / 2^64.
      const auto drawn = static_cast<std::uint64_t>(static_cast<unsigned __int128>(all) * width >> 64);
      const std::int64_t value = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + drawn);
      if (type == DType::i32) static_cast<std::int32_t*>(y)[i] = static_cast<std::int32_t>(value);
      else static_cast<std::int64_t*>(y)[i] = value;
    }
  });
}

}  // namespace tapescope::kernels
