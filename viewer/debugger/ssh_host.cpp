// ssh's first session names the sockets and then keeps the connection, which further calls of ssh ask to
// forward one of them (ControlMaster): one log-in, and no orphan when this process is killed, as the session
// ends with its input.
#include "viewer/debugger/ssh_host.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "engine/core/error.h"

namespace tapescope {
namespace {

constexpr std::string_view kScheme = "ssh://", kSocketLine = "tapescope-socket ", kEndLine = "tapescope-end";
constexpr double kAnswerSeconds = 10;                // for a program's name over a slow line
constexpr auto kLogIn = std::chrono::seconds(60);    // connect, log in, the shell's own start
constexpr auto kEndOfSsh = std::chrono::seconds(1);  // between the end of a socket and that of its ssh
constexpr std::string_view kPlain =                  // what neither a shell nor ssh reads as more than text
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";

// In the folders that live::socket_folder() may have chosen, whatever the log-in's environment is. A socket
// whose process has ended is passed over. Any log-in shell takes the line.
constexpr const char* kFind =
    "exec sh -c '"
    "for d in \"$XDG_RUNTIME_DIR/tapescope\" \"/run/user/$(id -u)/tapescope\" "
    "\"${TMPDIR:-/tmp}/tapescope-$(id -u)\" \"/tmp/tapescope-$(id -u)\"; do "
    "if test -d \"$d\" && test -O \"$d\"; then for s in \"$d\"/*.sock; do p=${s##*/}; "
    "if test -S \"$s\" && kill -0 \"${p%.sock}\" 2>/dev/null; then printf \"tapescope-socket %s\\n\" \"$s\"; "
    "fi; "
    "done; fi; done; echo tapescope-end; exec cat >/dev/null'";

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorKind::surroundings, sentence); }

template <class T>
bool read_number(std::string_view text, T& value) {
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  return wrong == std::errc() && end == text.data() + text.size();
}

std::uint64_t process_of(const std::string& socket) {
  std::uint64_t pid = 0;
  read_number(std::filesystem::path(socket).stem().string(), pid);
  return pid;
}

pid_t start_process(const std::vector<std::string>& words, int input, int output, int errors) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
  pid_t process = -1;
  const int failed = posix_spawnp(&process, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) {
    refuse(fmt::format(
        "cannot start {} ({}); install OpenSSH's client, or name another command in TAPESCOPE_SSH", words[0],
        std::strerror(failed)));
  }
  return process;
}

}  // namespace

bool is_ssh_address(std::string_view text) { return text.starts_with(kScheme); }

SshAddress read_ssh_address(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return Error(ErrorKind::value,
                 fmt::format("'{}' {}; expected ssh://[USER@]HOST[:PORT]/PROGRAM", text, what));
  };
  SshAddress address;
  std::string_view rest = text.substr(std::min(kScheme.size(), text.size()));
  if (!is_ssh_address(text)) throw wrong("does not begin with ssh://");
  if (const std::size_t slash = rest.find('/'); slash != rest.npos) {
    address.program = rest.substr(slash + 1);
    rest = rest.substr(0, slash);
  }
  if (const std::size_t at = rest.rfind('@'); at != rest.npos) {
    address.user = rest.substr(0, at);
    rest = rest.substr(at + 1);
    if (address.user.empty()) throw wrong("names no user before @");
  }
  std::string_view port;
  const bool bracketed = rest.starts_with('[') && rest.find(']') != rest.npos;
  if (const std::size_t colon = rest.find(':', bracketed ? rest.find(']') : 0); colon != rest.npos) {
    port = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
    if (!read_number(port, address.port) || address.port < 1 || address.port > 65535)
      throw wrong("has no port from 1 to 65535 after its colon");
  }
  address.host = bracketed ? rest.substr(1, rest.size() - 2) : rest;
  if (address.host.empty()) throw wrong("names no host");
  // ssh would take it for an option, or a ProxyCommand's shell for a command.
  const std::string allowed = std::string(kPlain) + (bracketed ? ":%" : "");
  if (address.host.find_first_not_of(allowed) != address.host.npos || address.host[0] == '-')
    throw wrong("names a host with characters that no host has");
  if (address.user.find_first_not_of(kPlain) != address.user.npos || address.user.starts_with('-'))
    throw wrong("names a user with characters that no user has");
  return address;
}

