// One loop over elements of any type.
#include "bridges/native/values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/core/half.h"

namespace tapescope::bridge {
namespace {

template <class T>
T load(const void* data, std::size_t i) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + i * sizeof(T), sizeof(T));
  return value;
}

// Calls `visit` with a function that gives element i as a double; false for elements that are none.
template <class Visit>
bool with_elements(const tapescope_values& values, Visit&& visit) {
  const void* data = values.data;
  switch (values.element) {
    case 'f': visit([=](std::size_t i) { return static_cast<double>(load<float>(data, i)); }); return true;
    case 'd': visit([=](std::size_t i) { return load<double>(data, i); }); return true;
    case 'e':
      visit([=](std::size_t i) { return static_cast<double>(static_cast<float>(load<Half>(data, i))); });
      return true;
    case 'B':
      visit([=](std::size_t i) { return static_cast<double>(static_cast<float>(load<BFloat16>(data, i))); });
      return true;
    case 'i':
      visit([=](std::size_t i) { return static_cast<double>(load<std::int32_t>(data, i)); });
      return true;
    case 'l':
      visit([=](std::size_t i) { return static_cast<double>(load<std::int64_t>(data, i)); });
      return true;
    case 'b':
      visit([=](std::size_t i) { return static_cast<double>(load<std::int8_t>(data, i)); });
      return true;
    case 'h':
      visit([=](std::size_t i) { return static_cast<double>(load<std::int16_t>(data, i)); });
      return true;
    case 'H':
      visit([=](std::size_t i) { return static_cast<double>(load<std::uint16_t>(data, i)); });
      return true;
    case 'I':
      visit([=](std::size_t i) { return static_cast<double>(load<std::uint32_t>(data, i)); });
      return true;
    case 'L':
      visit([=](std::size_t i) { return static_cast<double>(load<std::uint64_t>(data, i)); });
      return true;
    case '?':
    case 'u':
      visit([=](std::size_t i) { return static_cast<double>(load<std::uint8_t>(data, i)); });
      return true;
    default: return false;
  }
}

// By the bits of the numbers, 64 bytes at a time: what is or-ed together waits for nothing, as sums would.
template <class Bits, Bits kExponent>
int look_floats(const void* data, std::size_t count) {
  constexpr std::size_t kLanes = 64 / sizeof(Bits), kBlock = 64 * kLanes;
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  typedef Bits Lanes __attribute__((vector_size(64)));
  bool all_zero = true;
  int found = 0;
  for (std::size_t from = 0; from < count; from += kBlock) {
    const std::size_t end = std::min(count, from + kBlock);
    Lanes any = {}, spoiled = {};
    std::size_t i = from;
    for (; i + kLanes <= end; i += kLanes) {
      Lanes bits;
      std::memcpy(&bits, static_cast<const char*>(data) + i * sizeof(Bits), sizeof(bits));
      any |= bits & ~kSign;
      spoiled |= static_cast<Lanes>((bits & kExponent) == kExponent);
    }
    Bits some = 0, wrong = 0;
    for (; i < end; ++i) {
      const Bits bits = load<Bits>(data, i);
      some |= bits & ~kSign;
      wrong |= (bits & kExponent) == kExponent;
    }
    for (std::size_t lane = 0; count >= kLanes && lane < kLanes; ++lane)
      some |= any[lane], wrong |= spoiled[lane];
    all_zero &= some == 0;
    for (i = from; wrong != 0 && i < end; ++i) {
      const Bits bits = load<Bits>(data, i) & ~kSign;
      if (bits >= kExponent) found |= bits == kExponent ? TAPESCOPE_HAS_INFINITY : TAPESCOPE_HAS_NAN;
    }
  }
  return found | (all_zero && count > 0 ? TAPESCOPE_ALL_ZERO : 0);
}

}  // namespace

