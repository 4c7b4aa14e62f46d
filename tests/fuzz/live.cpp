// Fuzz target: what the two sides of an attachment read from each other, whole streams of messages and each
// payload alone.
#include <cstdlib>
#include <vector>

#include "engine/live/message.h"
#include "engine/recording/frame_codec.h"

using namespace tapescope;
using namespace tapescope::live;

namespace {

// What was read is written as it came, but for numbers in more bytes than they need; and is read again as the
// same. `write` and `read` are those of one kind of message.
template <class Read, class Write>
void same_again(std::span<const std::uint8_t> payload, Read&& read, Write&& write) {
  if (!read(payload)) return;
  record::ByteWriter once;
  write(once);
  if (once.size() > payload.size() || !read(std::span<const std::uint8_t>(once.bytes()))) std::abort();
  record::ByteWriter twice;
  write(twice);
  if (once.bytes() != twice.bytes()) std::abort();
}

void read_all(std::span<const std::uint8_t> payload) {
  Greeting greeting;
  // Of another version only the version is read.
  same_again(
      payload,
      [&](auto bytes) {
        greeting = {};
        return read_greeting(bytes, greeting) && greeting.protocol == kProtocol;
      },
      [&](auto& out) { write_greeting(out, greeting); });
  std::uint64_t protocol = 0, pid = 0, arrived = 0;
  same_again(
      payload, [&](auto bytes) { return read_attach(bytes, protocol, pid) && protocol == kProtocol; },
      [&](auto& out) { write_attach(out, pid, protocol); });
  same_again(
      payload, [&](auto bytes) { return read_alive(bytes, arrived); },
      [&](auto& out) { write_alive(out, arrived); });
  Request request;
  same_again(
      payload, [&](auto bytes) { return read_request(bytes, request); },
      [&](auto& out) { write_request(out, request); });
  std::vector<Breakpoint> breakpoints;
  same_again(
      payload, [&](auto bytes) { return read_breakpoints(bytes, breakpoints); },
      [&](auto& out) { write_breakpoints(out, breakpoints); });
  std::vector<Hits> hits;
  same_again(
      payload, [&](auto bytes) { return read_hits(bytes, hits); }, [&](auto& out) { write_hits(out, hits); });
  if (breakpoints.size() > kMostBreakpoints || hits.size() > kMostBreakpoints) std::abort();
  Standing standing;
  same_again(
      payload, [&](auto bytes) { return read_standing(bytes, standing); },
      [&](auto& out) { write_standing(out, standing); });
  // The place where the program stands is a pack, whatever the standing says of it.
  std::vector<record::KeptFrame> frames;
  record::ByteReader in(standing.frame);
  if (!standing.frame.empty() && record::read_frames(in, frames) && frames.size() > standing.frame.size())
    std::abort();
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
