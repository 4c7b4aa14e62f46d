// A viewer without a window: attaches, reads what the program sends, sends commands. And a program to
// attach to.
#pragma once
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "engine/live/place.h"
#include "engine/live/server.h"
#include "engine/ops/ops.h"
#include "engine/program.h"
#include "engine/recording/frame_codec.h"
#include "engine/tape/tape.h"
#include "tests/engine/recording/recording_file.h"

namespace tapescope::test {

// Training steps on another thread until end(): of (w * 2)^2, or of what `make` returns there.
class Training {
 public:
  using Step = std::function<void()>;
  Training() : Training(squares) {}
  explicit Training(std::function<Step()> make)
      : thread_([this, make = std::move(make)] { train(make()); }) {}
  ~Training() { end(); }
  void end() {
    ending_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::uint64_t steps() const { return steps_; }
  // Whether steps pass within five seconds: that it runs, and is not stopped.
  bool runs() const {
    const std::uint64_t before = steps_;
    for (int i = 0; i < 1000 && steps_ < before + 2; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return steps_ >= before + 2;
  }
  // Whether none passes in the time of many.
  bool stands() const {
    const std::uint64_t before = steps_;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return steps_ == before;
  }

 private:
  static Step squares() {
    return [w = Variable(constant({1.0, -2.0, 3.0}), {.name = "w"})] {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_sum(square(w * 2.0));
      }
      tape.gradient(loss, w);
    };
  }
  void train(const Step& step) {
    for (std::uint64_t i = 0; !ending_; ++i) {
      note_step_begin(i, 0);
      step();
      note_step_end(i, 0);
      steps_ = i + 1;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  std::atomic<bool> ending_{false};
  std::atomic<std::uint64_t> steps_{0};
  std::thread thread_;
};

class Attached {
 public:
  explicit Attached(const std::string& path, std::uint64_t protocol = live::kProtocol)
      : Attached(live::connect_to(path), protocol) {}
  explicit Attached(live::Connection connection, std::uint64_t protocol = live::kProtocol)
      : connection_(std::move(connection)) {
    record::ByteWriter payload;
    live::write_attach(payload, static_cast<std::uint64_t>(getpid()), protocol);
    say(live::FromViewer::attach, payload);
  }
  const live::Greeting& greeting() const { return connection_.greeting; }
  int socket() const { return connection_.socket.get(); }
  void leave() { connection_.socket.reset(); }

  void say(live::FromViewer kind, const record::ByteWriter& payload = {}) {
    record::Bytes out;
    live::append_message(out, static_cast<std::uint8_t>(kind), payload.bytes());
    say_bytes(out);
  }
  void say_bytes(const record::Bytes& bytes) {
    [[maybe_unused]] const ssize_t sent = send(socket(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  void give(live::Request::Kind kind, std::int64_t amount = 1, Breakpoint breakpoint = {}) {
    record::ByteWriter payload;
    live::write_request(payload, {kind, amount, std::move(breakpoint)});
    say(live::FromViewer::request, payload);
    ++given;
  }
  void set_breakpoints(const std::vector<Breakpoint>& breakpoints) {
    record::ByteWriter payload;
    live::write_breakpoints(payload, breakpoints);
    say(live::FromViewer::breakpoints, payload);
  }

  // Takes what comes until `there`; false when it did not come about in five seconds, or the program hung up.
  bool wait(const std::function<bool()>& there) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    while (!there()) {
      if (closed || std::chrono::steady_clock::now() > end) return false;
      take(20);
    }
    return true;
  }
  bool wait_paused() {
    return wait([&] { return standing.paused && standing.requests_done == given; });
  }
  bool wait_closed() {
    wait([&] { return closed; });
    return closed;
  }
  // After a command: its frame.
  record::KeptFrame frame() {
    std::vector<record::KeptFrame> frames;
    record::ByteReader in(standing.frame);
    if (!record::read_frames(in, frames) || frames.size() != 1) return {};
    return frames.front();
  }
  // What the tape holds so far.
  ReadBack recording() {
    const TemporaryFolder folder;
    const std::string path = folder / "live.tape";
    write_file(path, tape);
    return read_back(path);
  }

  record::Bytes tape;
  live::Standing standing;
  std::vector<live::Hits> hits;
  std::uint64_t given = 0;
  std::string refusal;
  bool closed = false, goodbye = false, damaged = false;

 private:
  void take(int milliseconds) {
    if (const auto message = connection_.inbox.next()) {
      hear(*message);
      return;
    }
    pollfd ready{socket(), POLLIN, 0};
    if (poll(&ready, 1, milliseconds) <= 0) return;
    std::uint8_t bytes[1 << 16];
    const ssize_t count = recv(socket(), bytes, sizeof bytes, 0);
    if (count <= 0) closed = true;
    else connection_.inbox.add(std::span(bytes).first(static_cast<std::size_t>(count)));
  }
  void hear(const live::Inbox::Message& message) {
    switch (static_cast<live::FromProgram>(message.kind)) {
      case live::FromProgram::tape:
        tape.insert(tape.end(), message.payload.begin(), message.payload.end());
        break;
      case live::FromProgram::hits: damaged |= !live::read_hits(message.payload, hits); break;
      case live::FromProgram::standing: damaged |= !live::read_standing(message.payload, standing); break;
      case live::FromProgram::refusal: refusal.assign(message.payload.begin(), message.payload.end()); break;
      case live::FromProgram::goodbye: goodbye = true; break;
      default: damaged = true;
    }
  }

  live::Connection connection_;
};

}  // namespace tapescope::test
