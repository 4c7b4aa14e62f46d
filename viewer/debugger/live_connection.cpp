// A separate thread talks to the program, so that a window that is busy does not look like one that hangs;
// what the tape holds goes to the ingest thread through a pipe, as a recording would.
#include "viewer/debugger/live_connection.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "engine/core/error.h"
#include "engine/live/server.h"
#include "engine/recording/frame_codec.h"
#include "viewer/debugger/breakpoint_text.h"
#include "viewer/debugger/recording.h"
#include "viewer/debugger/ssh_host.h"
#include "viewer/store/recording_source.h"

namespace tapescope {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kAnswerTime = std::chrono::seconds(5);  // for a program to take a viewer
constexpr auto kHanging =
    std::chrono::seconds(5);  // that the window's own loop takes for a pass; it sleeps one at most
// Between counts of what has arrived, and bytes after which the next one does not wait.
constexpr std::chrono::milliseconds kBetweenCounts{100};
constexpr std::uint64_t kManyBytes = 64u << 10;
constexpr std::size_t kMostTape = 4u << 20;  // waiting for the ingest thread; then the socket waits
constexpr int kPipeBytes = 1 << 20;
constexpr std::uint64_t kMostRead = 256u << 20;  // bytes of the tensors of one step

[[noreturn]] void refuse(const std::string& sentence) { throw Error(ErrorKind::surroundings, sentence); }

}  // namespace

LiveConnection::LiveConnection(const std::string& which, std::function<void()> wake, StoreOptions options,
                               EventTap* tap)
    : wake_(std::move(wake)),
      path_(live::find_listener(which)),
      host_(is_ssh_address(which) ? std::make_unique<SshHost>(read_ssh_address(which)) : nullptr),
      connection_(host_ ? host_->connect() : live::connect_to(path_)),
      greeting_(connection_.greeting),
      wake_up_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  record::ByteWriter payload;
  live::write_attach(payload, static_cast<std::uint64_t>(getpid()));
  say(live::FromViewer::attach, payload);
  send();
  int ends[2];
  if (!wake_up_ || pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    refuse(fmt::format("cannot attach to {} ({})", title(), std::strerror(errno)));
  tape_in_ = live::Descriptor(ends[1]);
  fcntl(ends[1], F_SETPIPE_SZ, kPipeBytes);  // smaller is slower, not wrong
  auto source = std::make_unique<RecordingSource>(record::RecordingReader(ends[0], title(), {}));
  source_ = source.get();
  await_tape();
  options.source_paths = [this](std::string_view file) { return source_paths(file); };
  ingest_ = std::make_unique<Ingest>(std::move(source), options, tap);
  ingest_->on_publish(wake_);
  status_.mode = RunMode::running;
  still_here();
  thread_ = std::thread([this] { loop(); });
}

LiveConnection::~LiveConnection() { detach(); }

std::vector<std::string> LiveConnection::source_paths(std::string_view file) const {
  const record::ProgramFacts facts = *source_->without_results().facts;
  return host_ ? source_paths_in({}, facts, file) : source_paths_of(facts, file);
}

void LiveConnection::detach() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard lock(mutex_);
    leaving_ = !ended_;
  }
  say(live::FromViewer::goodbye, {});
  thread_.join();
}

bool LiveConnection::let_go() const {
  std::lock_guard lock(mutex_);
  return leaving_;
}

std::string LiveConnection::title() const {
  return fmt::format("{} ({}){}", greeting_.name, greeting_.pid, host_ ? " on " + host_->host() : "");
}

// The first answer is the beginning of the tape, or why there is none.
void LiveConnection::await_tape() {
  const auto until = Clock::now() + kAnswerTime;
  while (true) {
    if (const auto message = connection_.inbox.next()) {
      if (message->kind == static_cast<std::uint8_t>(live::FromProgram::refusal)) {
        refuse(
            fmt::format("cannot attach: {}", std::string(message->payload.begin(), message->payload.end())));
      }
      if (!hear(*message)) refuse(fmt::format("cannot attach: {} says what no program says", title()));
      return;
    }
    pollfd ready{connection_.socket.get(), POLLIN, 0};
    poll(&ready, 1, 100);
    if (!receive()) refuse(fmt::format("{} ended before it could be attached to", title()));
    if (Clock::now() > until) refuse(fmt::format("{} does not answer: it hangs, or was stopped", title()));
  }
}

