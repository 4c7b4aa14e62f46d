// Messages come back as they were sent, and what cannot be is refused.
#include "engine/live/message.h"

#include <fmt/format.h>

#include "tests/support/approval.h"

using namespace tapescope;
using namespace tapescope::live;

namespace {

template <class T>
Bytes written(void (*write)(record::ByteWriter&, const T&), const T& value) {
  record::ByteWriter out;
  write(out, value);
  return out.bytes();
}

// A payload that is longer is refused. Which shorter ones are read, its bytes, and for each bit of each byte
// from the lowest on whether the payload with that bit changed is refused (r) or read (.).
template <class T>
std::string damage_text(const char* what, const Bytes& whole,
                        bool (*read)(std::span<const std::uint8_t>, T&)) {
  std::string text = fmt::format("{}\n", what);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    T value{};
    if (read(std::span(whole).first(size), value)) text += fmt::format("  is read when cut after {}\n", size);
  }
  Bytes longer = whole;
  longer.push_back(0);
  T value{};
  CHECK_FALSE(read(longer, value));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    text += fmt::format("  {:02x} ", whole[i]);
    for (int bit = 0; bit < 8; ++bit) {
      Bytes changed = whole;
      changed[i] = static_cast<std::uint8_t>(changed[i] ^ 1 << bit);
      T other{};
      text += read(changed, other) ? '.' : 'r';
    }
    text += "\n";
  }
  return text;
}

}  // namespace

TEST_CASE("messages come back as they were sent, however they are cut", "[live]") {
  const Greeting greeting{.pid = 4711, .name = "line_fit", .since = 1.5e9, .attached = 12};
  const Request request{Request::Kind::run_until,
                        -3,
                        {.kind = Breakpoint::Kind::norm_above,
                         .text = "x",
                         .limit = 2.5,
                         .source = "w",
                         .op = "MatMul",
                         .place = 300,
                         .from_hit = 3,
                         .enabled = false,
                         .id = 7,
                         .hits = 1}};
  const Standing standing{.paused = true,
                          .at_end = true,
                          .requests_done = 9,
                          .step = 300,
                          .reason = StopReason::breakpoint,
                          .hit = request.breakpoint,
                          .cursor = 5,
                          .cursor_count = 10,
                          .forward_count = 6,
                          .notice = "no way",
                          .frame = {1, 2, 3}};
  Bytes stream;
  append_message(stream, 1, written(write_greeting, greeting));
  append_message(stream, 2, written(write_request, request));
  append_message(stream, 4, written(write_standing, standing));
  append_message(stream, 5, {});
  for (const std::size_t portion : {std::size_t{1}, std::size_t{7}, stream.size()}) {
    Inbox inbox(1000);
    std::vector<std::uint8_t> kinds;
    Greeting g;
    Request c;
    Standing s;
    for (std::size_t at = 0; at < stream.size(); at += portion) {
      inbox.add(std::span(stream).subspan(at, std::min(portion, stream.size() - at)));
      while (const auto message = inbox.next()) {
        kinds.push_back(message->kind);
        if (message->kind == 1) CHECK(read_greeting(message->payload, g));
        if (message->kind == 2) CHECK(read_request(message->payload, c));
        if (message->kind == 4) CHECK(read_standing(message->payload, s));
      }
    }
    CHECK(kinds == std::vector<std::uint8_t>{1, 2, 4, 5});
    CHECK((g.pid == 4711 && g.name == "line_fit" && g.since == 1.5e9 && g.attached == 12));
    CHECK((c.kind == Request::Kind::run_until && c.amount == -3 && c.breakpoint == request.breakpoint));
    CHECK((s.paused && s.at_end && s.requests_done == 9 && s.step == 300 &&
           s.reason == StopReason::breakpoint));
    REQUIRE(s.hit);
    CHECK(*s.hit == request.breakpoint);
    CHECK((s.cursor == 5 && s.cursor_count == 10 && s.forward_count == 6 && s.notice == "no way" &&
           s.frame == Bytes{1, 2, 3}));
  }
  const std::vector<Breakpoint> breakpoints = {request.breakpoint, {.kind = Breakpoint::Kind::backward}};
  record::ByteWriter out;
  write_breakpoints(out, breakpoints);
  std::vector<Breakpoint> back;
  REQUIRE(read_breakpoints(out.bytes(), back));
  CHECK(back == breakpoints);
  std::string damaged = damage_text<std::vector<Breakpoint>>("breakpoints", out.bytes(), read_breakpoints);
  const std::vector<Hits> hits = {{7, 3}, {8, 1u << 20}};
  record::ByteWriter counted;
  write_hits(counted, hits);
  std::vector<Hits> hits_back;
  REQUIRE(read_hits(counted.bytes(), hits_back));
  CHECK(hits_back == hits);
  damaged += damage_text<std::vector<Hits>>("hits", counted.bytes(), read_hits);
  damaged += damage_text<Greeting>("greeting", written(write_greeting, greeting), read_greeting);
  const Greeting of_job{.pid = 1, .name = "job", .framework = "TensorFlow", .rank = 3, .size = 8, .job = "j"};
  damaged += damage_text<Greeting>("greeting of a job", written(write_greeting, of_job), read_greeting);
  damaged += damage_text<Request>("request", written(write_request, request), read_request);
  damaged += damage_text<Standing>("standing", written(write_standing, standing), read_standing);
  damaged += damage_text<Standing>("standing of a program that runs", written(write_standing, Standing{}),
                                   read_standing);
  approve("engine/approved/live/messages.txt", damaged);
}

TEST_CASE("of another version only the version is read", "[live]") {
  record::ByteWriter out;
  write_attach(out, 12, kProtocol + 1);
  out.text("what a later version has to say");
  Greeting greeting;
  REQUIRE(read_greeting(out.bytes(), greeting));
  CHECK(greeting.protocol == kProtocol + 1);
  CHECK(greeting.name.empty());
  std::uint64_t protocol = 0, pid = 0;
  REQUIRE(read_attach(out.bytes(), protocol, pid));
  CHECK(protocol == kProtocol + 1);
}

TEST_CASE("a message longer than any can be breaks the inbox before it takes memory", "[live]") {
  Inbox inbox(100);
  inbox.add(Bytes{101, 0, 0, 0, 1});
  CHECK_FALSE(inbox.next());
  CHECK(inbox.broken());
  inbox.add(Bytes(100));
  CHECK_FALSE(inbox.next());
}
