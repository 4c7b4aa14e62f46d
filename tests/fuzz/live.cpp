// Fuzz target: what the two sides of an attachment read from each other, whole streams of messages and each
// payload alone.
#include <cstdlib>
#include <vector>

#include "engine/live/message.h"

using namespace tapescope;
using namespace tapescope::live;

namespace {

void read_all(std::span<const std::uint8_t> payload) {
  Greeting greeting;
  read_greeting(payload, greeting);
  std::uint64_t protocol = 0, pid = 0;
  read_attach(payload, protocol, pid);
  Request request;
  read_request(payload, request);
  std::vector<Breakpoint> breakpoints;
  if (read_breakpoints(payload, breakpoints) && breakpoints.size() > kMostBreakpoints) std::abort();
  std::vector<Hits> hits;
  if (read_hits(payload, hits) && hits.size() > kMostBreakpoints) std::abort();
  Standing standing;
  if (!read_standing(payload, standing)) return;
  // What was read is written as it came, but for numbers in more bytes than they need.
  record::ByteWriter out;
  write_standing(out, standing);
  if (out.size() > payload.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_all({data, size});
  // In portions, as a socket gives them.
  Inbox inbox(1u << 16);
  for (std::size_t at = 0; at < size;) {
    const std::size_t portion = std::min<std::size_t>(size - at, 1 + data[at] % 61);
    inbox.add({data + at, portion});
    at += portion;
    while (const auto message = inbox.next()) {
      if (message->payload.size() > 1u << 16) std::abort();
      read_all(message->payload);
    }
  }
  return 0;
}
