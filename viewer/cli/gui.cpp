// gui: hands the options to the window, or runs without one where there is no display.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <fmt/format.h>

#include "viewer/cli/cli.h"
#include "viewer/model/complain.h"
#include "viewer/window/gui.h"

namespace tapescope {
namespace {

struct Options {
  SampleArguments sample;
  GuiOptions gui;
  std::string size;
  bool launch = false;
};

bool has_display() {
  const auto set = [](const char* variable) {
    const char* value = std::getenv(variable);
    return value != nullptr && *value != '\0';
  };
  return set("DISPLAY") || set("WAYLAND_DISPLAY");
}

// Scripts, maps, attachments and recordings side by side need the window, which reports the missing display.
bool needs_window(const GuiOptions& options) {
  return !options.script.empty() || !options.ui_map.empty() || !options.attach.empty() ||
         !options.launch.empty() || !options.job.empty() || options.open.size() > 1;
}

int run_without_window(const GuiOptions& options, SampleArguments sample) {
  if (!options.open.empty()) {
    complain(fmt::format("no display, so the report of {} is printed instead", options.open[0]));
    return print_recording(options.open[0]);
  }
  if (sample.name.empty()) sample.name = "mnist-mlp";  // the first sample of the list
  complain(fmt::format("no display, so sample {} runs headless and prints its report", sample.name));
  sample.variant = options.variant;
  return options.compare.empty() ? run_and_print(sample) : compare_and_print(sample, options.compare);
}

int run(const Options& given) {
  GuiOptions options = given.gui;
  if (given.launch != !options.launch.empty())
    throw UsageError(
        "--launch and a program after -- go together: tapescope gui --launch -- PROGRAM ARGUMENTS");
  if (!given.size.empty()) {
    int width = 0, height = 0, used = 0;
    const int found = std::sscanf(given.size.c_str(), "%dx%d%n", &width, &height, &used);
    constexpr int kLeast = 320, kMost = 16384;  // what a window system takes, and what the panels need
    if (found != 2 || used != static_cast<int>(given.size.size()) || width < kLeast || height < kLeast ||
        width > kMost || height > kMost) {
      throw UsageError(fmt::format("--size got '{}', expected WIDTHxHEIGHT such as 1600x1000", given.size));
    }
    options.width = width;
    options.height = height;
  }
  SampleArguments sample = given.sample;
  if (!sample.name.empty()) {
    sample.variant = options.variant;
    options.options = sample.request().options;  // complains about unknown names
    if (!options.compare.empty()) {
      for (std::size_t begin = 0; begin <= options.compare.size();) {
        const std::size_t end = std::min(options.compare.find(',', begin), options.compare.size());
        sample.variant = options.compare.substr(begin, end - begin);
        sample.request();
        begin = end + 1;
      }
    }
  } else {
    if (!options.variant.empty() || !options.compare.empty()) {
      throw UsageError(
          "--variant and --compare choose among a sample's variants; give --sample NAME as well");
    }
    if (!sample.set.empty()) throw UsageError("--set sets a sample's parameter; give --sample NAME as well");
    options.options.seed = sample.seed;
    options.options.threads = sample.threads;
    options.options.data = sample.data;
    if (sample.steps > 0) options.options.steps = sample.steps;
  }
  options.sample = sample.name;
  if (!has_display() && !needs_window(options)) return run_without_window(options, sample);
  return run_gui(options);
}

}  // namespace

void add_gui_command(CliCommand& root) {
  auto options = std::make_shared<Options>();
  CliCommand command = root.subcommand(
      "gui",
      "open the window; what happens without a command, too; without a display print the sample's report");
  GuiOptions& gui = options->gui;
  command.option("--sample", options->sample.name, "the sample to begin with, see 'tapescope list'");
  const CommandOption variant = command.option("--variant", gui.variant, "which variant of it");
  command.option("--compare", gui.compare, "two variants side by side").type_name("A,B").excludes(variant);
  command.option("--open", gui.open, "a recording to begin with; several of them on one clock")
      .type_name("FILE")
      .one_value_each();
  command
      .option("--attach", gui.attach,
              "a running program to watch, see 'tapescope list --live'; several of them, too")
      .type_name("PID|NAME|PATH|ssh://[USER@]HOST[:PORT]/NAME")
      .one_value_each();
  command
      .option("--job", gui.job,
              "all ranks of a job: those that run and listen, by its name or its program's, or the "
              "recordings of a "
              "folder or of a name such as rank-%r.tape")
      .type_name("NAME");
  command.flag("--launch", options->launch, "start the program after -- and stand before its first op");
  command.takes_program(gui.launch, "with --launch: a program that uses Tapescope's library, or PROGRAM.py");
  command.option("--script", gui.script, "commands to carry out, one a line").type_name("FILE");
  command.option("--ui-map", gui.ui_map, "keep FILE as the JSON map of what is on screen").type_name("FILE");
  command.option("--scale", gui.scale, "of the interface").between(0.75, 3.0);
  command.option("--theme", gui.theme, "colours").one_of({"dark", "light", "contrast"});
  command.option("--size", options->size, "of the window in pixels").type_name("WxH");
  add_run_options(command, options->sample);
  command.option("--steps", options->sample.steps, "training steps; the sample's own number if not given")
      .positive();
  command.run([options] { return run(*options); });
}

}  // namespace tapescope
