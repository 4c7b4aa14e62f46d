// The folder of sockets, and connecting to one.
#include "engine/live/place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <thread>

#include "engine/core/error.h"

namespace tapescope::live {
namespace {

constexpr std::string_view kSuffix = ".sock";
constexpr double kListSeconds = 0.5;  // that a program may take to name itself

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorKind::surroundings, sentence); }

std::string wanted_folder() {
  // An address that is relative would name another folder in each process.
  if (const char* runtime = std::getenv("XDG_RUNTIME_DIR"); runtime && *runtime == '/')
    return std::string(runtime) + "/tapescope";
  std::error_code none;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(none);
  return (none ? std::filesystem::path("/tmp") : temporary) / fmt::format("tapescope-{}", geteuid());
}

template <class T>
bool read_whole(std::string_view text, T& value) {
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  return wrong == std::errc() && end == text.data() + text.size();
}

// Nothing behind the socket any more: its process ended without removing it.
struct Gone : Error {
  using Error::Error;
};

}  // namespace

std::string socket_folder(bool make) {
  const std::string folder = wanted_folder();
  if (make && mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    refuse(
        fmt::format("cannot make {} for the sockets of programs to attach to ({}); set XDG_RUNTIME_DIR to a "
                    "folder of your own",
                    folder, std::strerror(errno)));
  }
  struct stat is {};
  if (lstat(folder.c_str(), &is) != 0) {
    if (errno == ENOENT && !make) return {};
    refuse(fmt::format("cannot look at {} ({}); set XDG_RUNTIME_DIR to a folder of your own", folder,
                       std::strerror(errno)));
  }
  if (!S_ISDIR(is.st_mode))
    refuse(fmt::format("{} is no folder; remove it, or set XDG_RUNTIME_DIR to a folder of your own", folder));
  if (is.st_uid != geteuid()) {
    refuse(fmt::format(
        "{} belongs to user {}, who could read along; set XDG_RUNTIME_DIR to a folder that is yours", folder,
        is.st_uid));
  }
  if ((is.st_mode & 077) != 0) {
    refuse(fmt::format("others can enter {} (its mode is {:04o}, expected 0700); run 'chmod 700 {}'", folder,
                       is.st_mode & 07777, folder));
  }
  return folder;
}

std::string socket_path(const std::string& folder, pid_t pid) {
  std::string path = fmt::format("{}/{}{}", folder, pid, kSuffix);
  constexpr std::size_t kMost =
      sizeof(sockaddr_un::sun_path) - 8;  // room for the name it has while it is made
  if (path.size() > kMost)
    refuse(fmt::format(
        "{} is longer than a socket's name may be ({} bytes); set XDG_RUNTIME_DIR to a shorter one", path,
        kMost));
  return path;
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  reset();
  value_ = other.release();
  return *this;
}

int Descriptor::release() { return std::exchange(value_, -1); }

void Descriptor::reset() {
  if (value_ >= 0) close(value_);
  value_ = -1;
}

uid_t peer_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.uid : static_cast<uid_t>(-1);
}

