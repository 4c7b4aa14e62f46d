// Types of a framework as types of ours.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace tapescope::bridge {

// An open size counts as 1. Dimensions beyond the eighth are folded into it.
std::uint32_t type_id(std::string_view dtype, std::span<const std::int64_t> sizes);
bool is_trainable_type(std::uint32_t type);
bool is_handle_type(std::uint32_t type);

}  // namespace tapescope::bridge
