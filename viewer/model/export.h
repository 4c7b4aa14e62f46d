// A step's tables in formats that other programs read.
#pragma once
#include <string>

#include "viewer/store/snapshot.h"

namespace tapescope {

// One line an op with a header; texts are quoted where they must be (RFC 4180).
std::string ops_csv(const StepView& view);
// The graph for Graphviz: forward ops, their backward ops beside them, variables as leaves; scopes as clusters.
std::string graph_dot(const StepView& view);
// The Trace Event Format that ui.perfetto.dev and chrome://tracing open: one slice an op, a track a thread.
std::string perfetto_json(const std::vector<std::shared_ptr<const StepView>>& steps);

}  // namespace tapescope