Connection connect_to(const std::string& path, double seconds, const std::string& called) {
  const std::string& at = called.empty() ? path : called;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path)
    refuse(fmt::format("{} is too long to be a socket's name", path));
  std::memcpy(address.sun_path, path.data(), path.size());
  Connection connection;
  connection.socket = Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!connection.socket) refuse(fmt::format("cannot make a socket ({})", std::strerror(errno)));
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  // Too many wait already where others came at the same time: the program may only be busy.
  const auto connects = [&] {
    while (connect(connection.socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
           0) {
      if (errno != EAGAIN || std::chrono::steady_clock::now() > end) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return true;
  };
  if (!connects()) {
    if (errno == ECONNREFUSED)
      throw Gone(ErrorKind::surroundings, fmt::format("no program listens at {} any more: it ended; "
                                                      "'tapescope list --live' names those that run",
                                                      at));
    if (errno == EAGAIN)
      refuse(fmt::format("the program at {} does not answer: it hangs, or was stopped", at));
    refuse(fmt::format("cannot attach to {} ({}); 'tapescope list --live' names the programs that listen", at,
                       std::strerror(errno)));
  }
  if (const uid_t user = peer_user(connection.socket.get()); user != geteuid()) {
    refuse(fmt::format(
        "the program at {} belongs to user {}, you are {}; only programs of your own can be attached to", at,
        user, geteuid()));
  }
  while (true) {
    if (const auto message = connection.inbox.next()) {
      const bool greets = message->kind == static_cast<std::uint8_t>(FromProgram::greeting);
      if (!greets || !read_greeting(message->payload, connection.greeting))
        refuse(fmt::format("what listens at {} is no Tapescope program", at));
      if (connection.greeting.protocol != kProtocol) {
        refuse(
            fmt::format("the program at {} speaks version {} of the attachment, this Tapescope version {}; "
                        "build both from one version",
                        at, connection.greeting.protocol, kProtocol));
      }
      return connection;
    }
    if (connection.inbox.broken()) refuse(fmt::format("what listens at {} is no Tapescope program", at));
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    pollfd wait{connection.socket.get(), POLLIN, 0};
    if (left <= 0 || poll(&wait, 1, static_cast<int>(left)) == 0)
      refuse(fmt::format("the program at {} does not answer: it hangs, or was stopped", at));
    std::uint8_t bytes[4096];
    const ssize_t count = recv(connection.socket.get(), bytes, sizeof bytes, 0);
    if (count > 0) connection.inbox.add(std::span(bytes).first(static_cast<std::size_t>(count)));
    else if (count == 0 || (errno != EAGAIN && errno != EINTR))
      refuse(fmt::format("the program at {} ended before it answered", at));
  }
}

std::vector<Listener> listeners() {
  std::vector<Listener> found;
  const std::string folder = socket_folder(false);
  if (folder.empty()) return found;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    Listener listener;
    const std::string name = entry.path().filename();
    if (!name.ends_with(kSuffix) ||
        !read_whole(std::string_view(name).substr(0, name.size() - kSuffix.size()), listener.pid))
      continue;
    listener.path = entry.path();
    try {
      listener.greeting = connect_to(listener.path, kListSeconds).greeting;
    } catch (const Gone&) {
      listener.problem =
          fmt::format("process {} ended without removing its socket, which was done now", listener.pid);
      unlink(listener.path.c_str());
    } catch (const Error& error) {
      listener.problem = error.what();
    }
    found.push_back(std::move(listener));
  }
  std::sort(found.begin(), found.end(), [](const Listener& a, const Listener& b) {
    return std::pair(a.greeting.since, a.pid) < std::pair(b.greeting.since, b.pid);
  });
  return found;
}

std::string find_listener(const std::string& which) {
  if (which.find('/') != std::string::npos) return which;
  std::uint64_t pid = 0;
  const bool by_pid = read_whole(std::string_view(which), pid);
  std::vector<std::string> paths;
  std::string processes, problem;
  for (const Listener& listener : listeners()) {
    if (by_pid ? listener.pid != pid : listener.greeting.name != which) continue;
    if (!listener.problem.empty()) problem = listener.problem;
    else paths.push_back(listener.path);
    processes += fmt::format("{}{}", processes.empty() ? "" : ", ", listener.pid);
  }
  if (paths.size() == 1) return paths.front();
  if (paths.size() > 1)
    refuse(fmt::format("{} programs called {} listen: give the process, one of {}", paths.size(), which,
                       processes));
  if (!problem.empty()) refuse(fmt::format("cannot attach to {}: {}", which, problem));
  refuse(fmt::format(
      "no program {} listens; start it with TAPESCOPE_LISTEN=1, 'tapescope list --live' names those that do",
      by_pid ? fmt::format("of process {}", pid) : fmt::format("called {}", which)));
}

}  // namespace tapescope::live
