// The generator and the normal distribution in lanes, for files that are compiled once per instruction set.
// The includer has engine/kernels/vector.inl included before; everything is in an unnamed namespace, as
// there. Logarithm, sine and cosine are computed with basic operations only, so that no library version shows
// in the numbers.

namespace {

// Of the low halves.
TAPESCOPE_INLINE W product(W a, std::uint64_t b) {
#if defined(__x86_64__)
  if constexpr (kVectorBytes == 32)
    return bits<W>(_mm256_mul_epu32(bits<__m256i>(a), bits<__m256i>(W{} + b)));
  else return bits<W>(_mm_mul_epu32(bits<__m128i>(a), bits<__m128i>(W{} + b)));
#else
  return (a & 0xffffffffull) * b;
#endif
}

// philox4x32 (random.h) of as many blocks as there are lanes; a lane's high half is never looked at.
inline void word_loop(tapescope::kernels::RandomStream stream, std::uint64_t first, i64 blocks,
                      std::uint32_t* to) {
  constexpr i64 kBlocks = kLanes<double>;
  constexpr std::uint64_t kLow = 0xffffffffull;
  W index = first + W{};
  for (i64 k = 0; k < kBlocks; ++k) index[k] += static_cast<std::uint64_t>(k);
  for (i64 i = 0; i < blocks; i += kBlocks, index += kBlocks, to += 4 * kBlocks) {
    W c0 = index, c1 = index >> 32, c2 = stream.counter + W{}, c3 = (stream.counter >> 32) + W{};
    std::uint32_t k0 = static_cast<std::uint32_t>(stream.seed),
                  k1 = static_cast<std::uint32_t>(stream.seed >> 32);
    for (int round = 0; round < 10; ++round) {
      const W p0 = product(c0, 0xD2511F53), p1 = product(c2, 0xCD9E8D57);
      c0 = (p1 >> 32) ^ c1 ^ k0;
      c2 = (p0 >> 32) ^ c3 ^ k1;
      c1 = p1;
      c3 = p0;
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    const W low = (c0 & kLow) | c1 << 32, high = (c2 & kLow) | c3 << 32;
    for (i64 k = 0; k < kBlocks; ++k) {
      const std::uint64_t block[2] = {low[k], high[k]};
      __builtin_memcpy(to + 4 * k, block, sizeof block);
    }
  }
}

// Added to a double of [0, 2^52), it leaves the whole number nearest to it in the low bits.
constexpr double kWhole = 0x1p52;

TAPESCOPE_INLINE D from_whole(W n) { return bits<D>(n | bits<W>(splat<D>(kWhole))) - splat<D>(kWhole); }

// log x = e ln 2 + 2 atanh(s), s = (m - 1) / (m + 1), m in [sqrt(1/2), sqrt 2]; thirteen terms reach 1e-17.
// For x in (0, 1].
TAPESCOPE_INLINE D log_of(D x) {
  constexpr std::uint64_t kRoot = 0x3fe6a09e667f3bcdull, kFraction = 0xfffffffffffffull;  // of 1/2
  const W shifted = bits<W>(x) - kRoot;
  const D high = from_whole(shifted >> 52);  // e, or 4096 above it
  const D e = choose(high > 2048., high - 4096., high);
  const D m = bits<D>((shifted & kFraction) + kRoot);
  const D s = (m - 1.) / (m + 1.), z = s * s;
  D series{};
  for (int k = 25; k >= 3; k -= 2) series = (series + 1.0 / k) * z;
  return e * 0.69314718055994530942 + 2. * (s + s * series);
}

// sin and cos of 2 pi u, u in [0, 1): the quarter turn is exact, the rest in [-pi/4, pi/4] by Taylor's
// series.
TAPESCOPE_INLINE void turn(D u, D& sine, D& cosine) {
  const D quarters = u * 4., up = quarters + 0.5, nearest = up + kWhole - kWhole;
  const D q = choose(nearest > up, nearest - 1., nearest);
  const D x = (quarters - q) * 1.57079632679489661923, z = x * x;
  // Horner's scheme on the tails: sin x = x (1 - z/6 (1 - z/20 ...)), cos x = 1 - z/2 (1 - z/12 ...).
  D s = splat<D>(1), c = splat<D>(1);
  for (int k = 17; k >= 3; k -= 2) s = 1. - z / (k * (k - 1.)) * s;
  for (int k = 18; k >= 2; k -= 2) c = 1. - z / (k * (k - 1.)) * c;
  const D sx = x * s;
  const W turns = bits<W>(q + kWhole);
  const auto odd = (turns & 1) != 0;
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  sine = bits<D>(bits<W>(choose(odd, c, sx)) ^ ((turns << 62) & kSign));
  cosine = bits<D>(bits<W>(choose(odd, sx, c)) ^ (((turns + 1) << 62) & kSign));
}

inline void normal_loop(const std::uint32_t* words, i64 pairs, double* to) {
  constexpr i64 kPairs = kLanes<double>;
  for (i64 i = 0; i < pairs; i += kPairs, words += 2 * kPairs, to += 2 * kPairs) {
    W first{}, second{};
    for (i64 k = 0; k < kPairs; ++k) first[k] = words[2 * k], second[k] = words[2 * k + 1];
    // The words are uniform in (0, 1] and [0, 1).
    const D radius = sqrt_of(-2. * log_of((from_whole(first) + 1.) * 0x1p-32));
    D sine, cosine;
    turn(from_whole(second) * 0x1p-32, sine, cosine);
    const D a = radius * cosine, b = radius * sine;
    for (i64 k = 0; k < kPairs; ++k) to[2 * k] = a[k], to[2 * k + 1] = b[k];
  }
}

}  // namespace
