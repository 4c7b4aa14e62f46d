// Checks of attributes against the operands they were not made for. Public functions count axes from the
// front and check them with the program's own words; what a row is given by other means (a rewrite, a
// batching rule, a program's own call of the gate) must fail the same way instead of reading beyond a shape.
#pragma once
#include <fmt/format.h>

#include "engine/gate/op.h"

namespace tapescope {

// Runs the row's inference; what a shape refuses on the way, the op refuses, with the place of the call.
void infer_placed(const OpDef& op, InferContext& infer);

// Throws InvalidArgument unless `axis` is one of the dimensions of operand 0.
inline void check_axis(const InferContext& c, int axis) {
  const int rank = c.in(0).shape.rank();
  if (axis < 0 || axis >= rank)
    c.fail(fmt::format("axis {} is out of range for {}, expected 0 to {}", axis, c.in(0).text(), rank - 1));
}
// The same for each bit.
inline void check_axis_bits(const InferContext& c, std::uint32_t bits) {
  for (int axis = 0; axis < 32; ++axis) {
    if (bits >> axis & 1) check_axis(c, axis);
  }
}

// A node of a tape counts its outputs in 16 bits.
inline void check_output_count(const InferContext& c, std::int64_t count) {
  constexpr std::int64_t kMost = 0xffff;
  if (count > kMost)
    c.fail(fmt::format("would make {} tensors of {}, the most is {}; take fewer at a time", count,
                       c.in(0).text(), kMost));
}

}  // namespace tapescope
