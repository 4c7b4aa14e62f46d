// Who can be found, and who is kept out.
#include "engine/live/place.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "engine/live/listen.h"
#include "tests/engine/live/attached.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"

using namespace tapescope;
using namespace tapescope::live;
using tapescope::test::Attached;
using tapescope::test::TemporaryFolder;

namespace {

// The runtime folder of this test alone.
class RuntimeFolder {
 public:
  RuntimeFolder() {
    if (const char* before = getenv("XDG_RUNTIME_DIR")) before_ = before;
    setenv("XDG_RUNTIME_DIR", (folder_ / "").c_str(), 1);
  }
  ~RuntimeFolder() {
    if (before_.empty()) unsetenv("XDG_RUNTIME_DIR");
    else setenv("XDG_RUNTIME_DIR", before_.c_str(), 1);
  }
  std::string operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
  std::string before_;
};

// Forks when every other thread waits: AddressSanitizer of GCC 12 does not hold its allocator's lock over a
// fork, so that a child of a process that allocates at that moment hangs.
pid_t fork_at_rest() {
  for (int quiet = 0; quiet < 3; ++quiet) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      if (task.path().filename() == std::to_string(gettid())) continue;
      std::ifstream stat(task.path() / "stat");
      std::string line;
      std::getline(stat, line);
      const std::size_t name_end = line.rfind(") ");  // the state follows the name
      if (name_end != std::string::npos && line[name_end + 2] != 'S') quiet = -1;
    }
  }
  return fork();
}

