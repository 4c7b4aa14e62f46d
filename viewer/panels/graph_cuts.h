// Where the way to a None source breaks: which boxes and wires are green, which are red, and the words for
// it.
#pragma once
#include <span>

#include "viewer/panels/graph_scene.h"

namespace tapescope::ui {

std::vector<CutMark> find_cuts(const GraphPicture& picture, int program, std::span<const GradientRow> rows);

// A reason of design/interfaces.md in a few words for the graph: "no gradient passes here".
std::string_view short_reason(std::string_view reason);

}  // namespace tapescope::ui
