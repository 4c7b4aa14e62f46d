// compare: two variants of a sample, their steps interleaved.
#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "viewer/cli/cli.h"
#include "viewer/debugger/headless.h"
#include "viewer/debugger/recording.h"
#include "viewer/export/report_json.h"
#include "viewer/model/complain.h"

namespace tapescope {
namespace {

struct Options {
  SampleArguments sample;
  std::string other;  // the second recording
  std::string variants;
  std::string json;
  bool markdown = false;
  bool no_events = false;
};

// A sample that takes one step is repeated, else there is no interval; a long training is cut short.
constexpr std::uint64_t kLeastSteps = 40, kMostSteps = 1000;

// The two variants; a variant may meet itself.
void choose_variants(const Options& options, RunRequest& request) {
  const SampleInfo& info = find_sample(request.sample);
  if (options.variants.empty()) {
    if (info.variants.size() < 2) {
      throw UsageError(
          fmt::format("sample {} has the variant {} alone; --variants {},{} compares it with itself",
                      info.name, info.variants[0], info.variants[0], info.variants[0]));
    }
    request.options.variant = info.variants[0];
    request.compare_with = info.variants[1];
    return;
  }
  const std::size_t comma = options.variants.find(',');
  if (comma == std::string::npos || options.variants.find(',', comma + 1) != std::string::npos) {
    throw UsageError(fmt::format("--variants got '{}', expected two of {} with a comma between",
                                 options.variants, fmt::join(info.variants, ", ")));
  }
  request.options.variant = options.variants.substr(0, comma);
  request.compare_with = options.variants.substr(comma + 1);
  for (const std::string& variant : {request.options.variant, request.compare_with}) {
    SampleArguments one = options.sample;
    one.variant = variant;
    if (variant.empty())
      throw UsageError(fmt::format("--variants got '{}', expected two names", options.variants));
    one.request();  // complains with the nearest name
  }
}

int print(const Options& options, const Comparison& comparison) {
  if (options.markdown) {
    write_output("-", comparison_markdown(comparison));
  } else if (options.json != "-") {
    write_output("-", comparison_text(comparison));
  }
  if (!options.json.empty()) write_output(options.json, json_text(json_of(comparison)));
  return comparison.same_loss && comparison.same_gradients ? kExitDone : kExitFired;
}

// What was not seen to its end is not certified to be the same.
int print_recorded(const Options& options, const HeadlessRun& a, const HeadlessRun& b) {
  const int code = print(options, compare_recordings(a, b));
  if (a.ending.well() && b.ending.well()) return code;
  for (const HeadlessRun* run : {&a, &b}) {
    if (!run->ending.well())
      complain(fmt::format("cannot say whether all is the same: {}: {}", run->request.sample,
                           sentence_of(run->ending)));
  }
  return kExitFired;
}

int compare_files(const Options& options) {
  if (!options.variants.empty() || options.no_events) {
    throw UsageError(
        "--variants and --no-events are for running a sample; two recordings are compared as they are");
  }
  const HeadlessRun a = run_or_read(options.sample);
  SampleArguments second;
  second.name = options.other;
  if (!names_recording(second.name))
    throw UsageError(fmt::format("{} is no recording; give two of them", second.name));
  return print_recorded(options, a, run_or_read(second));
}

// `A ARGUMENTS -- B ARGUMENTS`: one after the other, as they would run without us.
int compare_programs(const Options& options) {
  const auto& words = options.sample.program.words;
  const auto dashes = std::find(words.begin(), words.end(), "--");
  ProgramArguments a = options.sample.program, b = a;
  a.words.assign(words.begin(), dashes);
  b.words.assign(dashes == words.end() ? dashes : dashes + 1, words.end());
  if (a.words.empty() || b.words.empty())
    throw UsageError(
        "one program stands after --; compare takes two: tapescope compare -- A ARGUMENTS -- B ARGUMENTS");
  if (!options.sample.name.empty() || !options.other.empty() || !options.variants.empty() ||
      options.no_events)
    throw UsageError(
        "samples, recordings and their options do not go with programs after --; give one of them");
  const bool quiet = options.json == "-";
  const HeadlessRun first = run_recorded(a, quiet), second = run_recorded(b, quiet);
  return print_recorded(options, first, second);
}

int run(const Options& options) {
  if (!options.sample.program.words.empty()) return compare_programs(options);
  if (options.sample.name.empty())
    throw UsageError(
        "nothing to compare; give a sample's name, two recordings, or -- A ARGUMENTS -- B ARGUMENTS");
  if (names_recording(options.sample.name)) {
    if (options.other.empty())
      throw UsageError(
          fmt::format("{} is one recording; give a second one to compare it with", options.sample.name));
    return compare_files(options);
  }
  if (!options.other.empty())
    throw UsageError(
        fmt::format("{} is a sample; its variants are compared with --variants A,B", options.sample.name));
  RunRequest request = options.sample.request();
  request.events = !options.no_events;
  choose_variants(options, request);
  if (!request.options.steps) {
    request.options.steps =
        static_cast<std::int64_t>(std::clamp(default_steps_of(request), kLeastSteps, kMostSteps));
  }
  const HeadlessRun run = run_headless(request);
  if (run.interrupted)
    fmt::print(stderr, "tapescope: stopped after {} steps; the comparison covers those.\n", run.steps);
  if (run.failure) std::rethrow_exception(run.failure);
  return print(options, comparison_of(run));
}

}  // namespace

int compare_and_print(const SampleArguments& sample, const std::string& variants) {
  Options options;
  options.sample = sample;
  options.variants = variants;
  return run(options);
}

void add_compare_command(CliCommand& root) {
  auto options = std::make_shared<Options>();
  CliCommand command = root.subcommand(
      "compare", "run two variants side by side, or compare two recordings; exit with 1 when results differ");
  add_sample_arguments(command, options->sample, false, Takes::sample_or_recording);
  add_program_arguments(
      command, options->sample.program,
      "runs two programs, or one with two sets of arguments: -- A ARGUMENTS -- B ARGUMENTS");
  command.option("other", options->other, "a second recording, where the first is one").type_name("FILE");
  command.option("--variants", options->variants, "which two; the first two if not given").type_name("A,B");
  const CommandOption json =
      command
          .option("--json", options->json,
                  "write the JSON document to FILE; '-' is standard output, and nothing else")
          .type_name("FILE");
  command.flag("--markdown", options->markdown, "print a table for an issue or a pull request")
      .excludes(json);
  command.flag("--no-events", options->no_events, "listen to nothing: step times and results alone");
  command.run([options] { return run(*options); });
}

}  // namespace tapescope
