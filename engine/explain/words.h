// How explanations call things: by the program's names and lines.
#pragma once
#include <string>

#include "engine/explain/breaks.h"

namespace tapescope {

// Whether it is a line of the standard library: containers and std::make_unique construct in its functions.
bool is_of_standard_library(SiteId site);
std::string place_text(SiteId site);  // "derivative.cpp:12"; empty for an unknown place

// "variable 'w'", "tensor 'x'", "the result of Mul at derivative.cpp:12", "the tensor made at
// derivative.cpp:9"
std::string tensor_text(const History& history, TensorId tensor);
// With the line it was made on: "variable 'w' (derivative.cpp:7)".
std::string tensor_with_line(const History& history, TensorId tensor);
// Short enough to stand in a call: "w", "x", else "that tensor".
std::string short_name(const History& history, TensorId tensor);
// "Mul at derivative.cpp:12"; a tensor's given name goes in front: "'loss' = Mul at derivative.cpp:12".
std::string op_text(const History& history, const HistoryOp& op);
// "the tape opened at derivative.cpp:10"
std::string tape_text(const History& history, TapeId tape);

PathItem item_of(const History& history, const HistoryOp& op);
// For a tensor without an op: `op` is "Variable" or "Const".
PathItem item_of_leaf(const History& history, TensorId tensor);

// Fills in message and fix from reason, location and edge. `cut` has the rest.
void describe(const Asked& asked, const Break& cut, Explanation& explanation);

}  // namespace tapescope
