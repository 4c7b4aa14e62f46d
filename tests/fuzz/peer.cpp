// Fuzz target: any bytes as what a program says to the window that attaches to it: refused with a sentence,
// or shown until it ends.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>

#include "engine/core/error.h"
#include "viewer/debugger/live_connection.h"

using namespace tapescope;

namespace {

// A socket that anyone of this user can say anything at.
class Peer {
 public:
  Peer()
      : path_((std::filesystem::temp_directory_path() / ("ts-peer-" + std::to_string(getpid()))).string()) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path_.size() >= sizeof address.sun_path) std::abort();
    std::memcpy(address.sun_path, path_.data(), path_.size());
    unlink(path_.c_str());
    socket_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto* const to = reinterpret_cast<const sockaddr*>(&address);
    if (socket_ < 0 || bind(socket_, to, sizeof address) != 0 || listen(socket_, 1) != 0) std::abort();
  }
  ~Peer() {
    close(socket_);
    unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }
  // Says it all to who comes next, then hangs up.
  void say(const std::uint8_t* data, std::size_t size) const {
    const int guest = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
    while (guest >= 0 && size > 0) {
      const ssize_t count = send(guest, data, size, MSG_NOSIGNAL);
      if (count <= 0) break;
      data += count, size -= static_cast<std::size_t>(count);
    }
    if (guest >= 0) shutdown(guest, SHUT_WR);
    char heard[4096];
    while (guest >= 0 && recv(guest, heard, sizeof heard, 0) > 0) {
    }
    if (guest >= 0) close(guest);
  }

 private:
  std::string path_;
  int socket_ = -1;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Peer peer;
  std::thread program([&] { peer.say(data, size); });
  try {
    LiveConnection window(peer.path(), [] {});
    while (window.status().mode != RunMode::finished) std::this_thread::yield();
    window.ingest().flush();
    if (!window.ingest().store(0).snapshot()) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::surroundings) std::abort();
  }
  program.join();
  return 0;
}
