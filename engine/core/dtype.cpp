// Names of element types, in both directions.
#include "engine/core/dtype.h"

#include <fmt/format.h>

#include "engine/core/error.h"

namespace tapescope {
namespace {

constexpr std::string_view kNames[kDTypeCount] = {"float32", "float64", "float16", "bfloat16",
                                                  "int32",   "int64",   "bool",    "resource"};

}  // namespace

std::string_view name_of(DType type) { return kNames[static_cast<int>(type)]; }

DType dtype_named(std::string_view name) {
  for (int i = 0; i < kDTypeCount; ++i) {
    if (kNames[i] == name) return static_cast<DType>(i);
  }
  fail(ErrorKind::value, "dtype",
       fmt::format("no element type is called '{}', expected one of {}", name, fmt::join(kNames, ", ")));
}

}  // namespace tapescope
