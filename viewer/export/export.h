// A step's tables in formats that other programs read.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "viewer/store/snapshot.h"

namespace tapescope {

// One line an op with a header; texts are quoted where they must be (RFC 4180).
std::string ops_csv(const StepView& view);
// The graph for Graphviz: forward ops, their backward ops beside them, variables as leaves; scopes as
// clusters.
std::string graph_dot(const StepView& view);

struct ProcessTrace {
  std::uint64_t pid = 1;
  std::string name;             // empty: unknown
  double offset_us = 0;         // from the first event of all processes to its own
  std::uint64_t step_base = 0;  // Snapshot::step_base
  std::vector<std::shared_ptr<const StepView>> steps;
};
// The Trace Event Format that ui.perfetto.dev and chrome://tracing open: one slice an op, a track a thread, a
// group of them a process.
std::string perfetto_json(const std::vector<ProcessTrace>& processes);

}  // namespace tapescope
