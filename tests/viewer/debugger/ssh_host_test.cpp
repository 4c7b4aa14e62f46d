// What an ssh:// address names, and what it may not: it becomes words of a command.
#include "viewer/debugger/ssh_host.h"

#include <string>

#include "engine/core/error.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

std::string parts_of(std::string_view text) {
  const SshAddress address = read_ssh_address(text);
  return address.user + "|" + address.host + "|" + std::to_string(address.port) + "|" + address.program;
}

bool refused(std::string_view text, std::string_view why) {
  try {
    read_ssh_address(text);
  } catch (const Error& error) {
    return error.kind() == ErrorKind::value && std::string_view(error.what()).find(why) != std::string::npos;
  }
  return false;
}

}  // namespace

TEST_CASE("an address of ssh is taken apart into user, host, port and program", "[ssh]") {
  CHECK(is_ssh_address("ssh://box"));
  CHECK_FALSE(is_ssh_address("ssh:/box"));
  CHECK_FALSE(is_ssh_address("box"));
  CHECK(parts_of("ssh://box") == "|box|0|");
  CHECK(parts_of("ssh://box/") == "|box|0|");
  CHECK(parts_of("ssh://box/train") == "|box|0|train");
  CHECK(parts_of("ssh://box/4711") == "|box|0|4711");
  CHECK(parts_of("ssh://box/a/b") == "|box|0|a/b");
  CHECK(parts_of("ssh://me@box:22/train.py") == "me|box|22|train.py");
  CHECK(parts_of("ssh://box:1/x") == "|box|1|x");
  CHECK(parts_of("ssh://box:65535") == "|box|65535|");
  CHECK(parts_of("ssh://[fe80::1%eth0]:2222/x") == "|fe80::1%eth0|2222|x");
  CHECK(parts_of("ssh://[::1]/x") == "|::1|0|x");
}

TEST_CASE("an address that could be an option or a command of ssh is refused", "[ssh]") {
  CHECK(refused("", "does not begin with ssh://"));
  CHECK(refused("box/train", "does not begin with ssh://"));
  CHECK(refused("ssh://", "names no host"));
  CHECK(refused("ssh:///train", "names no host"));
  CHECK(refused("ssh://[]/train", "names no host"));
  CHECK(refused("ssh://@box", "names no user"));
  CHECK(refused("ssh://box:0", "port"));
  CHECK(refused("ssh://box:65536", "port"));
  CHECK(refused("ssh://box:", "port"));
  CHECK(refused("ssh://box:2x", "port"));
  CHECK(refused("ssh://-oProxyCommand=x", "no host has"));
  CHECK(refused("ssh://box;id", "no host has"));
  CHECK(refused("ssh://a b", "no host has"));
  CHECK(refused("ssh://box%3", "no host has"));
  CHECK(refused("ssh://-l@box", "no user has"));
  CHECK(refused("ssh://a$b@box", "no user has"));
}
