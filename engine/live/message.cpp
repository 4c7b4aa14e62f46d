// Messages to bytes and back.
#include "engine/live/message.h"

#include <cstring>

namespace tapescope::live {
namespace {

using record::ByteReader;
using record::ByteWriter;

constexpr std::uint32_t kMagic = 0x56494c54;  // "TLIV"
constexpr auto kLastBreakpoint = static_cast<std::uint64_t>(Breakpoint::Kind::retrace);
constexpr auto kLastReason = static_cast<std::uint64_t>(StopReason::backward_begin);
constexpr auto kLastRequest = static_cast<std::uint64_t>(Request::Kind::run_until);
constexpr std::size_t kLeastBreakpoint = 17, kLeastHits = 2;

void write_breakpoint(ByteWriter& out, const Breakpoint& breakpoint) {
  out.number(static_cast<std::uint64_t>(breakpoint.kind));
  out.text(breakpoint.text);
  out.f64(breakpoint.limit);
  out.text(breakpoint.source);
  out.text(breakpoint.op);
  out.number(breakpoint.place);
  out.number(breakpoint.from_hit);
  out.u8(breakpoint.enabled);
  out.number(breakpoint.id);
  out.number(breakpoint.hits);
}

bool read_breakpoint(ByteReader& in, Breakpoint& breakpoint) {
  breakpoint.kind = static_cast<Breakpoint::Kind>(in.number(kLastBreakpoint));
  breakpoint.text = in.text();
  breakpoint.limit = in.f64();
  breakpoint.source = in.text();
  breakpoint.op = in.text();
  breakpoint.place = in.number();
  breakpoint.from_hit = in.number();
  breakpoint.enabled = in.u8() != 0;
  breakpoint.id = static_cast<std::uint32_t>(in.number(0xffffffffu));
  breakpoint.hits = in.number();
  return !in.failed();
}

bool whole(ByteReader& in) { return !in.failed() && in.left() == 0; }

}  // namespace

void append_message(Bytes& out, std::uint8_t kind, std::span<const std::uint8_t> payload) {
  const auto size = static_cast<std::uint32_t>(payload.size());
  const std::size_t at = out.size();
  out.resize(at + kMessageHeader);
  std::memcpy(out.data() + at, &size, sizeof size);
  out[at + 4] = kind;
  out.insert(out.end(), payload.begin(), payload.end());
}

void Inbox::add(std::span<const std::uint8_t> bytes) {
  if (broken_) return;
  if (begin_ > 0) {
    bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(begin_));
    begin_ = 0;
  }
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

std::optional<Inbox::Message> Inbox::next() {
  const std::size_t there = bytes_.size() - begin_;
  if (broken_ || there < kMessageHeader) return std::nullopt;
  std::uint32_t size = 0;
  std::memcpy(&size, bytes_.data() + begin_, sizeof size);
  if (size > most_) {
    broken_ = true;
    return std::nullopt;
  }
  if (there - kMessageHeader < size) return std::nullopt;
  const Message message{bytes_[begin_ + 4], {bytes_.data() + begin_ + kMessageHeader, size}};
  begin_ += kMessageHeader + size;
  return message;
}

void write_greeting(ByteWriter& out, const Greeting& greeting) {
  out.u32(kMagic);
  out.number(greeting.protocol);
  out.number(greeting.pid);
  out.text(greeting.name);
  out.f64(greeting.since);
  out.number(greeting.attached);
  out.text(greeting.framework);
  if (!greeting.rank) return;
  out.number(*greeting.rank);
  out.number(greeting.size);
  out.text(greeting.job);
}

bool read_greeting(std::span<const std::uint8_t> payload, Greeting& greeting) {
  ByteReader in(payload);
  if (in.u32() != kMagic) return false;
  greeting.protocol = in.number();
  if (in.failed() || greeting.protocol != kProtocol) return !in.failed();
  greeting.pid = in.number(0x7fffffffu);
  greeting.name = in.text();
  greeting.since = in.f64();
  greeting.attached = in.number(0x7fffffffu);
  greeting.framework = in.text();
  if (whole(in)) return true;
  greeting.rank = in.number(0x7fffffffu);
  greeting.size = in.number(0x7fffffffu);
  greeting.job = in.text();
  return whole(in);
}

void write_attach(ByteWriter& out, std::uint64_t pid, std::uint64_t protocol) {
  out.u32(kMagic);
  out.number(protocol);
  out.number(pid);
}

bool read_attach(std::span<const std::uint8_t> payload, std::uint64_t& protocol, std::uint64_t& pid) {
  ByteReader in(payload);
  if (in.u32() != kMagic) return false;
  protocol = in.number();
  if (in.failed() || protocol != kProtocol) return !in.failed();
  pid = in.number(0x7fffffffu);
  return whole(in);
}

void write_alive(ByteWriter& out, std::uint64_t arrived) { out.number(arrived); }

bool read_alive(std::span<const std::uint8_t> payload, std::uint64_t& arrived) {
  if (payload.empty()) return false;
  ByteReader in(payload);
  arrived = in.number();
  return whole(in);
}

void write_request(ByteWriter& out, const Request& request) {
  out.number(static_cast<std::uint64_t>(request.kind));
  out.u64(static_cast<std::uint64_t>(request.amount));
  write_breakpoint(out, request.breakpoint);
}

bool read_request(std::span<const std::uint8_t> payload, Request& request) {
  ByteReader in(payload);
  request.kind = static_cast<Request::Kind>(in.number(kLastRequest));
  request.amount = static_cast<std::int64_t>(in.u64());
  return read_breakpoint(in, request.breakpoint) && whole(in);
}

void write_breakpoints(ByteWriter& out, std::span<const Breakpoint> breakpoints) {
  out.number(breakpoints.size());
  for (const Breakpoint& breakpoint : breakpoints) write_breakpoint(out, breakpoint);
}

bool read_breakpoints(std::span<const std::uint8_t> payload, std::vector<Breakpoint>& breakpoints) {
  ByteReader in(payload);
  const std::size_t count = in.count(kLeastBreakpoint);
  if (in.failed() || count > kMostBreakpoints) return false;
  breakpoints.resize(count);
  for (Breakpoint& breakpoint : breakpoints) {
    if (!read_breakpoint(in, breakpoint)) return false;
  }
  return whole(in);
}

void write_hits(ByteWriter& out, std::span<const Hits> hits) {
  out.number(hits.size());
  for (const Hits& one : hits) {
    out.number(one.id);
    out.number(one.count);
  }
}

bool read_hits(std::span<const std::uint8_t> payload, std::vector<Hits>& hits) {
  ByteReader in(payload);
  const std::size_t count = in.count(kLeastHits);
  if (in.failed() || count > kMostBreakpoints) return false;
  hits.resize(count);
  for (Hits& one : hits) {
    one.id = static_cast<std::uint32_t>(in.number(0xffffffffu));
    one.count = in.number();
  }
  return whole(in);
}

void write_standing(ByteWriter& out, const Standing& standing) {
  out.u8(static_cast<std::uint8_t>((standing.paused ? 1 : 0) | (standing.at_end ? 2 : 0) |
                                   (standing.hit ? 4 : 0)));
  out.number(standing.requests_done);
  out.number(standing.step);
  out.number(static_cast<std::uint64_t>(standing.reason));
  if (standing.hit) write_breakpoint(out, *standing.hit);
  out.number(standing.cursor);
  out.number(standing.cursor_count);
  out.number(standing.forward_count);
  out.text(standing.notice);
  out.number(standing.frame.size());
  out.raw(standing.frame.data(), standing.frame.size());
}

bool read_standing(std::span<const std::uint8_t> payload, Standing& standing) {
  ByteReader in(payload);
  const std::uint8_t flags = in.u8();
  standing.paused = flags & 1;
  standing.at_end = flags & 2;
  standing.requests_done = in.number();
  standing.step = in.number();
  standing.reason = static_cast<StopReason>(in.number(kLastReason));
  if (!(flags & 4))
    standing.hit.reset();
  else if (!read_breakpoint(in, standing.hit.emplace()))
    return false;
  standing.cursor = in.number();
  standing.cursor_count = in.number();
  standing.forward_count = in.number();
  standing.notice = in.text();
  const std::span<const std::uint8_t> frame = in.raw(in.count(1));
  standing.frame.assign(frame.begin(), frame.end());
  return whole(in);
}

}  // namespace tapescope::live
