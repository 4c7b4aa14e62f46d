// Repetitions in a sequence: time steps of an unrolled loop, layers that are all alike.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace tapescope {

// `times` copies of `period` elements, the first at `first`; they stand one after the other.
struct Repeat {
  std::uint32_t first = 0, period = 0, times = 0;
  bool operator==(const Repeat&) const = default;
};

// Those of at least `least_times` copies that hold at least `least_elements` together, from the left, without
// overlap. Equal elements have equal values. A copy has at most `longest` elements. Time is linear in
// `elements` for each of the few periods that are tried at an element.
std::vector<Repeat> find_repeats(std::span<const std::uint64_t> elements, std::uint32_t least_times,
                                 std::uint32_t least_elements, std::uint32_t longest);

}  // namespace tapescope