RunStatus LiveConnection::status() const {
  RunStatus status;
  {
    std::lock_guard lock(mutex_);
    status = status_;
  }
  const auto snapshot = ingest_->store(0).snapshot();
  if (!snapshot->steps.empty()) status.step = snapshot->steps.back().step + 1;
  if (snapshot->current)
    status.step = std::max(status.step, snapshot->current->step);  // those before were lost
  return status;
}

bool LiveConnection::at_rest() const {
  std::lock_guard lock(mutex_);
  if (ended_) return source_->without_results().ended;
  return status_.mode == RunMode::paused && standing_.requests_done == given_ &&
         source_->taken() >= tape_bytes_;
}

double LiveConnection::steps_for_s() const {
  std::lock_guard lock(mutex_);
  if (ended_ || reading_ || status_.mode != RunMode::paused || standing_.requests_done == given_) return 0;
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - given_at_).count();
}

std::string LiveConnection::take_notice() {
  std::lock_guard lock(mutex_);
  return std::exchange(notice_, {});
}

void LiveConnection::pause() {
  {
    std::lock_guard lock(mutex_);
    reading_.reset();
  }
  say(live::FromViewer::pause, {});
}

std::string LiveConnection::why_unread() const {
  std::lock_guard lock(mutex_);
  if (status_.mode == RunMode::running) return "the program runs; pause it first";
  if (status_.mode != RunMode::paused) return "the program has ended, and it did not stand there";
  return standing_.at_end || read_to_end_ ? std::string(kRanBefore) : std::string();
}

void LiveConnection::read_rest() {
  if (!why_unread().empty()) return;
  {
    std::lock_guard lock(mutex_);
    if (ended_) return;
    reading_ = Reading{standing_.step, standing_.cursor, 0};
    ++given_;
  }
  ask({.kind = live::Request::Kind::step_nodes, .amount = 1});
}

// While the program's rest is read: what comes next. The mutex is held.
std::optional<live::Request> LiveConnection::read_on() {
  if (!reading_ || !standing_.paused || standing_.requests_done != given_) return std::nullopt;
  reading_->bytes += standing_.frame.size();
  const bool there = standing_.step == reading_->step;
  if (there && !standing_.at_end && reading_->bytes < kMostRead) {
    ++given_;
    return live::Request{.kind = live::Request::Kind::step_nodes, .amount = 1};
  }
  if (reading_->bytes >= kMostRead)
    notice_ = "the values of this step take more memory than is set aside for them; later ops have none";
  read_to_end_ = there;
  const auto back = static_cast<std::int64_t>(reading_->cursor);
  reading_.reset();
  if (!there) return std::nullopt;
  ++given_;
  return live::Request{.kind = live::Request::Kind::seek, .amount = back};
}

void LiveConnection::set_breakpoints(std::vector<Breakpoint> breakpoints) {
  number(breakpoints);
  record::ByteWriter payload;
  live::write_breakpoints(payload, breakpoints);
  {
    std::lock_guard lock(mutex_);
    breakpoints_ = std::move(breakpoints);
  }
  say(live::FromViewer::breakpoints, payload);
}

std::vector<Breakpoint> LiveConnection::breakpoints() const {
  std::lock_guard lock(mutex_);
  return breakpoints_;
}

void LiveConnection::give(const live::Request& request) {
  {
    std::lock_guard lock(mutex_);
    if (ended_) return;
    if (standing_.requests_done == given_) given_at_ = std::chrono::steady_clock::now();
    ++given_;
    reading_.reset();
  }
  ask(request);
}

