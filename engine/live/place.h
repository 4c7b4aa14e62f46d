// Where programs that can be attached to are found: sockets named by process, in a folder that only their
// user can enter.
#pragma once
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "engine/live/message.h"

namespace tapescope::live {

// $XDG_RUNTIME_DIR/tapescope, else tapescope-UID in the folder for temporary files. Throws Error
// (surroundings) when it belongs to another user or others can enter it; where it is missing it is made, or
// the text is empty.
std::string socket_folder(bool make);
// Throws Error (surroundings) when it is longer than a socket's name may be.
std::string socket_path(const std::string& folder, pid_t pid);

// A descriptor that closes itself.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { reset(); }
  int get() const { return value_; }
  explicit operator bool() const { return value_ >= 0; }
  int release();
  void reset();

 private:
  int value_ = -1;
};

// The user at the other end of a connection; -1 where that is unknown.
uid_t peer_user(int socket);

// A connection to a program that has greeted.
struct Connection {
  Descriptor socket;
  Greeting greeting;
  Inbox inbox{kMostFromProgram};  // what came after the greeting
};
// Throws Error (surroundings) with one sentence: no program listens there any more, another user's, another
// version, or no answer within `seconds`. Its
// sentences call a socket that was forwarded from another machine by `called`.
Connection connect_to(const std::string& path, double seconds = 2, const std::string& called = {});

// A socket of the folder and what is behind it.
struct Listener {
  std::uint64_t pid = 0;
  std::string path;
  Greeting greeting;    // where it answered
  std::string problem;  // why it cannot be attached to, one sentence; empty when it can
};
// All of this user's programs, oldest first. What dead processes left behind is removed, and reported once.
std::vector<Listener> listeners();
// The socket of a program given by process id, name or socket. Throws Error (surroundings) when there is
// none, or more than one.
std::string find_listener(const std::string& which);

}  // namespace tapescope::live
