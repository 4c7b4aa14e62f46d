// Reductions over any axes, positions of extremes, and running sums and products.
//
// Sums and products of float32 and of the half types are accumulated in double, so that their error does not
// grow with the length; the order of additions is fixed by the shape alone, whatever the instruction set or
// number of threads.
#pragma once
#include <cstdint>
#include <optional>

#include "engine/core/type.h"
#include "engine/kernels/fold.h"

namespace tapescope::kernels {

enum class ReduceOp : std::uint8_t { sum, mean, prod, max, min, norm, all, any, count_ };

// y = x reduced over the axes whose bits are set. all and any take and give bool; max and min of nothing are
// the lowest and highest value, infinite for floats; NaN in, NaN out.
void reduce(ReduceOp op, DType type, const void* x, const Shape& shape, std::uint32_t axes, void* y);

struct TileProgram;
// The same over the middle of [outer, n, inner] of a program's one result, which is never stored whole. The
// bits are those of reduce() on the stored result, unless `cut`: then folds longer than the cache are folded
// in pieces, as reduce() does with few long ones only. Not for half types, all and any.
void reduce_tiles(ReduceOp op, const TileProgram& program, const void* const* inputs, std::int64_t outer,
                  std::int64_t n, std::int64_t inner, bool cut, void* y);

// What machine code of the program would fold the middle of [outer, n, inner] by; none where the program's
// results are stored and folded then. For TileProgram::fold.
std::optional<Fold> fold_of_code(ReduceOp op, const TileProgram& program, std::int64_t n, std::int64_t inner);

// Index of the first largest or smallest element along the middle of [outer, n, inner]; n > 0.
void arg_extreme(bool largest, DType type, const void* x, std::int64_t outer, std::int64_t n,
                 std::int64_t inner, DType index_type, void* y);

// Running sum or product along the middle of [outer, n, inner].
void scan(bool product, DType type, const void* x, void* y, std::int64_t outer, std::int64_t n,
          std::int64_t inner, bool exclusive, bool reverse);

}  // namespace tapescope::kernels
