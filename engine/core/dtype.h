// Element types, their sizes and names.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

// `resource` is the type of a variable's handle: it has no elements, only an identity.
enum class DType : std::uint8_t { f32, f64, f16, bf16, i32, i64, boolean, resource };
inline constexpr int kDTypeCount = 8;

// Bytes of one element; 0 for resource.
constexpr std::size_t size_of(DType type) {
  constexpr std::size_t kSizes[kDTypeCount] = {4, 8, 2, 2, 4, 8, 1, 0};
  return kSizes[static_cast<int>(type)];
}

// TensorFlow's names: "float32", "float64", "float16", "bfloat16", "int32", "int64", "bool", "resource".
std::string_view name_of(DType type);
// The type of that name; throws ValueError for a name that is none.
DType dtype_named(std::string_view name);

constexpr bool is_floating(DType type) { return type <= DType::bf16; }
constexpr bool is_half(DType type) { return type == DType::f16 || type == DType::bf16; }
constexpr bool is_integer(DType type) { return type == DType::i32 || type == DType::i64; }
// What a tape follows: floating types and variables' handles (TensorFlow's trainable dtypes).
constexpr bool is_trainable(DType type) { return is_floating(type) || type == DType::resource; }

}  // namespace tapescope
