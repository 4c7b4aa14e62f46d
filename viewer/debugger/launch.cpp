// Programs by posix_spawn, and the signals that are passed on to them.
#include "viewer/debugger/launch.h"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "viewer/debugger/descriptor_limit.h"

extern char** environ;

namespace tapescope {
namespace {

constexpr int kPassedOn[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
std::atomic<pid_t> receiver{0};
struct sigaction before_launch[NSIG];

// Those of the terminal reach the program anyway: twice would be once too often.
void pass_signal_on(int number, siginfo_t* info, void*) {
  const int error = errno;
  if (const pid_t to = receiver.load(); to > 0 && info->si_code <= 0) kill(to, number);
  errno = error;
}

// As exec takes them; they live as long as the words.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> all;
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  return all;
}

// The environment of the program: ours, with what is set here.
class Environment {
 public:
  Environment() {
    for (char** entry = environ; *entry; ++entry) {
      const std::string text = *entry;
      const std::size_t equals = text.find('=');
      if (equals != std::string::npos) set_[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  std::string& operator[](const std::string& name) { return set_[name]; }
  void erase(const std::string& name) { set_.erase(name); }
  // Lives as long as this, until it is changed.
  std::vector<char*> pointers() {
    texts_.clear();
    for (const auto& [name, value] : set_) texts_.push_back(name + "=" + value);
    return pointers_to(texts_);
  }

 private:
  std::map<std::string, std::string> set_;
  std::vector<std::string> texts_;
};

// The package beside this binary comes before others.
void add_package(Environment& environment) {
  const std::string package = python_package_folder();
  if (package.empty()) return;
  std::string& path = environment["PYTHONPATH"];
  path = path.empty() ? package : package + ":" + path;
}

bool is_python(const std::string& word) {
  const std::string name = std::filesystem::path(word).filename().string();
  return name.starts_with("python") && name.find_first_not_of("0123456789.", 6) == std::string::npos;
}

// Where the interpreter's own options end; those with a value apart from it are W and X.
std::size_t end_of_python_options(const std::vector<std::string>& words) {
  std::size_t at = 1;
  while (at < words.size() && words[at].starts_with('-') && words[at] != "-m" && words[at] != "-c")
    at += words[at] == "-W" || words[at] == "-X" ? 2 : 1;
  return std::min(at, words.size());
}

std::string why_not_started(const std::string& program, int error) {
  const bool path = program.find('/') != std::string::npos;
  switch (error) {
    case ENOENT:
      return path ? fmt::format("there is no program {}; check the path", program)
                  : fmt::format("there is no program {} on the PATH; give its path, such as ./{}", program,
                                program);
    case EACCES:
      return fmt::format("{} cannot be executed ({}); name a program, or make it one by 'chmod +x {}'",
                         program, std::strerror(error), program);
    case ENOEXEC:
      return fmt::format("{} is no program of this machine; name the interpreter before it", program);
    default: return fmt::format("cannot start {} ({})", program, std::strerror(error));
  }
}

}  // namespace

bool is_python_program(const std::vector<std::string>& words) {
  return words[0].ends_with(".py") || is_python(words[0]);
}

std::string script_of(const Launch& launch) {
  const auto& words = launch.words;
  if (words.empty() || !is_python_program(words)) return {};
  const std::size_t at = is_python(words[0]) ? end_of_python_options(words) : 0;
  if (at == words.size() || !words[at].ends_with(".py")) return {};
  return (std::filesystem::path(launch.folder) / words[at]).string();
}

std::vector<std::string> command_line_of(const Launch& launch) {
  if (!is_python_program(launch.words)) return launch.words;
  std::vector<std::string> words;
  std::size_t rest = 0;
  if (is_python(launch.words[0])) {
    rest = end_of_python_options(launch.words);
    if (rest == launch.words.size()) return launch.words;  // no program: what is typed is run
    words.assign(launch.words.begin(), launch.words.begin() + static_cast<std::ptrdiff_t>(rest));
  } else {
    words = {launch.python.empty() ? python_command() : launch.python};
  }
  words.insert(words.end(), {"-m", "tapescope"});
  if (!launch.record.empty()) words.insert(words.end(), {"--record", launch.record});
  if (launch.waits_for_window) words.emplace_back("--wait");
  if (launch.answers) words.emplace_back("--why");
  words.insert(words.end(), launch.words.begin() + static_cast<std::ptrdiff_t>(rest), launch.words.end());
  return words;
}

std::string python_package_folder() {
  std::error_code none;
  const auto binary = std::filesystem::read_symlink("/proc/self/exe", none);
  const auto beside = binary.parent_path() / "python";
  return !none && std::filesystem::exists(beside / "tapescope" / "__init__.py", none) ? beside.string()
                                                                                      : std::string();
}

std::string python_command() {
  const char* python = std::getenv("PYTHON");
  return python && *python ? python : "python3";
}

void become_python(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {python_command(), "-m", "tapescope"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  Environment environment;
  add_package(environment);
  execvpe(words[0].c_str(), pointers_to(words).data(), environment.pointers().data());
  throw Error(ErrorKind::surroundings, why_not_started(words[0], errno));
}

std::string name_of_program(const std::vector<std::string>& words) {
  std::string word = words[0];
  if (is_python(word)) {
    const std::size_t at = end_of_python_options(words);
    const bool module = at + 1 < words.size() && words[at] == "-m";
    if (module) word = words[at + 1];
    else if (at < words.size() && words[at] != "-c") word = words[at];
  }
  const std::filesystem::path path(word);
  return (path.extension() == ".py" ? path.stem() : path.filename()).string();
}

LaunchedProgram::LaunchedProgram(const Launch& launch) {
  std::vector<std::string> words = command_line_of(launch);
  Environment environment;
  // Python's package begins its recording itself: programs that it starts would write over it.
  const bool python = is_python_program(launch.words);
  environment.erase("TAPESCOPE_RECORD");
  if (!launch.record.empty() && !python) environment["TAPESCOPE_RECORD"] = launch.record;
  if (launch.waits_for_window && !python) environment["TAPESCOPE_LISTEN"] = "wait";
  if (!launch.values.empty()) environment["TAPESCOPE_RECORD_VALUES"] = launch.values;
  if (launch.budget) environment["TAPESCOPE_RECORD_BUDGET"] = fmt::format("{}", *launch.budget);
  if (python) add_package(environment);
  const std::vector<char*> arguments = pointers_to(words);

  // Before it starts, so that none gets lost. The program has the handling of signals that we had.
  struct sigaction passing {};
  passing.sa_sigaction = pass_signal_on;
  passing.sa_flags = SA_SIGINFO;
  passes_signals_on_ = launch.passes_signals_on;
  for (const int number : kPassedOn) {
    if (!passes_signals_on_) break;
    sigaction(number, nullptr, &before_launch[number]);
    if (before_launch[number].sa_handler != SIG_IGN) sigaction(number, &passing, nullptr);
  }
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  if (launch.output_is_complaint) posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  if (launch.wake_with_output) {
    output_ = std::make_unique<ProgramOutput>(launch.wake_with_output);
    for (const int to : {STDOUT_FILENO, STDERR_FILENO}) {
      if (output_->program_end() >= 0) posix_spawn_file_actions_adddup2(&files, output_->program_end(), to);
    }
  }
  if (!launch.folder.empty()) posix_spawn_file_actions_addchdir_np(&files, launch.folder.c_str());
  const int error = [&] {
    const FormerDescriptorLimit former;
    return posix_spawnp(&process_, arguments[0], &files, nullptr, arguments.data(),
                        environment.pointers().data());
  }();
  posix_spawn_file_actions_destroy(&files);
  if (error != 0) {
    ended_ = true;
    stop_passing();
    std::error_code none;
    if (!launch.folder.empty() && !std::filesystem::is_directory(launch.folder, none))
      throw Error(ErrorKind::surroundings,
                  fmt::format("there is no folder {}; check the path", launch.folder));
    throw Error(ErrorKind::surroundings, why_not_started(words[0], error));
  }
  if (passes_signals_on_) receiver = process_;
  if (output_) output_->begin();
}

void LaunchedProgram::stop_passing() const {
  if (!passes_signals_on_) return;
  receiver = 0;
  for (const int number : kPassedOn) sigaction(number, &before_launch[number], nullptr);
}

LaunchedProgram::~LaunchedProgram() {
  wait();
  stop_passing();
}

void LaunchedProgram::wait() {
  while (!ended_) {
    const pid_t found = waitpid(process_, &status_, 0);
    ended_ = found == process_ || (found < 0 && errno != EINTR);
  }
}

void LaunchedProgram::release() {
  ended_ = true;
  if (output_) output_->release();
}

bool LaunchedProgram::ended() {
  if (!ended_) ended_ = waitpid(process_, &status_, WNOHANG) == process_;
  return ended_;
}

record::Ending LaunchedProgram::ending() const {
  if (WIFSIGNALED(status_)) {
    const int number = WTERMSIG(status_);
    return {.how = ProgramEnd::signal, .code = number, .type = record::signal_name(number)};
  }
  return {.how = ProgramEnd::exit, .code = WEXITSTATUS(status_)};
}

int LaunchedProgram::exit_code() const {
  return WIFSIGNALED(status_) ? 128 + WTERMSIG(status_) : WEXITSTATUS(status_);
}

void LaunchedProgram::end() {
  constexpr int kLooks = 100;
  kill(SIGTERM);
  kill(SIGCONT);
  for (int look = 0; look < kLooks && !ended(); ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  kill(SIGKILL);
  wait();
  if (output_) output_->finish();
}

void LaunchedProgram::kill(int signal) const {
  if (!ended_) ::kill(process_, signal);
}

}  // namespace tapescope
