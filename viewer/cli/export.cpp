// export: a sample's or a recording's steps in formats that other programs read.
#include <memory>

#include <fmt/format.h>

#include "viewer/cli/cli.h"
#include "viewer/debugger/headless.h"
#include "viewer/debugger/recording.h"
#include "viewer/export/export.h"
#include "viewer/export/files.h"
#include "viewer/export/formats.h"
#include "viewer/export/job_trace.h"

namespace tapescope {
namespace {

struct Options {
  SampleArguments sample;
  std::string format, out;
  std::vector<std::string> with;
};

int write(const Options& options, const std::string& text) {
  write_output(options.out, text);
  if (options.out != "-") fmt::print("wrote {} ({} bytes)\n", options.out, text.size());
  return kExitDone;
}

int run(const Options& options) {
  if (!options.with.empty()) {
    if (options.format != "perfetto")
      throw UsageError("--with puts several processes into one trace; give it with --format perfetto");
    std::vector<std::string> recordings = {options.sample.name};
    recordings.insert(recordings.end(), options.with.begin(), options.with.end());
    return write(options, perfetto_json(job_traces(recordings)));
  }
  // A recording's trace holds all of its steps.
  if (options.format == "perfetto" && names_recording(options.sample.name) && options.sample.name != "-")
    return write(options, perfetto_json(job_traces({options.sample.name})));
  const HeadlessRun run = run_or_read(options.sample);
  if (run.failure && !names_recording(options.sample.name)) std::rethrow_exception(run.failure);
  const std::shared_ptr<const Snapshot> snapshot = run.snapshots[0];
  if (!snapshot || !snapshot->complete) {
    throw Error(ErrorKind::surroundings,
                "no step came to its end, so there is nothing to export; let it run longer");
  }
  return write(options, exported(options.format, run));
}

}  // namespace

void add_export_command(CliCommand& root) {
  auto options = std::make_shared<Options>();
  CliCommand command =
      root.subcommand("export", "write a sample's or a recording's steps for other programs");
  add_sample_arguments(command, options->sample, true, Takes::sample_or_recording);
  command.option("--format", options->format, "of the file")
      .required()
      .one_of(std::vector<std::string>(export_formats().begin(), export_formats().end()));
  command
      .option("--with", options->with,
              "recordings of other processes of the machine or the job, for one perfetto trace on one clock")
      .type_name("FILE");
  command.option("-o,--output", options->out, "the file; '-' is standard output").required().type_name("OUT");
  command.run([options] { return run(*options); });
}

}  // namespace tapescope