// What `attempt` says in a process of another user, which stands in `folder`; "" where it says nothing.
template <class Attempt>
std::string as_nobody(const std::string& folder, Attempt attempt) {
  constexpr uid_t kNobody = 65534;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork_at_rest();
  if (child == 0) {
    std::string said;
    if (chdir(folder.c_str()) == 0 && setgid(kNobody) == 0 && setuid(kNobody) == 0) said = attempt();
    [[maybe_unused]] const ssize_t written = write(ends[1], said.data(), said.size());
    _exit(0);
  }
  close(ends[1]);
  std::string said(1000, '\0');
  const ssize_t count = read(ends[0], said.data(), said.size());
  said.resize(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return said;
}

// The error of a viewer that attaches to something which answers with these bytes and, where it says no more,
// hangs up or waits.
std::string answer_of(const record::Bytes& answer, bool hangs_up) {
  const TemporaryFolder folder;
  const std::string path = folder / "1.sock";
  const Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(listen(listener.get(), 1) == 0);
  std::atomic<bool> over{false};
  std::thread program([&] {
    const Descriptor socket(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    [[maybe_unused]] const ssize_t sent = send(socket.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    while (!hangs_up && !over) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  std::string said = error_of([&] { connect_to(path, 0.2); });
  over = true;
  program.join();
  if (const std::size_t at = said.find(path); at != said.npos) said.replace(at, path.size(), "PATH");
  return said;
}

}  // namespace

TEST_CASE("what listens and is no program of ours, or of another version, is said to be so", "[live]") {
  const auto message = [](FromProgram kind, const record::Bytes& payload) {
    record::Bytes bytes;
    append_message(bytes, static_cast<std::uint8_t>(kind), payload);
    return bytes;
  };
  record::ByteWriter greeting, later;
  write_greeting(greeting, {.pid = 1, .name = "a"});
  write_greeting(later, {.protocol = kProtocol + 1, .pid = 1, .name = "a"});
  const std::string none = "what listens at PATH is no Tapescope program";
  CHECK_THAT(answer_of(record::Bytes(50, 0xff), false), contains_text(none));
  CHECK_THAT(answer_of(message(FromProgram::tape, greeting.bytes()), false), contains_text(none));
  CHECK_THAT(answer_of(message(FromProgram::greeting, {1, 2, 3}), false), contains_text(none));
  CHECK_THAT(answer_of(message(FromProgram::greeting, later.bytes()), false),
             contains_text(fmt::format("speaks version {} of the attachment, this Tapescope version {}",
                                       kProtocol + 1, kProtocol)));
  CHECK_THAT(answer_of({}, false), contains_text("does not answer: it hangs, or was stopped"));
  CHECK_THAT(answer_of({}, true), contains_text("ended before it answered"));
  CHECK(answer_of(message(FromProgram::greeting, greeting.bytes()), false).empty());
}

TEST_CASE("the folder of sockets is this user's alone, or there is none", "[live]") {
  RuntimeFolder runtime;
  CHECK(socket_folder(false).empty());
  CHECK(listeners().empty());
  const std::string folder = socket_folder(true);
  CHECK(folder == (runtime / "") + "/tapescope");
  struct stat is {};
  REQUIRE(stat(folder.c_str(), &is) == 0);
  CHECK((is.st_mode & 0777) == 0700);

  REQUIRE(chmod(folder.c_str(), 0750) == 0);
  const std::string open = error_of([] { socket_folder(true); });
  CHECK(open.find("others can enter") != std::string::npos);
  CHECK(open.find("chmod 700") != std::string::npos);
  REQUIRE(chmod(folder.c_str(), 0700) == 0);
  if (geteuid() == 0) {
    REQUIRE(chown(folder.c_str(), 65534, 65534) == 0);
    CHECK(error_of([] { socket_folder(true); }).find("belongs to user 65534") != std::string::npos);
    REQUIRE(chown(folder.c_str(), 0, 0) == 0);
  }
  // A link could lead to a folder of anybody's choice.
  std::filesystem::remove(folder);
  std::filesystem::create_directory(runtime / "elsewhere");
  std::filesystem::create_directory_symlink(runtime / "elsewhere", folder);
  CHECK(error_of([] { socket_folder(true); }).find("is no folder") != std::string::npos);
  std::filesystem::remove(folder);
  test::write_file(folder, {});
  CHECK(error_of([] { socket_folder(true); }).find("is no folder") != std::string::npos);
  CHECK(error_of([] { socket_path(std::string(100, 'x'), 1); }).find("longer than a socket's name") !=
        std::string::npos);
}

TEST_CASE("programs are found by process, name and socket; what dead ones left is reported and removed",
          "[live]") {
  RuntimeFolder runtime;
  CHECK(error_of([] { find_listener("4711"); }).find("no program of process 4711 listens") !=
        std::string::npos);
  Server server(socket_folder(true));
  const std::string pid = std::to_string(getpid());
  auto found = listeners();
  REQUIRE(found.size() == 1);
  CHECK(found[0].problem.empty());
  CHECK(found[0].path == server.path());
  CHECK(find_listener(pid) == server.path());
  CHECK(find_listener(found[0].greeting.name) == server.path());
  CHECK(find_listener(server.path()) == server.path());
  CHECK(error_of([] { find_listener("no_such_program"); }).find("no program called no_such_program") !=
        std::string::npos);

  // A socket without a listener is what kill -9 leaves.
  const std::string stale = socket_folder(false) + "/1000000007.sock";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::copy(stale.begin(), stale.end(), address.sun_path);
  {
    const Descriptor made(socket(AF_UNIX, SOCK_STREAM, 0));
    REQUIRE(bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  }
  CHECK(error_of([&] { connect_to(stale); }).find("no program listens") != std::string::npos);
  found = listeners();
  REQUIRE(found.size() == 2);
  CHECK((found[0].problem.find("ended without removing its socket") != std::string::npos) !=
        (found[1].problem.find("ended without removing its socket") != std::string::npos));
  CHECK_FALSE(std::filesystem::exists(stale));
  CHECK(listeners().size() == 1);

  // One that is there and says nothing, or something else, is reported as such.
  const Descriptor mute(socket(AF_UNIX, SOCK_STREAM, 0));
  REQUIRE(bind(mute.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(mute.get(), 1) == 0);
  CHECK(error_of([&] { connect_to(stale, 0.05); }).find("does not answer") != std::string::npos);
  std::thread talker([&] {
    const Descriptor first(accept(mute.get(), nullptr, nullptr)),
        second(accept(mute.get(), nullptr, nullptr));
    [[maybe_unused]] const ssize_t sent =
        send(second.get(), "HTTP/1.1 400 Bad Request\r\n", 26, MSG_NOSIGNAL);
  });
  CHECK(error_of([&] { connect_to(stale); }).find("is no Tapescope program") != std::string::npos);
  talker.join();
  // Another version of the program.
  std::thread later([&] {
    const Descriptor peer(accept(mute.get(), nullptr, nullptr));
    record::ByteWriter payload;
    write_greeting(payload, {.protocol = kProtocol + 1});
    record::Bytes out;
    append_message(out, 1, payload.bytes());
    [[maybe_unused]] const ssize_t sent = send(peer.get(), out.data(), out.size(), MSG_NOSIGNAL);
  });
  CHECK(error_of([&] { connect_to(stale); })
            .find("speaks version " + std::to_string(kProtocol + 1) +
                  " of the attachment, this Tapescope version " + std::to_string(kProtocol)) !=
        std::string::npos);
  later.join();
}

TEST_CASE("another user gets in nowhere", "[live]") {
  if (geteuid() != 0) {
    WARN("only root can become another user: not tested here");
    return;
  }
  RuntimeFolder runtime;
  Server server(socket_folder(true));
  const std::string folder = socket_folder(false), name = std::filesystem::path(server.path()).filename();
  // Not into the folder, and not by the socket where the folder was opened to them.
  const auto try_to_connect = [&](const std::string& path) {
    return as_nobody(folder, [&] { return error_of([&] { connect_to(path); }); });
  };
  for (const std::string& outer : {std::string(runtime / ""), folder})
    REQUIRE(chmod(outer.c_str(), 0711) == 0);
  CHECK(try_to_connect(name).find("Permission denied") != std::string::npos);
  REQUIRE(chmod(server.path().c_str(), 0777) == 0);
  CHECK(try_to_connect(name).find("belongs to user 0, you are 65534") != std::string::npos);
  // One that does not care who listens is refused by the program.
  const std::string answer = as_nobody(folder, [&]() -> std::string {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::copy(name.begin(), name.end(), address.sun_path);
    const Descriptor peer(socket(AF_UNIX, SOCK_STREAM, 0));
    if (connect(peer.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
      return "not connected";
    std::string said(1000, '\0');
    const ssize_t count = recv(peer.get(), said.data(), said.size(), 0);
    return said.substr(0, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  });
  CHECK(answer.find("this program belongs to user 0, you are 65534") != std::string::npos);
}

TEST_CASE("a program listens by a call; a process forked from it does so by its own", "[live]") {
  RuntimeFolder runtime;
  CHECK_FALSE(listening());
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t program = fork_at_rest();
  if (program == 0) {
    live::listen();
    live::listen();
    const std::string mine = listening_at();
    const pid_t child = fork_at_rest();
    if (child == 0) {
      const bool silent = !listening();
      live::listen();
      const bool own = listening() && listening_at() != mine &&
                       connect_to(listening_at()).greeting.pid == static_cast<std::uint64_t>(getpid());
      std::exit(silent && own ? 7 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const bool good =
        WEXITSTATUS(status) == 7 && connect_to(mine).greeting.pid == static_cast<std::uint64_t>(getpid());
    const char answer = good ? 'y' : 'n';
    [[maybe_unused]] const ssize_t written = write(ends[1], &answer, 1);
    std::exit(0);
  }
  close(ends[1]);  // one that dies is the pipe's end
  char answer = '?';
  CHECK(read(ends[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  waitpid(program, nullptr, 0);
  CHECK(listeners().empty());  // each removed its socket at its end
  close(ends[0]);
}

TEST_CASE("a viewer that attaches as another one leaves is let in, however late the program looks",
          "[live]") {
  RuntimeFolder runtime;
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t program = fork_at_rest();
  if (program == 0) {
    live::listen();
    [[maybe_unused]] const ssize_t written = write(ends[1], "l", 1);
    for (;;) pause();
  }
  char ready = 0;
  REQUIRE(read(ends[0], &ready, 1) == 1);
  REQUIRE(listeners().size() == 1);
  const std::string path = listeners()[0].path;
  Attached first(path);
  REQUIRE(first.wait([&] { return !first.tape.empty(); }));
  live::Connection waiting = live::connect_to(path);
  CHECK(waiting.greeting.attached == static_cast<std::uint64_t>(getpid()));
  kill(program, SIGSTOP);
  waitpid(program, nullptr, WUNTRACED);
  first.leave();
  Attached second(std::move(waiting));
  kill(program, SIGCONT);
  CHECK(second.wait([&] { return !second.tape.empty() || !second.refusal.empty(); }));
  CHECK(second.refusal == "");
  kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  close(ends[0]);
  close(ends[1]);
}
