// What a program and a viewer attached to it say to each other over a local socket (protocol.md).
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/debug/breakpoint.h"
#include "engine/recording/bytes.h"

namespace tapescope::live {

using record::Bytes;

// Both sides must speak the same one.
inline constexpr std::uint64_t kProtocol = 4;

enum class FromProgram : std::uint8_t {
  greeting = 1,
  refusal = 2,
  tape = 3,
  standing = 4,
  goodbye = 5,
  hits = 6
};
enum class FromViewer : std::uint8_t {
  attach = 1,
  request = 2,
  pause = 3,
  breakpoints = 4,
  alive = 5,
  goodbye = 6
};

// A message is its length in four bytes, its kind in one, and that many bytes.
inline constexpr std::size_t kMessageHeader = 5;
inline constexpr std::size_t kMostFromProgram = 17u << 20;  // a chunk of a recording, or a frame
inline constexpr std::size_t kMostFromViewer = 1u << 20;    // breakpoints
inline constexpr std::size_t kMostBreakpoints = 4096;

void append_message(Bytes& out, std::uint8_t kind, std::span<const std::uint8_t> payload);

// Takes bytes as they arrive and gives messages back.
class Inbox {
 public:
  explicit Inbox(std::size_t most) : most_(most) {}
  void add(std::span<const std::uint8_t> bytes);

  struct Message {
    std::uint8_t kind = 0;
    std::span<const std::uint8_t> payload;  // until the next call
  };
  // Nothing where none is whole yet. A message that is longer than any can be breaks the inbox for good.
  std::optional<Message> next();
  bool broken() const { return broken_; }

 private:
  std::size_t most_;
  Bytes bytes_;
  std::size_t begin_ = 0;
  bool broken_ = false;
};

// What a program says first, to everybody who connects.
struct Greeting {
  std::uint64_t protocol = kProtocol;  // where it is another one the rest is empty
  std::uint64_t pid = 0;
  std::string name;
  double since = 0;            // when the program started, in seconds since 1970
  std::uint64_t attached = 0;  // process id of the viewer it has, or 0
  std::string framework{};     // "TensorFlow 2.21"; empty for a program of none
  // Of one process of a job (engine/recording/job.h); size 0 and no job where they are not known.
  std::optional<std::uint64_t> rank{};
  std::uint64_t size = 0;
  std::string job{};
};

// What a viewer asks of a program. Carried out one after the other, and counted.
struct Request {
  enum class Kind : std::uint8_t {
    run,
    step_nodes,
    step_into,
    step_training,
    seek,
    run_until
  } kind = Kind::run;
  std::int64_t amount = 0;  // nodes, training steps, or a place
  Breakpoint breakpoint{};  // of run_until
};

// Where the program is, as far as it stops for the viewer.
struct Standing {
  bool paused = false;
  bool at_end = false;              // of its step: there is no further node
  std::uint64_t requests_done = 0;  // since the viewer attached
  std::uint64_t step = 0;           // that is under way
  StopReason reason = StopReason::none;
  std::optional<Breakpoint> hit;
  std::uint64_t cursor = 0, cursor_count = 0, forward_count = 0;
  std::string notice;  // what the last request could not do; empty when it could
  Bytes frame;         // a pack of one frame (engine/recording/frame_codec.h) while paused
};

// How often a breakpoint was met since the viewer set it.
struct Hits {
  std::uint32_t id = 0;  // of the breakpoint
  std::uint64_t count = 0;
  bool operator==(const Hits&) const = default;
};

// Payloads. Reading takes memory in proportion to the bytes and returns false for what cannot be.
void write_greeting(record::ByteWriter& out, const Greeting& greeting);
bool read_greeting(std::span<const std::uint8_t> payload, Greeting& greeting);
// Of a viewer: its version and its process.
void write_attach(record::ByteWriter& out, std::uint64_t pid, std::uint64_t protocol = kProtocol);
bool read_attach(std::span<const std::uint8_t> payload, std::uint64_t& protocol, std::uint64_t& pid);
// A sign of life: bytes of the tape that have arrived so far. False where it does not say.
void write_alive(record::ByteWriter& out, std::uint64_t arrived);
bool read_alive(std::span<const std::uint8_t> payload, std::uint64_t& arrived);
void write_request(record::ByteWriter& out, const Request& request);
bool read_request(std::span<const std::uint8_t> payload, Request& request);
void write_breakpoints(record::ByteWriter& out, std::span<const Breakpoint> breakpoints);
bool read_breakpoints(std::span<const std::uint8_t> payload, std::vector<Breakpoint>& breakpoints);
void write_hits(record::ByteWriter& out, std::span<const Hits> hits);
bool read_hits(std::span<const std::uint8_t> payload, std::vector<Hits>& hits);
void write_standing(record::ByteWriter& out, const Standing& standing);
bool read_standing(std::span<const std::uint8_t> payload, Standing& standing);

}  // namespace tapescope::live
