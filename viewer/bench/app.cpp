// app.*: the application as its user has it: time to the first frame, what it costs idle, what looking costs.
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/core/error.h"
#include "viewer/bench/bench.h"

namespace tapescope {
namespace {

using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

// A child process with its output thrown away; ended with its owner.
class Child {
 public:
  Child(std::vector<std::string> arguments, int keep = -1) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    pid_ = fork();
    if (pid_ != 0) return;
    const int nowhere = open("/dev/null", O_RDWR);
    for (int stream = 0; stream < 3; ++stream) dup2(nowhere, stream);
    if (keep >= 0) fcntl(keep, F_SETFD, 0);
    execvp(pointers[0], pointers.data());
    _exit(127);
  }
  ~Child() {
    if (pid_ <= 0) return;
    kill(pid_, SIGTERM);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  pid_t pid() const { return pid_; }
  // True when it ended well.
  bool wait() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t pid_ = -1;
};

// Its own screen where there is none; null when Xvfb is not installed.
std::unique_ptr<Child> start_screen() {
  if (std::getenv("DISPLAY") || std::getenv("WAYLAND_DISPLAY")) return nullptr;
  int ends[2];
  if (pipe(ends) != 0) return nullptr;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  auto server =
      std::make_unique<Child>(std::vector<std::string>{"Xvfb", "-displayfd", std::to_string(ends[1]),
                                                       "-screen", "0", "1600x1000x24", "-noreset"},
                              ends[1]);
  close(ends[1]);
  std::string number;
  for (char c; read(ends[0], &c, 1) == 1 && c != '\n';) number += c;
  close(ends[0]);
  if (number.empty()) return nullptr;
  setenv("DISPLAY", (":" + number).c_str(), 1);
  return server;
}

std::string self() { return fs::read_symlink("/proc/self/exe").string(); }

// Processor seconds a process has used.
double processor_seconds(pid_t pid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string field;
  double total = 0;
  for (int i = 1; i <= 15 && stat >> field; ++i) {
    if (i >= 14) total += std::stod(field);
  }
  return total / static_cast<double>(sysconf(_SC_CLK_TCK));
}

bool wait_for_file(const fs::path& file, double seconds) {
  const auto begin = Clock::now();
  while (seconds_since(begin) < seconds) {
    if (fs::exists(file)) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

std::optional<double> step_median(const fs::path& file) {
  std::ifstream in(file);
  const auto json = nlohmann::json::parse(in, nullptr, false);
  if (!json.is_object() || !json.contains("time") || !json["time"].is_object()) return std::nullopt;
  const auto& median = json["time"]["step"]["median"];
  return median.is_number() ? std::optional(median.get<double>()) : std::nullopt;
}

constexpr int kSteps = 400;

void bench_overhead(const fs::path& folder, std::vector<BenchResult>& rows) {
  const fs::path script = folder / "script", looked = folder / "looked.json", alone = folder / "alone.json";
  std::ofstream(script) << fmt::format("steps {}\nrun\nwait idle 120\nstate {}\nquit\n", kSteps,
                                       looked.string());
  std::vector<double> percents;
  for (int pair = 0; pair < 5; ++pair) {
    Child headless({self(), "run", "mnist-mlp", "--no-events", "--steps", std::to_string(kSteps), "--json",
                    alone.string()});
    const bool ran = headless.wait();
    Child window({self(), "gui", "--sample", "mnist-mlp", "--script", script.string()});
    if (!ran || !window.wait()) continue;
    const auto without = step_median(alone), with = step_median(looked);
    if (without && with) percents.push_back(100 * (*with / *without - 1));
  }
  rows.push_back(
      bench_row("app.overhead", percents, "%", 5,
                "median step of mnist-mlp with the window open and events on, over headless with events "
                "off; five pairs, one after the other"));
}

}  // namespace

std::vector<BenchResult> run_app_bench() {
  std::vector<BenchResult> rows;
  const std::unique_ptr<Child> screen = start_screen();
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY")) {
    for (const char* name : {"app.first_frame", "app.idle", "app.overhead"}) {
      rows.push_back(bench_row(name, {}, "", NAN, "no display, and Xvfb is not installed"));
    }
    return rows;
  }
  std::string pattern = (fs::temp_directory_path() / "tapescope-bench-XXXXXX").string();
  if (!mkdtemp(pattern.data())) {
    throw Error(ErrorKind::surroundings,
                fmt::format("[bench] cannot make a folder at {}; free some space or set TMPDIR", pattern));
  }
  const fs::path folder = pattern;
  std::vector<double> first, idle;
  for (int run = 0; run < 5; ++run) {
    const fs::path map = folder / fmt::format("map{}.json", run);
    const auto begin = Clock::now();
    Child window({self(), "gui", "--sample", "mnist-mlp", "--ui-map", map.string()});
    if (!wait_for_file(map, 20)) continue;
    first.push_back(seconds_since(begin));
    std::this_thread::sleep_for(std::chrono::seconds(1));
    const double before = processor_seconds(window.pid());
    std::this_thread::sleep_for(std::chrono::seconds(2));
    idle.push_back(100 * (processor_seconds(window.pid()) - before) / 2);
  }
  rows.push_back(bench_row("app.first_frame", first, "s", 0.3,
                           "from the start of the process; software rasterizer under Xvfb"));
  rows.push_back(bench_row("app.idle", idle, "% of a core", 1, "two seconds of a window without input"));
  bench_overhead(folder, rows);
  std::error_code ignored;
  fs::remove_all(folder, ignored);
  return rows;
}

}  // namespace tapescope
