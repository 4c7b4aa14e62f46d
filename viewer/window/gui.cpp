// Puts the window, the workbench and the script together.
#include "viewer/window/gui.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "engine/data/files.h"
#include "viewer/debugger/descriptor_limit.h"
#include "viewer/model/complain.h"
#include "viewer/window/kept_roof.h"
#include "viewer/window/script.h"
#include "viewer/window/settings.h"
#include "viewer/window/window.h"
#include "viewer/window/workbench.h"

namespace tapescope {
namespace {

constexpr int kUnusableArguments = 2, kUnusableSurroundings = 3;  // design/interfaces.md

int complain(const std::string& sentence, int code) {
  fmt::print(stderr, "tapescope: {}\n", sentence);
  return code;
}

// Each block of this size has a separate mapping, which goes back to the system when it is freed. By default
// the allocator raises the size to that of the largest block it ever freed; blocks of megabytes then come
// from the heap, whose holes grow for as long as a window watches a training.
void keep_large_blocks_out_of_heap() {
#ifdef M_MMAP_THRESHOLD
  constexpr int kOwnMapping = 128 << 10;
  mallopt(M_MMAP_THRESHOLD, kOwnMapping);
#endif
}

// The sample that shows most of what the tool can do is the one that is ready at the start.
constexpr std::string_view kFirstSample = "mnist-mlp";

RunRequest first_request(const GuiOptions& options) {
  RunRequest request;
  request.options = options.options;
  request.sample = options.sample;
  if (request.sample.empty()) {
    const auto& all = sample_registry();
    for (const SampleInfo& info : all) {
      if (info.name == kFirstSample) request.sample = info.name;
    }
    if (request.sample.empty() && !all.empty()) request.sample = all.front().name;
  }
  request.options.variant = options.variant;
  if (!options.compare.empty()) {
    const std::size_t comma = options.compare.find(',');
    if (comma == std::string::npos) {
      fail(ErrorKind::value, "compare", "`" + options.compare + "` is no pair; expected two variants as A,B");
    }
    request.options.variant = options.compare.substr(0, comma);
    request.compare_with = options.compare.substr(comma + 1);
  }
  return request;
}

}  // namespace

int run_gui(const GuiOptions& options) {
  keep_large_blocks_out_of_heap();
  raise_descriptor_limit();
  ui::Settings settings = ui::load_settings(ui::settings_path());
  const ui::Settings kept = settings;
  if (options.scale > 0)
    settings.scale = std::clamp(static_cast<float>(options.scale), ui::kLeastScale, ui::kMostScale);
  if (!options.theme.empty() && !ui::parse_theme(options.theme, settings.theme)) {
    return complain("there is no theme `" + options.theme + "`; there are dark, light and contrast",
                    kUnusableArguments);
  }
  if (!options.sample.empty() &&
      !(options.open.empty() && options.attach.empty() && options.launch.empty() && options.job.empty())) {
    return complain(
        "--sample says what to show, and so do --open, --attach, --job and --launch; give one of them, or "
        "several "
        "of "
        "the latter",
        kUnusableArguments);
  }
  if (options.width > 0) settings.width = options.width;
  if (options.height > 0) settings.height = options.height;

  if (std::getenv("NO_MOTION") != nullptr) settings.reduce_motion = true;

  std::vector<ui::ScriptLine> lines;
  if (!options.script.empty()) {
    try {
      const auto bytes = read_file(options.script, "check the path of the script");
      lines = ui::parse_script(std::string(bytes.begin(), bytes.end()));
    } catch (const Error& error) {
      return complain(error.what(), kUnusableSurroundings);
    }
  }

  RunRequest request;
  try {
    request = first_request(options);
    if (!request.sample.empty()) checked_options(find_sample(request.sample), request.options);
  } catch (const Error& error) {
    return complain(error.what(),
                    error.kind() == ErrorKind::surroundings ? kUnusableSurroundings : kUnusableArguments);
  }

  try {
    ui::Window window({.width = settings.width, .height = settings.height, .scale = settings.scale});
    ui::Workbench workbench(settings, window, [&window] { window.wake(); });
    // A window that a script drives leaves no traces.
    if (options.script.empty()) workbench.roof_kept_in = ui::roof_path();
    if (!request.sample.empty()) workbench.load(request);
    const auto where = [&] {
      return workbench.debuggee.untouched() ? ui::Debuggee::Where::instead : ui::Debuggee::Where::beside;
    };
    if (!options.launch.empty()) {
      Launch launch;
      launch.words = options.launch;
      workbench.launch(std::move(launch), where());
      workbench.await_launched();
    }
    for (const std::string& recording : options.open) workbench.open(recording, where());
    for (const std::string& program : options.attach) workbench.attach(program, where());
    if (!options.job.empty()) workbench.open_job(options.job);
    ui::InputQueue input;
    std::unique_ptr<ui::ScriptRunner> script;
    if (!options.script.empty())
      script = std::make_unique<ui::ScriptRunner>(std::move(lines), workbench, input);
    const int code = window.loop(workbench, script.get(), input, options.ui_map);

    // What the command line asked for once is not for the next time.
    ui::Settings now = workbench.settings;
    if (options.scale > 0 && now.scale == settings.scale) now.scale = kept.scale;
    if (!options.theme.empty() && now.theme == settings.theme) now.theme = kept.theme;
    if (now.reduce_motion == settings.reduce_motion) now.reduce_motion = kept.reduce_motion;
    now.width = options.width > 0 ? kept.width : window.width();
    now.height = options.height > 0 ? kept.height : window.height();
    if (options.script.empty() && now != kept) ui::save_settings(ui::settings_path(), now);
    return code;
  } catch (const Error& error) {
    return complain(error.what(),
                    error.kind() == ErrorKind::surroundings ? kUnusableSurroundings : kUnusableArguments);
  }
}

}  // namespace tapescope
