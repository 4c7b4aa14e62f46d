// One line a format.
#include "viewer/export/formats.h"

#include <array>

#include <fmt/format.h>

#include "viewer/debugger/headless.h"
#include "viewer/export/export.h"
#include "viewer/export/files.h"

namespace tapescope {
namespace {

constexpr std::array<std::string_view, 8> kFormats = {"csv",      "dot", "markdown", "npy",
                                                      "perfetto", "png", "sqlite",   "svg"};

}  // namespace

std::span<const std::string_view> export_formats() { return kFormats; }

std::string exported(std::string_view format, const HeadlessRun& run) {
  const Snapshot& snapshot = *run.snapshots[0];
  if (format == "csv") return ops_csv(*snapshot.complete);
  if (format == "dot") return graph_dot(*snapshot.complete);
  if (format == "perfetto")
    return perfetto_json({{.step_base = snapshot.step_base, .steps = snapshot.recent}});
  if (format == "sqlite") return sqlite_database(run);
  if (format == "npy") return steps_npy(snapshot);
  if (format == "png") return graph_png(*snapshot.complete);
  if (format == "svg") return graph_svg(*snapshot.complete);
  return report_markdown(report_of(run, 0));
}

}  // namespace tapescope
