// One thread looks for the program's socket and for its end.
#include "viewer/debugger/launcher.h"

#include <sys/wait.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/live/place.h"

namespace tapescope {
namespace {

using Clock = std::chrono::steady_clock;

// Python and what it imports may come from a slow disk.
constexpr auto kPatience = std::chrono::seconds(20), kPatienceWithPython = std::chrono::seconds(120);
constexpr auto kBetweenLooks = std::chrono::milliseconds(5);

bool has_ended(pid_t process) {
  siginfo_t how{};
  // Leaves it to be waited for by its owner.
  return waitid(P_PID, static_cast<id_t>(process), &how, WEXITED | WNOHANG | WNOWAIT) != 0 || how.si_pid != 0;
}

}  // namespace

Launcher::~Launcher() { end(); }

void Launcher::start(Launch launch) {
  end();
  launch.waits_for_window = true;
  launch.passes_signals_on = false;  // those of the terminal reach both
  launch.wake_with_output = wake_;
  program_ = std::make_unique<LaunchedProgram>(launch);
  launch_ = std::move(launch);
  output_ = {.version = output_.version + 1};
  socket_ = live::socket_path(live::socket_folder(true), program_->process());
  since_ = Clock::now();
  limit_ = since_ + (is_python_program(launch_.words) ? kPatienceWithPython : kPatience);
  starts_ = true;
  watch_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

void Launcher::watch(const std::stop_token& stop) {
  while (!stop.stop_requested() && !std::filesystem::exists(socket_) && !has_ended(program_->process()) &&
         Clock::now() < limit_)
    std::this_thread::sleep_for(kBetweenLooks);
  wake_();
}

double Launcher::seconds() const { return std::chrono::duration<double>(Clock::now() - since_).count(); }

std::string Launcher::arrived() {
  if (!starts_) return {};
  std::error_code none;
  if (std::filesystem::exists(socket_, none)) {
    starts_ = false;
    return socket_;
  }
  const bool ended = program_->ended();
  if (!ended && Clock::now() < limit_) return {};
  starts_ = false;
  const std::string program = launch_.words[0];
  const int code = ended ? program_->exit_code() : 0;
  end();
  // Python's own sentence stands in what it wrote.
  const bool wrote = is_python_program(launch_.words) && code != 0;
  throw Error(ErrorKind::surroundings,
              wrote
                  ? fmt::format("{} ended with exit code {} before it could be attached to; the log has what "
                                "it wrote",
                                program, code)
                  : fmt::format("{} {} before it could be attached to; link tapescope::engine into it, or "
                                "give a Python program as PROGRAM.py",
                                program, ended ? "ended" : "did not listen"));
}

std::string Launcher::await() {
  while (starts_) {
    if (std::string socket = arrived(); !socket.empty()) return socket;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return {};
}

void Launcher::end() {
  starts_ = false;
  watch_ = {};
  if (!program_) return;
  program_->end();
  take_output(nullptr);
  program_.reset();
}

void Launcher::release() {
  watch_ = {};
  if (program_) program_->release();
  program_.reset();
}

void Launcher::take_output(const Snapshot* program) {
  if (program_ && program_->output() != nullptr) {
    OutputLine open;
    std::vector<OutputLine> lines = program_->output()->take_lines(open);
    if (!lines.empty() || open.text != output_.open.text) ++output_.version;
    // Until its step is found, a line has that of the one before it.
    const std::uint64_t step = output_.lines.empty() ? 0 : output_.lines.back().step;
    output_.open = std::move(open);
    output_.open.step = step;
    for (OutputLine& line : lines) output_.lines.push_back({line.at, step, std::move(line.text)});
    if (output_.lines.size() > kMostOutputLines) {
      const std::size_t surplus = output_.lines.size() - kMostOutputLines / 2;
      const auto first_kept = output_.lines.begin() + static_cast<std::ptrdiff_t>(surplus);
      output_.lines.erase(output_.lines.begin(), first_kept);
      output_.lost += surplus;
      output_.placed -= std::min(output_.placed, surplus);
    }
  }
  if (program != nullptr) place_lines(output_, *program);
}

}  // namespace tapescope
