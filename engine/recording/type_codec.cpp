// Types by their names: a file outlives the ids of a process.
#include "engine/recording/type_codec.h"

#include "engine/core/error.h"

namespace tapescope::record {

void write_type(ByteWriter& out, const Type& type) {
  out.text(name_of(type.dtype));
  out.number(static_cast<std::uint64_t>(type.shape.rank()));
  for (const std::int64_t size : type.shape.dims()) out.number(static_cast<std::uint64_t>(size));
}

const Type* read_type(ByteReader& in) {
  constexpr std::uint64_t kMostSize = std::uint64_t{1}
                                      << 53;  // of a dimension; exact in every language's numbers
  const std::string_view dtype = in.text();
  Shape shape;
  const auto rank = in.number(kMaxRank);
  for (std::uint64_t i = 0; i < rank; ++i) shape.push_back(static_cast<std::int64_t>(in.number(kMostSize)));
  if (in.failed()) return nullptr;
  try {
    return intern_type(dtype_named(dtype), shape);
  } catch (const Error&) {
    return nullptr;
  }
}

}  // namespace tapescope::record
