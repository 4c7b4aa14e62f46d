// The formats that a run is exported in, by name.
#pragma once
#include <span>
#include <string>
#include <string_view>

namespace tapescope {
struct HeadlessRun;

// "csv", "dot", "markdown", "npy", "perfetto", "png", "sqlite", "svg"
std::span<const std::string_view> export_formats();

// The run in that format: what the file holds. Its last complete step has to be there; a trace for Perfetto
// has the steps of Snapshot::recent.
std::string exported(std::string_view format, const HeadlessRun& run);

}  // namespace tapescope
