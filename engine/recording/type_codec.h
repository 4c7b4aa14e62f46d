// Tensor types in full, element type and shape, to bytes and back.
#pragma once
#include "engine/core/type.h"
#include "engine/recording/bytes.h"

namespace tapescope::record {

// Text of the element type, rank, sizes.
void write_type(ByteWriter& out, const Type& type);
// Null where `in` is damaged, which it then says, and for a type that this version does not know or no memory
// could hold.
const Type* read_type(ByteReader& in);

}  // namespace tapescope::record
