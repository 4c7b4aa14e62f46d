// Dtype policies by name.
#include "engine/nn/policy.h"

#include <fmt/format.h>

#include "engine/core/error.h"

namespace tapescope {
namespace {

constexpr std::string_view kMixed = "mixed_";

}  // namespace

DTypePolicy DTypePolicy::named(std::string_view name) {
  const bool mixed = name.starts_with(kMixed);
  const std::string_view compute = mixed ? name.substr(kMixed.size()) : name;
  for (int i = 0; i < kDTypeCount; ++i) {
    const DType type = static_cast<DType>(i);
    if (name_of(type) != compute) continue;
    if (mixed && is_half(type)) return {type, DType::f32};
    if (!mixed && is_floating(type)) return type;
  }
  fail(ErrorKind::value, "DTypePolicy",
       fmt::format("got '{}', expected float32, float64, float16, bfloat16, mixed_float16 or mixed_bfloat16",
                   name));
}

std::string DTypePolicy::name() const {
  return fmt::format("{}{}", mixed() ? kMixed : std::string_view(), name_of(compute));
}

}  // namespace tapescope
