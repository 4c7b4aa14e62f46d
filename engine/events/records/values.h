// Records of what tensors held, written when something about a step turned out wrong.
#pragma once
#include "engine/events/records/record.h"

namespace tapescope {

// What a tensor held. Follows the answers of the gradient call that made it worth knowing.
struct TensorValuesRecord {
  static constexpr RecordKind kKind{52};
  static constexpr bool kContinues = true;
  static constexpr std::uint8_t kNan = 1;               // some element is NaN
  static constexpr std::uint8_t kInfinity = 2;          // some element is infinity
  static constexpr std::uint8_t kNegativeInfinity = 4;  // some element is minus infinity
  static constexpr std::uint8_t kZero = 8;              // every element is 0, and there is one
  static constexpr std::uint8_t kEmpty = 16;            // there are no elements

  RecordKind kind = kKind;
  std::uint8_t flags = 0;
  std::uint16_t zeros = 0;  // share of zeros, in 65535ths
  std::uint32_t first = 0;  // element that is the first not finite one, 2^32 - 1 where it is beyond
  TensorId tensor = 0;
  double min = 0;  // of the finite elements
  double max = 0;  // likewise
};

// Of the flags: some element is not finite.
inline constexpr std::uint8_t kNonFiniteValues =
    TensorValuesRecord::kNan | TensorValuesRecord::kInfinity | TensorValuesRecord::kNegativeInfinity;

using ValueRecords = RecordList<TensorValuesRecord>;

}  // namespace tapescope