std::uint16_t values_mark(const tapescope_values& values) {
  constexpr std::size_t kWhole = 1024;  // elements; of more a sample, spread over all
  constexpr std::size_t kSample = 256;
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u;
  // Four at a time: each product waits for the one before.
  std::uint64_t lanes[4] = {values.count + 1, 2, 3, 4};
  const bool readable = with_elements(values, [&](const auto& element) {
    const auto take = [&](std::size_t lane, std::size_t i) {
      lanes[lane] = (lanes[lane] ^ std::bit_cast<std::uint32_t>(static_cast<float>(element(i)))) * kFactor;
    };
    if (values.count > kWhole) {
      const std::size_t last = values.count - 1;
      for (std::size_t k = 0; k < kSample; ++k) take(k & 3, last * k / (kSample - 1));
      return;
    }
    std::size_t i = 0;
    for (; i + 4 <= values.count; i += 4) {
      for (std::size_t lane = 0; lane < 4; ++lane) take(lane, i + lane);
    }
    for (; i < values.count; ++i) take(i & 3, i);
  });
  if (!readable) return 0;
  std::uint64_t hash = 0;
  for (const std::uint64_t lane : lanes) {
    hash = (hash ^ lane ^ lane >> 32) * kFactor;
    hash ^= hash >> 29;
  }
  return static_cast<std::uint16_t>(hash >> 40 | 1);
}

int look(const tapescope_values& values) {
  if (values.element == 'f') return look_floats<std::uint32_t, 0x7f800000u>(values.data, values.count);
  if (values.element == 'd')
    return look_floats<std::uint64_t, 0x7ff0000000000000u>(values.data, values.count);
  int found = 0;
  bool all_zero = values.count > 0;
  const bool readable = with_elements(values, [&](const auto& element) {
    for (std::size_t i = 0; i < values.count; ++i) {
      const double value = element(i);
      all_zero &= value == 0;
      if (std::isnan(value)) found |= TAPESCOPE_HAS_NAN;
      if (std::isinf(value)) found |= TAPESCOPE_HAS_INFINITY;
    }
  });
  return readable ? found | (all_zero ? TAPESCOPE_ALL_ZERO : 0) : 0;
}

bool first_value(const tapescope_values& values, double& value) {
  return values.count > 0 && with_elements(values, [&](const auto& element) { value = element(0); });
}

TensorStats stats_of(const tapescope_values& values) {
  TensorStats stats;
  stats.count = static_cast<std::int64_t>(values.count);
  double sum = 0, squares = 0;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  with_elements(values, [&](const auto& element) {
    for (std::size_t i = 0; i < values.count; ++i) {
      const double value = element(i);
      if (std::isnan(value)) {
        ++stats.nans;
      } else if (std::isinf(value)) {
        ++stats.infinities;
      } else {
        sum += value;
        squares += value * value;
        low = std::min(low, value);
        high = std::max(high, value);
        stats.zeros += value == 0;
      }
    }
  });
  const std::int64_t finite = stats.count - stats.nans - stats.infinities;
  if (finite > 0) {
    stats.min = low;
    stats.max = high;
    stats.mean = sum / static_cast<double>(finite);
  }
  stats.norm = stats.nans > 0         ? std::numeric_limits<double>::quiet_NaN()
               : stats.infinities > 0 ? std::numeric_limits<double>::infinity()
                                      : std::sqrt(squares);
  return stats;
}

bool describe(const tapescope_values& values, TensorValuesRecord& record) {
  using Record = TensorValuesRecord;
  constexpr std::uint64_t kBeyond = 0xffffffff;
  std::uint64_t zeros = 0, first = kBeyond;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  const bool readable = with_elements(values, [&](const auto& element) {
    for (std::size_t i = 0; i < values.count; ++i) {
      const double value = element(i);
      if (std::isfinite(value)) {
        low = std::min(low, value);
        high = std::max(high, value);
        zeros += value == 0;
        continue;
      }
      first = std::min<std::uint64_t>(first, i);
      record.flags |= std::isnan(value) ? Record::kNan
                      : value > 0       ? Record::kInfinity
                                        : Record::kNegativeInfinity;
    }
  });
  if (!readable) return false;
  if (values.count == 0) record.flags |= Record::kEmpty;
  else if (zeros == values.count) record.flags |= Record::kZero;
  if (values.count > 0) record.zeros = static_cast<std::uint16_t>(65535 * zeros / values.count);
  record.first = static_cast<std::uint32_t>(first);
  if (low <= high) record.min = low, record.max = high;
  return true;
}

}  // namespace tapescope::bridge