SshHost::SshHost(const SshAddress& address)
    : address_(address), folder_(live::socket_folder(true) + "/ssh-XXXXXX") {
  if (mkdtemp(folder_.data()) == nullptr)
    refuse(fmt::format("cannot make a folder for ssh in {} ({})", folder_, std::strerror(errno)));
  try {
    start();
    read_sockets();
  } catch (...) {
    stop();
    throw;
  }
}

SshHost::~SshHost() { stop(); }

void SshHost::stop() {
  input_.reset();
  if (process_ > 0) {
    kill(process_, SIGTERM);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  std::error_code none;
  std::filesystem::remove_all(folder_, none);
}

// Up to the socket that shares the connection.
std::vector<std::string> SshHost::command() const {
  const char* named = std::getenv("TAPESCOPE_SSH");
  std::istringstream in(named && *named ? named : "ssh");
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words.empty()) words.emplace_back("ssh");
  words.insert(words.end(), {"-S", folder_ + "/control", "-o", "BatchMode=yes"});
  return words;
}

void SshHost::start() {
  std::vector<std::string> words = command();
  // What a config sets up for people who work there (forwardings, commands, a terminal) is left out. A line
  // that is cut is noticed within fifteen seconds.
  words.insert(words.end(), {"-M", "-T",
                             "-x", "-a",
                             "-o", "ControlPersist=no",
                             "-o", "ClearAllForwardings=yes",
                             "-o", "RemoteCommand=none",
                             "-o", "PermitLocalCommand=no",
                             "-o", "ConnectTimeout=10",
                             "-o", "ServerAliveInterval=5",
                             "-o", "ServerAliveCountMax=3",
                             "-o", "LogLevel=INFO"});
  if (!address_.user.empty()) words.insert(words.end(), {"-l", address_.user});
  if (address_.port != 0) words.insert(words.end(), {"-p", std::to_string(address_.port)});
  words.insert(words.end(), {"--", address_.host, kFind});
  int in[2], out[2];
  if (pipe2(in, O_CLOEXEC) != 0) refuse(fmt::format("cannot make a pipe ({})", std::strerror(errno)));
  input_ = live::Descriptor(in[1]);
  const live::Descriptor its_input(in[0]);
  if (pipe2(out, O_CLOEXEC) != 0) refuse(fmt::format("cannot make a pipe ({})", std::strerror(errno)));
  output_ = live::Descriptor(out[0]);
  const live::Descriptor its_output(out[1]);
  const live::Descriptor errors(
      open((folder_ + "/errors").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!errors) refuse(fmt::format("cannot write in {} ({})", folder_, std::strerror(errno)));
  process_ = start_process(words, its_input.get(), its_output.get(), errors.get());
}

// The last line that ssh wrote: it ends with what went wrong, after warnings.
std::string SshHost::complaint() const {
  std::ifstream in(folder_ + "/errors");
  std::string last;
  for (std::string line; std::getline(in, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty()) last = line;
  }
  return last;
}

void SshHost::read_sockets() {
  const auto until = std::chrono::steady_clock::now() + kLogIn;
  std::string text;
  while (true) {
    for (std::size_t end; (end = text.find('\n')) != text.npos; text.erase(0, end + 1)) {
      // What the log-in's own files print stands before.
      const std::string_view line(text.data(), end);
      if (line == kEndLine) return;
      if (!line.starts_with(kSocketLine)) continue;
      std::string socket(line.substr(kSocketLine.size()));
      // ssh's -L separates with colons.
      if (process_of(socket) != 0 && socket.find(':') == socket.npos &&
          std::ranges::find(sockets_, socket) == sockets_.end())
        sockets_.push_back(std::move(socket));
    }
    pollfd ready{output_.get(), POLLIN, 0};
    poll(&ready, 1, 500);
    if (std::chrono::steady_clock::now() > until)
      refuse(fmt::format("ssh does not get through to {} within a minute", address_.host));
    if (ready.revents == 0) continue;
    char bytes[4096];
    const ssize_t count = read(output_.get(), bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) continue;
    if (count > 0) {
      text.append(bytes, static_cast<std::size_t>(count));
      continue;
    }
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
    process_ = -1;
    const std::string why = complaint();
    refuse(why.empty() ? fmt::format("ssh to {} ended without a word; run 'ssh {} true' to see why",
                                     address_.host, address_.host)
                       : why);
  }
}

live::Connection SshHost::forward(const std::string& socket) const {
  const std::string here = fmt::format("{}/{}.sock", folder_, process_of(socket));
  const std::string called = fmt::format("{} on {}", socket, address_.host);
  if (!std::filesystem::exists(here)) {
    std::vector<std::string> words = command();
    // Forwardings of the config's would be asked for as well.
    words.insert(words.end(),
                 {"-F", "none", "-O", "forward", "-L", here + ":" + socket, "--", address_.host});
    const live::Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
    const live::Descriptor errors(open((folder_ + "/errors").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
    const pid_t asks = start_process(words, nothing.get(), nothing.get(), errors.get());
    int status = 0;
    while (waitpid(asks, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0) refuse(fmt::format("cannot reach {}: {}", called, complaint()));
  }
  return live::connect_to(here, kAnswerSeconds, called);
}

std::vector<live::Listener> SshHost::listeners() const {
  std::vector<live::Listener> found;
  for (const std::string& socket : sockets_) {
    live::Listener listener;
    listener.pid = process_of(socket);
    listener.path = socket;
    try {
      listener.greeting = forward(socket).greeting;
    } catch (const Error& error) {
      listener.problem = error.what();
    }
    found.push_back(std::move(listener));
  }
  std::ranges::sort(found, {}, [](const live::Listener& x) { return std::pair(x.greeting.since, x.pid); });
  return found;
}

live::Connection SshHost::connect() const {
  const std::string& which = address_.program;
  std::uint64_t pid = 0;
  const bool by_pid = read_number(std::string_view(which), pid);
  std::vector<live::Connection> found;
  std::string processes, problem;
  for (const std::string& socket : sockets_) {
    if (by_pid && process_of(socket) != pid) continue;
    try {
      live::Connection connection = forward(socket);
      if (!by_pid && !which.empty() && connection.greeting.name != which) continue;
      processes += fmt::format("{}{}", processes.empty() ? "" : ", ", process_of(socket));
      found.push_back(std::move(connection));
    } catch (const Error& error) {
      problem = error.what();
    }
  }
  if (found.size() == 1) return std::move(found.front());
  const std::string called = which.empty() ? "" : by_pid ? " of process " + which : " called " + which;
  if (found.size() > 1)
    refuse(fmt::format("{} programs{} listen on {}: give the process, one of {}", found.size(), called,
                       address_.host, processes));
  if (!problem.empty()) refuse(problem);
  refuse(
      fmt::format("no program{} of yours listens on {}; start it there with TAPESCOPE_LISTEN=1, 'tapescope "
                  "list --live ssh://{}' names those that do",
                  called, address_.host, address_.host));
}

std::string SshHost::lost() const {
  pollfd ended{output_.get(), POLLIN, 0};
  if (poll(&ended, 1, static_cast<int>(std::chrono::milliseconds(kEndOfSsh).count())) <= 0) return {};
  const std::string why = complaint();
  return why.empty() ? "ssh ended" : why;
}

}  // namespace tapescope