// It was counted.
void LiveConnection::ask(const live::Request& request) {
  record::ByteWriter payload;
  live::write_request(payload, request);
  say(live::FromViewer::request, payload);
}

void LiveConnection::say(live::FromViewer kind, const record::ByteWriter& payload) {
  {
    std::lock_guard lock(mutex_);
    live::append_message(outgoing_, static_cast<std::uint8_t>(kind), payload.bytes());
  }
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_up_.get(), &one, sizeof one);
}

// ---- the connection's thread ----

void LiveConnection::loop() {
  auto alive = Clock::now();
  std::uint64_t said = 0;  // bytes of the tape
  bool there = true;
  while (true) {
    // What came is heard up to its last message, even where nothing more will come.
    while (const auto message = connection_.inbox.next()) there &= hear(*message);
    there &= !connection_.inbox.broken();
    pass_on();
    const auto silent = Clock::now() - alive;
    if ((silent > live::kSignOfLife || arrived() - said >= kManyBytes ||
         (arrived() != said && silent > kBetweenCounts)) &&
        Clock::now().time_since_epoch() - Clock::duration(seen_) < kHanging) {
      alive = Clock::now();
      said = arrived();
      record::ByteWriter payload;
      live::write_alive(payload, said);
      say(live::FromViewer::alive, payload);
    }
    if (!send() || !there || !wait(arrived() != said)) break;
    there = receive();
  }
  end();
}

// Of the tape, as far as the ingest thread will soon have it: what waits for it here has not arrived.
std::uint64_t LiveConnection::arrived() const {
  std::lock_guard lock(mutex_);
  return tape_bytes_ - (tape_.size() - passed_);
}

// False when the window lets go.
bool LiveConnection::wait(bool says_soon) {
  const bool behind = tape_.size() - passed_ > 0;
  bool writes = false;
  {
    std::lock_guard lock(mutex_);
    if (leaving_) return false;
    writes = !outgoing_.empty();
  }
  // A pipe that is full is looked at again soon; poll() knows only whether it has room for a page.
  const bool full = tape_.size() - passed_ > kMostTape;
  const auto events = static_cast<short>((full ? 0 : POLLIN) | (writes ? POLLOUT : 0));
  pollfd all[] = {{wake_up_.get(), POLLIN, 0}, {connection_.socket.get(), events, 0}};
  poll(all, 2, behind ? 5 : says_soon ? static_cast<int>(kBetweenCounts.count()) : 500);
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t drained = read(wake_up_.get(), &count, sizeof count);
  return true;
}

