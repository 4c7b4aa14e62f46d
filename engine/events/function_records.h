// What the flags and words of function records mean.
//
// function_made opens a function; a function_call follows for each call, and, when that call was traced, one
// trace_argument for each argument and each item of a structure, parents before items, as "x", "x[0]",
// "x['key']". A trace that another one repeats at once (variables were made in the first) is a record of its
// own with kRepeated. While it is traced a tensor_name with y != 0 tells each parameter: x = the symbol or
// handle that stands for it in the trace, y = its place among the call's inputs, from 1, h = how many traces
// and batches were open. One with kResultPlace in y tells what the trace returns, likewise by place. A
// function_end follows where the call ran to its end; a call inside a trace adds nodes and has none.
//
// A graph is optimized when it first runs, which leaves an account: a graph_pass of round 0 names the graph,
// then comes a graph_pass for each pass, followed by the rewrites it made.
#pragma once
#include <bit>
#include <cstdint>

namespace tapescope {

// tensor_name: in y. kValueOf | handle: x holds the value of that variable, which no op read.
inline constexpr std::uint64_t kResultPlace = std::uint64_t{1} << 62;
inline constexpr std::uint64_t kValueOf = std::uint64_t{1} << 63;
// backward_step: a = 1 if the op's gradient is one that the program gave.
// variable: in z. The variable was made before; its trainable flag is set at that site.
inline constexpr std::uint64_t kTrainableSet = std::uint64_t{1} << 63;

struct FunctionFlags {
  static constexpr std::uint8_t kRelaxes = 1;    // reduce_retracing
  static constexpr std::uint8_t kSignature = 2;  // an input signature was given
  static constexpr std::uint8_t kCompiled = 4;
  static constexpr std::uint8_t kLibrary = 8;  // made by a library, not by the program's author
};

struct FunctionCallFlags {
  static constexpr std::uint8_t kTraced = 1;
  static constexpr std::uint8_t kNested = 2;     // called while another function was traced
  static constexpr std::uint8_t kNotCalled = 4;  // a concrete function was asked for; nothing ran
  static constexpr std::uint8_t kRepeated = 8;   // the second trace of a call whose first one made variables
  static constexpr std::uint8_t kConcrete =
      16;  // of a concrete function: neither counted nor a cause of traces
  // Told, with its arguments, to who began to listen after the call, among what lasts: with kTraced and
  // kNotCalled.
  static constexpr std::uint8_t kEarlier = 32;
};

// gradient_ask: its flags. h of gradient_ask and function_call = how many traces and batches were open on the
// thread: what was asked deeper than a call is recorded belongs to the call's trace.
struct GradientAskFlags {
  static constexpr std::uint8_t kZero = 1;   // unconnected sources get zeros
  static constexpr std::uint8_t kPrune = 2;  // the walk is confined to what lies between target and sources
  static constexpr std::uint8_t kTraced =
      4;  // asked while a function was traced: its answers are nodes of the graph
};

// trace_argument: x = words of the trace's key | words of this call's argument << 32, which differ where a
// shape was relaxed; y = type of the call's tensor, or kNoArgumentType | alias << 32, the index of the first
// variable argument that is the same variable; a tensor's words are its shape alone.
inline constexpr std::uint32_t kNoArgumentType = ~std::uint32_t{0};

// function_end: x = ticks at its end, y = nodes that ran | ticks it took << 32, saturating.

// graph_pass of round 0: b = the graph's name ("__backward_f"), x = function's id | trace's id << 32. Of the
// other rounds: b = the pass's name, x = nodes before | after << 32; y = bytes read and written and z =
// FLOPs, before and after, each half a float (what a graph moves can exceed 32 bits).
inline constexpr std::uint16_t kHeadingRound = 0;
// In a of such a heading: no graph that ran, but the trace itself, with y nodes; the loops that it unrolled
// follow.
inline constexpr std::uint8_t kTraceHeading = 2;

inline std::uint64_t float_halves(double low, double high) {
  return std::bit_cast<std::uint32_t>(static_cast<float>(low)) |
         static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(static_cast<float>(high))) << 32;
}
inline double low_float(std::uint64_t halves) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(halves));
}
inline double high_float(std::uint64_t halves) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(halves >> 32));
}

// rewrite: a = RewriteKind; or kRecomputationHint, nothing was changed: x = the op whose large value could be
// computed again instead of kept, z = bytes that would not be kept, then FLOPs that would be spent again, as
// float halves.
inline constexpr std::uint8_t kRecomputationHint = 3;
// Nor here: y = the site of a loop's first node, x = its op, z = rounds | nodes of all rounds << 32.
inline constexpr std::uint8_t kUnrolledLoop = 4;

}  // namespace tapescope
