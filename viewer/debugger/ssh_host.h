// Programs on another machine, through the user's ssh: its config, keys, agent and known hosts. Their sockets
// are forwarded, so that nothing but the programs is needed there.
#pragma once
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "engine/live/place.h"

namespace tapescope {

// ssh://[USER@]HOST[:PORT][/PROGRAM]; HOST may be an alias of ssh's config, or an IPv6 address in brackets.
struct SshAddress {
  std::string user, host;
  int port = 0;         // as ssh's config says
  std::string program;  // process id or name; empty: the only one that listens there
};
bool is_ssh_address(std::string_view text);
// Throws Error (value) with one sentence.
SshAddress read_ssh_address(std::string_view text);

// One ssh that runs until this is destroyed, and ends with this process.
class SshHost {
 public:
  // Connects, and finds the sockets there. Throws Error (surroundings) with ssh's sentence. Never asks for a
  // password: BatchMode. TAPESCOPE_SSH names another command, with arguments separated by blanks.
  explicit SshHost(const SshAddress& address);
  ~SshHost();
  SshHost(const SshHost&) = delete;
  SshHost& operator=(const SshHost&) = delete;

  const std::string& host() const { return address_.host; }
  // As live::listeners(): their paths are those over there.
  std::vector<live::Listener> listeners() const;
  // To the program that the address names. Throws Error (surroundings).
  live::Connection connect() const;
  // Why the connection was lost, in ssh's words; empty while it stands. Waits a moment for ssh's end, as
  // the forwarded socket closes first.
  std::string lost() const;

 private:
  void start();
  void read_sockets();
  void stop();
  std::vector<std::string> command() const;
  live::Connection forward(const std::string& socket) const;
  std::string complaint() const;

  SshAddress address_;
  std::string folder_;  // of this object: ssh's own socket, the forwarded ones, and what ssh says
  live::Descriptor input_, output_;  // of the shell over there, which ends with its input
  pid_t process_ = -1;
  std::vector<std::string> sockets_;  // over there
};

}  // namespace tapescope
