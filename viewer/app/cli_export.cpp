// export: a sample's or a recording's steps in formats that other programs read.
#include <memory>

#include <fmt/format.h>

#include "viewer/app/cli.h"
#include "viewer/app/export_files.h"
#include "viewer/app/headless.h"
#include "viewer/app/recording.h"
#include "viewer/model/export.h"

namespace tapescope {
namespace {

struct Options {
  SampleArguments sample;
  std::string format, out;
};

// The run's report inside a code block, where its columns stay aligned.
std::string report_markdown(const RunReport& report) {
  return fmt::format("### {} · {}\n\n```\n{}```\n", report.sample, report.variant, run_text(report));
}

int run(const Options& options) {
  const HeadlessRun run = run_or_read(options.sample);
  if (run.failure && !names_recording(options.sample.name)) std::rethrow_exception(run.failure);
  const std::shared_ptr<const Snapshot> snapshot = run.snapshots[0];
  if (!snapshot || !snapshot->complete) {
    throw Error(ErrorKind::surroundings, "no step came to its end, so there is nothing to export; let it run longer");
  }
  std::string text;
  if (options.format == "csv") text = ops_csv(*snapshot->complete);
  if (options.format == "dot") text = graph_dot(*snapshot->complete);
  if (options.format == "perfetto") text = perfetto_json(snapshot->recent);
  if (options.format == "sqlite") text = sqlite_database(run);
  if (options.format == "npy") text = steps_npy(*snapshot);
  if (options.format == "png") text = graph_png(*snapshot->complete);
  if (options.format == "svg") text = graph_svg(*snapshot->complete);
  if (options.format == "markdown") text = report_markdown(report_of(run, 0));
  write_output(options.out, text);
  if (options.out != "-") fmt::print("wrote {} ({} bytes)\n", options.out, text.size());
  return kExitDone;
}

}  // namespace

void add_export_command(Command& root) {
  auto options = std::make_shared<Options>();
  Command command = root.subcommand("export", "write a sample's or a recording's steps for other programs");
  add_sample_arguments(command, options->sample, true, Takes::sample_or_recording);
  command.option("--format", options->format, "of the file")
      .required()
      .one_of({"csv", "dot", "markdown", "npy", "perfetto", "png", "sqlite", "svg"});
  command.option("-o,--output", options->out, "the file; '-' is standard output").required().type_name("OUT");
  command.run([options] { return run(*options); });
}

}  // namespace tapescope