// False when nothing more will come.
bool LiveConnection::receive() {
  if (tape_.size() - passed_ > kMostTape) return true;
  std::uint8_t bytes[1 << 16];
  for (int portions = 16; portions > 0; --portions) {
    const ssize_t count = recv(connection_.socket.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    if (count == 0) return false;
    if (count < 0) return errno == EAGAIN || errno == EINTR;
    connection_.inbox.add(std::span(bytes).first(static_cast<std::size_t>(count)));
    if (static_cast<std::size_t>(count) < sizeof bytes) break;
  }
  return true;
}

bool LiveConnection::hear(const live::Inbox::Message& message) {
  switch (static_cast<live::FromProgram>(message.kind)) {
    case live::FromProgram::tape: {
      tape_.insert(tape_.end(), message.payload.begin(), message.payload.end());
      std::lock_guard lock(mutex_);
      tape_bytes_ += message.payload.size();
      return true;
    }
    case live::FromProgram::standing: return take_standing(message.payload);
    case live::FromProgram::hits: return take_hits(message.payload);
    case live::FromProgram::goodbye: {
      std::lock_guard lock(mutex_);
      goodbye_ = true;
      return true;
    }
    default: return false;
  }
}

bool LiveConnection::take_standing(std::span<const std::uint8_t> payload) {
  live::Standing standing;
  if (!live::read_standing(payload, standing)) return false;
  std::shared_ptr<FrameView> view;
  if (standing.paused) {
    std::vector<record::KeptFrame> frames;
    record::ByteReader in(standing.frame);
    if (!record::read_frames(in, frames) || frames.size() != 1) return false;
    view = std::make_shared<FrameView>();
    view->reason = standing.reason;
    view->frame = std::move(frames.front().frame);
    view->arrived = arrived_at_sources(view->frame);
    view->digests = std::move(frames.front().digests);
    view->foreign = true;
    view->hash = frames.front().hash;
    view->step = standing.step;
    view->cursor = standing.cursor;
    view->cursor_count = standing.cursor_count;
    view->forward_count = standing.forward_count;
    if (standing.hit) view->breakpoint = stop_text(*standing.hit, view->frame, view->digests);
  }
  std::optional<live::Request> next;
  {
    std::lock_guard lock(mutex_);
    if (!standing.notice.empty() && standing.requests_done != standing_.requests_done)
      notice_ = standing.notice;
    status_.mode = standing.paused ? RunMode::paused : RunMode::running;
    if (view && view->cursor > 0) seen_places_ = with_place(seen_places_.get(), view);
    status_.frame = std::move(view);
    status_.commands_done = standing.requests_done;
    if (standing.step != standing_.step) read_to_end_ = false;
    standing_ = std::move(standing);
    next = read_on();
  }
  if (next) ask(*next);
  wake_();
  return true;
}

std::shared_ptr<const KeptFrames> LiveConnection::seen(std::uint64_t step) const {
  const std::lock_guard lock(mutex_);
  return seen_places_ && seen_places_->step == step ? seen_places_ : nullptr;
}

bool LiveConnection::take_hits(std::span<const std::uint8_t> payload) {
  std::vector<live::Hits> hits;
  if (!live::read_hits(payload, hits)) return false;
  {
    std::lock_guard lock(mutex_);
    for (Breakpoint& breakpoint : breakpoints_) {
      for (const live::Hits& one : hits) {
        if (one.id == breakpoint.id) breakpoint.hits = one.count;
      }
    }
  }
  wake_();
  return true;
}

// Into the ingest thread's pipe, as much as it takes.
void LiveConnection::pass_on() {
  while (passed_ < tape_.size()) {
    const ssize_t count = write(tape_in_.get(), tape_.data() + passed_, tape_.size() - passed_);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    passed_ += static_cast<std::size_t>(count);
  }
  if (passed_ > kMostTape || passed_ == tape_.size()) {
    tape_.erase(tape_.begin(), tape_.begin() + static_cast<std::ptrdiff_t>(passed_));
    passed_ = 0;
  }
}

bool LiveConnection::send() {
  std::lock_guard lock(mutex_);
  while (!outgoing_.empty()) {
    const ssize_t count =
        ::send(connection_.socket.get(), outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN;
    outgoing_.erase(outgoing_.begin(), outgoing_.begin() + count);
  }
  return true;
}

// Nothing more comes, or the window lets go.
void LiveConnection::end() {
  send();
  // What came last is still to be seen, however long the ingest thread takes.
  for (pass_on(); passed_ < tape_.size() && !let_go(); pass_on()) {
    pollfd room{tape_in_.get(), POLLOUT, 0};
    poll(&room, 1, 20);
  }
  tape_in_.reset();
  connection_.socket.reset();
  const std::string lost = host_ && !let_go() ? host_->lost() : std::string();
  {
    std::lock_guard lock(mutex_);
    status_.mode = RunMode::finished;
    status_.frame = nullptr;
    ended_ = true;
    if (!lost.empty() && !goodbye_) {
      status_.error = fmt::format(
          "The connection to {} is lost ({}); what came is kept, the program runs on and `attach-again` "
          "shows it again",
          title(), lost);
    } else if (!goodbye_ && !leaving_) {
      status_.error = fmt::format(
          "{} was killed or crashed; what it did last was on its way and is missing, everything before is "
          "shown",
          title());
    }
  }
  wake_();
}

}  // namespace tapescope
