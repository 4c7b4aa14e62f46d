// A running program that the window is attached to: its events, where it stands, and the commands that move
// it.
#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "engine/live/place.h"
#include "viewer/debugger/kept_frames.h"
#include "viewer/debugger/run_control.h"
#include "viewer/store/ingest.h"

namespace tapescope {

class RecordingSource;
class SshHost;

class LiveConnection {
 public:
  // Attaches to the program of that process id, name or socket, or ssh://HOST/NAME. Throws Error
  // (surroundings). `wake` is called
  // on other threads when there is something new to draw; `tap` gets what the stores get, and must outlive
  // this.
  LiveConnection(const std::string& which, std::function<void()> wake, StoreOptions options = {},
                 EventTap* tap = nullptr);
  // The program goes on, wherever it stands.
  ~LiveConnection();
  LiveConnection(const LiveConnection&) = delete;
  LiveConnection& operator=(const LiveConnection&) = delete;

  const live::Greeting& greeting() const { return greeting_; }
  std::string title() const;  // "line_fit (4711)", "line_fit (4711) on HOST"
  // Of its socket, or the ssh:// address.
  const std::string& path() const { return path_; }
  // The program goes on, wherever it stands; its events so far stay.
  void detach();
  bool let_go() const;  // by detach()
  // Its mode is finished once the program ended; error says so where it was killed.
  RunStatus status() const;
  // Every command given was carried out, nothing runs, and all events up to there are stored or about to be.
  bool at_rest() const;
  Ingest& ingest() { return *ingest_; }
  const Ingest& ingest() const { return *ingest_; }
  const RecordingSource& source() const { return *source_; }
  // Where the program's file of that name may be. What a program on another machine names is not opened
  // unasked.
  std::vector<std::string> source_paths(std::string_view file) const;
  // The window says so at least every five seconds. Where it hangs the program is let go, as if the window
  // had died.
  void still_here() { seen_ = std::chrono::steady_clock::now().time_since_epoch().count(); }
  // The places of that step where it stood; null where it stood at none.
  std::shared_ptr<const KeptFrames> seen(std::uint64_t step) const;
  // Lets the program go on op by op to the end of its step, so that seen() has the values of all ops from
  // here on, then brings the cursor back. Ends early at a command, or where they take too much memory.
  void read_rest();
  // Why it cannot; empty where it can. A sentence without a full stop.
  std::string why_unread() const;
  // For how many seconds a step that was asked for has been under way; 0: none is.
  double steps_for_s() const;
  // What the last command could not do, once; empty when it could.
  std::string take_notice();

  void run() { give({.kind = live::Request::Kind::run}); }
  void pause();
  void step_nodes(std::int64_t nodes) { give({.kind = live::Request::Kind::step_nodes, .amount = nodes}); }
  void step_into() { give({.kind = live::Request::Kind::step_into}); }
  void step_training(std::uint64_t steps) {
    give({.kind = live::Request::Kind::step_training, .amount = static_cast<std::int64_t>(steps)});
  }
  void seek(std::uint64_t cursor) {
    give({.kind = live::Request::Kind::seek, .amount = static_cast<std::int64_t>(cursor)});
  }
  void run_until(Breakpoint breakpoint) {
    give({.kind = live::Request::Kind::run_until, .breakpoint = std::move(breakpoint)});
  }
  // The program evaluates them; their hits are as many as it has reported.
  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  std::vector<Breakpoint> breakpoints() const;

 private:
  void await_tape();
  void give(const live::Request& request);
  void ask(const live::Request& request);
  std::optional<live::Request> read_on();
  void say(live::FromViewer kind, const record::ByteWriter& payload);
  void loop();
  bool wait(bool says_soon);
  std::uint64_t arrived() const;
  bool receive();
  bool hear(const live::Inbox::Message& message);
  bool take_standing(std::span<const std::uint8_t> payload);
  bool take_hits(std::span<const std::uint8_t> payload);
  void pass_on();
  bool send();
  void end();

  std::function<void()> wake_;
  std::string path_;
  std::unique_ptr<SshHost> host_;  // null on this machine
  live::Connection connection_;
  live::Greeting greeting_;
  live::Descriptor wake_up_, tape_in_;
  RecordingSource* source_ = nullptr;  // the ingest's
  std::unique_ptr<Ingest> ingest_;

  std::atomic<std::chrono::steady_clock::rep> seen_{0};
  mutable std::mutex mutex_;  // guards what follows
  record::Bytes outgoing_;
  RunStatus status_;
  live::Standing standing_;
  struct Reading {  // of the rest of a step
    std::uint64_t step = 0, cursor = 0, bytes = 0;
  };
  std::optional<Reading> reading_;
  bool read_to_end_ = false;                       // the step it stands in
  std::shared_ptr<const KeptFrames> seen_places_;  // of the step it stood in last
  std::uint64_t given_ = 0, tape_bytes_ = 0;
  std::chrono::steady_clock::time_point given_at_;  // the first that is not carried out yet
  std::string notice_;
  std::vector<Breakpoint> breakpoints_;
  bool leaving_ = false, goodbye_ = false, ended_ = false;

  record::Bytes tape_;  // the connection's thread alone: what the ingest's pipe did not take yet
  std::size_t passed_ = 0;
  std::thread thread_;
};

}  // namespace tapescope
