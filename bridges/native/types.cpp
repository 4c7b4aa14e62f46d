// Element types that the engine has no kernels for stand for the nearest one that gradients treat alike.
#include "bridges/native/types.h"

#include <algorithm>
#include <array>

#include "engine/core/type.h"

namespace tapescope::bridge {
namespace {

struct Known {
  std::string_view name;
  DType dtype;
};

constexpr std::array<Known, 8> kOwn = {{{"float32", DType::f32},
                                        {"float64", DType::f64},
                                        {"float16", DType::f16},
                                        {"bfloat16", DType::bf16},
                                        {"int32", DType::i32},
                                        {"int64", DType::i64},
                                        {"bool", DType::boolean},
                                        {"resource", DType::resource}}};

DType nearest(std::string_view name) {
  const auto own =
      std::find_if(kOwn.begin(), kOwn.end(), [&](const Known& known) { return known.name == name; });
  if (own != kOwn.end()) return own->dtype;
  if (name == "complex64") return DType::f32;
  if (name == "complex128") return DType::f64;
  if (name.starts_with("float8")) return DType::f16;
  if (name == "variant") return DType::resource;
  return name.ends_with("64") ? DType::i64 : DType::i32;
}

}  // namespace

std::uint32_t type_id(std::string_view dtype, std::span<const std::int64_t> sizes) {
  Shape shape;
  for (const std::int64_t size : sizes) {
    const std::int64_t known = size < 0 ? 1 : size;
    if (shape.rank() < kMaxRank) shape.push_back(known);
    else shape[kMaxRank - 1] *= known;
  }
  return intern_type(nearest(dtype), shape)->id;
}

bool is_trainable_type(std::uint32_t type) {
  const Type* known = type_with_id(type);
  return !known || is_trainable(known->dtype);
}

bool is_handle_type(std::uint32_t type) {
  const Type* known = type_with_id(type);
  return known && known->dtype == DType::resource;
}

}  // namespace tapescope::bridge
