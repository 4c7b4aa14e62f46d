// The command line: subcommands, their options, and the exit codes that scripts rely on.
#include "viewer/cli/cli.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <new>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/recording/environment.h"
#include "viewer/debugger/headless.h"
#include "viewer/debugger/recording.h"
#include "viewer/model/complain.h"

namespace tapescope {
namespace {

// Letters to change, add or drop to get from one to the other.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t corner = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] == b[j - 1] ? 0 : 1)});
      corner = above;
    }
  }
  return row[b.size()];
}

int code_of(const Error& error) {
  switch (error.kind()) {
    case ErrorKind::surroundings: return kExitSurroundings;
    case ErrorKind::value: return kExitArguments;
    default: return kExitInternal;
  }
}

constexpr const char* kNoMemory =
    "no memory is left; end other programs, or open fewer or smaller recordings";

std::terminate_handler g_terminate = nullptr;  // that was there before

// Documents take memory while they are destroyed (nlohmann::json keeps a list of what is left to do), so that
// an exception which leaves a scope of them meets a second one.
[[noreturn]] void end_at_exception() {
  try {
    if (std::current_exception()) throw;
  } catch (const std::bad_alloc&) {
    complain(kNoMemory);
    std::_Exit(kExitSurroundings);
  } catch (...) {
  }
  if (g_terminate) g_terminate();
  std::abort();
}

}  // namespace

std::string nearest(std::string_view given, const std::vector<std::string>& known) {
  std::string best;
  std::size_t least = given.size() / 3 + 2;  // more letters apart than that is another word
  for (const std::string& name : known) {
    const std::size_t apart = given.size() > 2 && name.starts_with(given) ? 1 : distance(given, name);
    if (apart < least) {
      least = apart;
      best = name;
    }
  }
  return best;
}

void write_output(const std::string& path, const std::string& text) {
  if (path == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
    return;
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    throw Error(
        ErrorKind::surroundings,
        fmt::format("cannot write {}; give a path in a folder that exists and can be written to", path));
  }
}

void add_sample_arguments(CliCommand& command, SampleArguments& arguments, bool with_variant, Takes takes) {
  if (takes == Takes::sample) {
    command.option("sample", arguments.name, "name of the sample, see 'tapescope list'").required();
  } else if (takes == Takes::recordings_of_job) {
    command
        .option("sample", arguments.names,
                "name of the sample, see 'tapescope list', or a recording, or those of all ranks of one job; "
                "'-' is "
                "standard input")
        .type_name("NAME|FILE...");
  } else {
    command
        .option("sample", arguments.name,
                "name of the sample, see 'tapescope list', or a recording; '-' is standard input")
        .type_name("NAME|FILE");
  }
  if (with_variant)
    command.option("--variant", arguments.variant, "which variant; the first one if not given");
  add_run_options(command, arguments);
  command.option("--steps", arguments.steps, "training steps; the sample's own number if not given")
      .positive();
}

void add_run_options(CliCommand& command, SampleArguments& arguments) {
  command.option("--seed", arguments.seed, "of random numbers").show_default();
  command.option("--threads", arguments.threads, "for large kernels").between(1, 256).show_default();
  command.option("--data", arguments.data, "folder of the sample's data files");
  command.option("--set", arguments.set, "PARAMETER=VALUE, see 'tapescope list'; may be repeated")
      .type_name("PARAMETER=VALUE")
      .one_value_each();
}

HeadlessRun run_or_read(const SampleArguments& arguments, bool output_is_complaint) {
  const bool program = !arguments.program.words.empty();
  if (arguments.name.empty() && !program)
    throw UsageError("nothing to look at; give a sample's name, a recording, or -- PROGRAM ARGUMENTS");
  if (program && !arguments.name.empty())
    throw UsageError(
        fmt::format("both {} and a program after -- are given; give one of them", arguments.name));
  if (!program && !names_recording(arguments.name)) return run_headless(arguments.request());
  const SampleArguments none;
  if (!arguments.variant.empty() || !arguments.data.empty() || !arguments.set.empty() ||
      arguments.steps != 0 || arguments.seed != none.seed || arguments.threads != none.threads) {
    throw UsageError(
        program ? std::string("options of samples do not reach a program; write the program's after its name")
                : fmt::format("{} is a recording, which is as it was made; options are for running a sample",
                              arguments.name));
  }
  return program ? run_recorded(arguments.program, output_is_complaint) : read_recording(arguments.name);
}

