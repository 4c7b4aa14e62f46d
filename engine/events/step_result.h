// What a step_result record tells: which values of an op were None, zero or not finite when the program ran.
//
// After a backward step (a=0): of the gradients that it returned, one for each input of the forward op, and
// of the cotangents that it was given, one for each output. Of a forward op (a=1): of its outputs alone,
// recorded later, and only where some value is not finite. Values that nothing is wrong with have no bit, nor
// have those beyond the sixteenth.
#pragma once
#include <bit>
#include <cstdint>

#include "engine/events/record.h"

namespace tapescope {

struct ValueMasks {
  std::uint16_t none = 0, zero = 0, nan = 0, infinity = 0;

  bool any() const { return (none | zero | nan | infinity) != 0; }
  std::uint16_t nonfinite() const { return nan | infinity; }
  bool operator==(const ValueMasks&) const = default;
};
static_assert(sizeof(ValueMasks) == 8);

inline constexpr RecordKind kStepResult{39};  // the kind after clock_pair

struct StepResultRecord {
  RecordKind kind = kStepResult;
  std::uint8_t forward = 0;
  std::uint16_t values = 0;  // gradients returned, or outputs
  std::uint16_t given = 0;   // cotangents that were looked at
  std::uint16_t zero_operands =
      0;  // of a backward step: forward inputs, as far as it got them, that are all zero
  ValueMasks results;
  ValueMasks cotangents;
  TensorId output = 0;  // the forward op's first output
};
static_assert(sizeof(StepResultRecord) == 32);

}  // namespace tapescope
