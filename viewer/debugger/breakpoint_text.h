// Breakpoints as words: what a person types after `break`, and what the window says of them.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "engine/debug/breakpoint.h"
#include "engine/recording/frame_codec.h"

namespace tapescope {

// A kind of breakpoint as people choose it: its word, and what belongs to it.
struct BreakCondition {
  enum class Wants : std::uint8_t { nothing, text, number, share };
  std::string_view word;  // "norm-above"
  Breakpoint::Kind kind;
  Wants wants;             // after the word
  bool of_source = false;  // `source NAME` may follow
  bool of_op = false;      // `op TYPE` may follow
  std::string_view label;  // "a gradient's norm is above"
};
std::span<const BreakCondition> break_conditions();

// As after `break`: "norm-above 1000 source w", "op Log hit 3", "op Log at 21". What parse_break() reads.
std::string text_of(const Breakpoint& breakpoint);
// For people: "a gradient's norm is above 1000".
std::string sentence_of(const Breakpoint& breakpoint);
// Of one that was met, with the hit where it counts them and what was met: "op Sum, hit 3", "a value is not
// finite: 2 of 8 are NaN in the output". `digests` are of the values that the frame lacks.
std::string stop_text(const Breakpoint& hit, const Frame& frame,
                      std::span<const record::PlacedDigest> digests = {});
// What is wrong with `text`; empty when nothing is, and `breakpoint` is what it says.
std::string parse_break(std::string_view text, Breakpoint& breakpoint);

}  // namespace tapescope
