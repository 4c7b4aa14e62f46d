// The generator and the distributions.
#include "engine/kernels/random.h"

#include <algorithm>
#include <cmath>

#include "engine/kernels/map.h"
#include "engine/kernels/random_table.h"
#include "engine/kernels/thread_pool.h"

namespace tapescope::kernels {
namespace {

using Words = std::array<std::uint32_t, 4>;

// About 2 ns a number, 8 for normal ones.
constexpr std::int64_t kPiece = 4096, kSerial = 8192;

// Block `index` of a stream; `attempt` distinguishes redraws.
Words block(RandomStream stream, std::uint64_t index, std::uint32_t attempt = 0) {
  return philox4x32(
      {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32) | attempt << 16,
       static_cast<std::uint32_t>(stream.counter), static_cast<std::uint32_t>(stream.counter >> 32)},
      {static_cast<std::uint32_t>(stream.seed), static_cast<std::uint32_t>(stream.seed >> 32)});
}

const RandomTable& table() { return uses_avx2() ? kRandomAvx2 : kRandomBaseline; }

// Numbers are made a tile at a time; a loop may fill some blocks more than it was asked for.
constexpr std::int64_t kTileBlocks = 64;
struct WordTile {
  std::uint32_t words[4 * kTileBlocks];
  void fill(RandomStream stream, std::int64_t first, std::int64_t blocks) {
    table().words(stream, static_cast<std::uint64_t>(first), blocks, words);
  }
};
struct NormalTile {
  WordTile from;
  double numbers[4 * kTileBlocks];
  void fill(RandomStream stream, std::int64_t first, std::int64_t blocks) {
    from.fill(stream, first, blocks);
    table().normals(from.words, 2 * blocks, numbers);
  }
};

// Calls take(i, count, words or numbers) for count numbers from i on, of which a block has `each`.
template <class Tile, class Take>
void each_tile(RandomStream stream, std::int64_t begin, std::int64_t end, std::int64_t each,
               const Take& take) {
  Tile tile;
  for (std::int64_t i = begin; i < end; i += each * kTileBlocks) {
    const std::int64_t count = std::min(end - i, each * kTileBlocks);
    tile.fill(stream, i / each, (count + each - 1) / each);
    take(i, count, tile);
  }
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
    constexpr bool kSingle = sizeof(T) == 4;
    const auto take = [&](std::int64_t, std::int64_t count, const WordTile& tile) {
      for (std::int64_t k = 0; k < count; ++k) {
        T unit;
        if constexpr (kSingle) {
          unit = static_cast<T>(tile.words[k] >> 8) * 0x1p-24f;
        } else {
          const std::uint64_t all =
              static_cast<std::uint64_t>(tile.words[2 * k]) << 32 | tile.words[2 * k + 1];
          unit = static_cast<T>(all >> 11) * 0x1p-53;
        }
        *to++ = below(from + unit * width, high, low);
      }
    };
    each_tile<WordTile>(stream, begin, end, kSingle ? 4 : 2, take);
  });
}

void fill_normal(RandomStream stream, DType type, void* y, std::int64_t n, double mean, double stddev) {
  fill_floating(type, y, n, [&]<class T>(T* to, std::int64_t begin, std::int64_t end) {
    each_tile<NormalTile>(stream, begin, end, 4,
                          [&](std::int64_t, std::int64_t count, const NormalTile& tile) {
                            for (std::int64_t k = 0; k < count; ++k)
                              *to++ = static_cast<T>(mean + stddev * tile.numbers[k]);
                          });
  });
}

void fill_truncated_normal(RandomStream stream, DType type, void* y, std::int64_t n, double mean,
                           double stddev) {
  // Of a block the first number within two deviations. It has none with probability 5e-6, and is drawn again.
  const auto chosen = [](const double* four) {
    return *std::find_if(four, four + 3, [](double x) { return std::abs(x) <= 2; });
  };
  const auto drawn_again = [&](std::uint64_t index, std::uint32_t attempt) {
    const Words words = block(stream, index, attempt);
    std::uint32_t from[2 * RandomTable::kTogether] = {};
    double numbers[2 * RandomTable::kTogether];
    std::copy(words.begin(), words.end(), from);
    table().normals(from, 2, numbers);
    return chosen(numbers);
  };
  fill_floating(type, y, n, [&]<class T>(T* to, std::int64_t begin, std::int64_t end) {
    const auto take = [&](std::int64_t i, std::int64_t count, const NormalTile& tile) {
      for (std::int64_t k = 0; k < count; ++k) {
        double number = chosen(tile.numbers + 4 * k);
        for (std::uint32_t attempt = 1; std::abs(number) > 2; ++attempt)
          number = drawn_again(static_cast<std::uint64_t>(i + k), attempt);
        *to++ = static_cast<T>(mean + stddev * number);
      }
    };
    each_tile<NormalTile>(stream, begin, end, 1, take);
  });
}

void fill_integers(RandomStream stream, DType type, void* y, std::int64_t n, std::int64_t low,
                   std::int64_t high) {
  const std::uint64_t width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
  parallel_for(n, kPiece, kSerial, [&](std::int64_t begin, std::int64_t end) {
    each_tile<WordTile>(stream, begin, end, 2, [&](std::int64_t i, std::int64_t count, const WordTile& tile) {
      for (std::int64_t k = 0; k < count; ++k) {
        const std::uint64_t all = static_cast<std::uint64_t>(tile.words[2 * k]) << 32 | tile.words[2 * k + 1];
        // The high half of the product is uniform in [0, width) up to width / 2^64.
        const auto drawn = static_cast<std::uint64_t>(static_cast<unsigned __int128>(all) * width >> 64);
        const std::int64_t value = static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + drawn);
        if (type == DType::i32) static_cast<std::int32_t*>(y)[i + k] = static_cast<std::int32_t>(value);
        else static_cast<std::int64_t*>(y)[i + k] = value;
      }
    });
  });
}

}  // namespace tapescope::kernels