bool SampleArguments::of_elsewhere() const { return !program.words.empty() || names_recording(name); }

RunRequest SampleArguments::request() const {
  std::vector<std::string> names;
  const SampleInfo* info = nullptr;
  for (const SampleInfo& sample : sample_registry()) {
    names.push_back(sample.name);
    if (sample.name == name) info = &sample;
  }
  const auto unknown = [](std::string_view what, std::string_view given,
                          const std::vector<std::string>& known, std::string_view otherwise) {
    const std::string near = nearest(given, known);
    return UsageError(near.empty() ? fmt::format("{} '{}'; {}", what, given, otherwise)
                                   : fmt::format("{} '{}'; did you mean '{}'?", what, given, near));
  };
  if (!info) throw unknown("there is no sample", name, names, "'tapescope list' names them all");
  if (!variant.empty() &&
      std::find(info->variants.begin(), info->variants.end(), variant) == info->variants.end()) {
    throw unknown(fmt::format("sample {} has no variant", name), variant, info->variants,
                  fmt::format("it has {}", fmt::join(info->variants, ", ")));
  }
  RunRequest request;
  request.sample = name;
  request.options.variant = variant;
  request.options.seed = seed;
  request.options.threads = threads;
  request.options.data = data;
  if (steps > 0) request.options.steps = steps;
  for (const std::string& text : set) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError(fmt::format("--set got '{}', expected PARAMETER=VALUE such as --set batch=32", text));
    }
    const std::string parameter = text.substr(0, equals);
    std::vector<std::string> parameters;
    for (const SampleParameter& known : info->parameters) parameters.push_back(known.name);
    if (std::find(parameters.begin(), parameters.end(), parameter) == parameters.end()) {
      throw unknown(fmt::format("sample {} has no parameter", name), parameter, parameters,
                    parameters.empty() ? std::string("it has none")
                                       : fmt::format("it has {}", fmt::join(parameters, ", ")));
    }
    request.options.parameters[parameter] = text.substr(equals + 1);
  }
  return request;
}

// Every command, in the order of the help. Each is defined in a file of this folder.
using AddCommand = void(CliCommand& root);
AddCommand add_gui_command, add_list_command, add_run_command, add_record_command, add_python_command,
    add_compare_command, add_explain_command, add_check_command, add_report_command, add_export_command,
    add_doctor_command, add_recover_command, add_bench_command;

void add_commands(CliCommand& root) {
  for (AddCommand* const add :
       {add_gui_command, add_list_command, add_run_command, add_record_command, add_python_command,
        add_compare_command, add_explain_command, add_check_command, add_report_command, add_export_command,
        add_doctor_command, add_recover_command, add_bench_command})
    add(root);
}

int run_cli(int argc, const char* const* argv, const std::string& commit) {
  if (!g_terminate) g_terminate = std::set_terminate(end_at_exception);
  try {
    return parse_command_line(argc, argv, version_text(commit));
  } catch (const UsageError& error) {
    complain(error.what());
    return kExitArguments;
  } catch (const Error& error) {
    complain(error.what());
    return code_of(error);
  } catch (const std::bad_alloc&) {
    complain(kNoMemory);
    return kExitSurroundings;
  } catch (const std::exception& error) {
    complain(
        fmt::format("internal error: {}; please report it with the command that led here", error.what()));
    return kExitInternal;
  }
}

}  // namespace tapescope

// TAPESCOPE_RECORD is for programs that know nothing of recordings; `run` takes it as --record.
extern "C" void tapescope_has_its_own_sessions() {}
