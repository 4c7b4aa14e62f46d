// One thread: sleeps in poll(), hands records over while a viewer is attached, and never waits for anybody.
#include "engine/live/server.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "engine/core/error.h"
#include "engine/debug/member_places.h"
#include "engine/events/lasting.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tensors.h"
#include "engine/live/feed.h"
#include "engine/live/for_good.h"
#include "engine/live/line.h"
#include "engine/recording/process_facts.h"

namespace tapescope::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMostGuests = 16;
constexpr auto kGuestTime = seconds(5);                                       // to attach or go
constexpr auto kBusyPause = milliseconds(2), kQuietPause = milliseconds(20);  // between looks for records
constexpr auto kFlushInterval = milliseconds(30);  // what is newer could not be seen anyway
constexpr auto kHitsInterval = milliseconds(100);  // a count that rises faster cannot be read
constexpr auto kLastTime = seconds(1);  // that the end of the program waits for a viewer to take the rest
// Bytes the viewer may be behind; beyond it records are dropped and counted.
constexpr std::size_t kMostWaiting = 8u << 20;
constexpr std::size_t kReadBytes = 64u << 10;

[[noreturn]] void fail_to_listen(const std::string& path) {
  throw Error(ErrorKind::surroundings,
              fmt::format("cannot listen at {} ({}); set XDG_RUNTIME_DIR to a folder of your own", path,
                          std::strerror(errno)));
}

double now_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

void add_job(Greeting& greeting, const record::ProgramFacts& facts) {
  const auto number = [&](const char* key) -> std::optional<std::uint64_t> {
    const auto found = facts.find(key);
    if (found == facts.end()) return std::nullopt;
    return std::strtoull(found->second.c_str(), nullptr, 10);
  };
  greeting.rank = number("rank");
  if (!greeting.rank) return;
  greeting.size = number("size").value_or(0);
  if (const auto job = facts.find("job"); job != facts.end()) greeting.job = job->second;
}

}  // namespace

// What a recording would get as chunks goes out as messages.
class Server::TapeSink final : public record::ByteSink {
 public:
  TapeSink(Outbox& outbox, std::uint64_t& total) : outbox_(outbox), total_(total) {}
  std::string write(std::span<const std::uint8_t> bytes) override {
    append_message(outbox_.bytes, static_cast<std::uint8_t>(FromProgram::tape), bytes);
    total_ += bytes.size();
    return {};
  }

 private:
  Outbox& outbox_;
  std::uint64_t& total_;
};

struct Server::Viewer {
  Descriptor socket;
  Inbox inbox{kMostFromViewer};
  std::uint64_t pid = 0;
  Outbox outbox;
  std::unique_ptr<Feed> feed;
  std::uint64_t tape_bytes = 0;  // written so far
  std::unique_ptr<record::RecordingWriter> writer;
  Line line;
  Thinner thinner;
  std::map<std::uint32_t, std::uint64_t> dropped;  // records by thread, not reported yet
  std::uint64_t lost = 0, lost_statistics = 0;     // dropped here, all in all
  std::uint64_t reported = 0, reported_hits = 0;   // changes of the standing, of hits
  std::size_t sources = 0;                         // files whose paths were sent
  Clock::time_point heard = Clock::now(), flushed = Clock::now(), hits_sent = Clock::now();
};

Server::Server(const std::string& folder, std::chrono::milliseconds silence, bool will_stand)
    : path_(socket_path(folder, getpid())),
      silence_(silence),
      facts_(record::process_facts()),
      since_(now_since_1970()),
      owner_(getpid()),
      pilot_(keep_for_good(std::make_unique<Pilot>([this] { wake(); }))) {
  if (will_stand) pilot_.expect_stand();
  wake_ = Descriptor(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  listener_ = Descriptor(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // Under another name until it listens: a viewer that finds a socket that refuses takes it for one of a dead
  // process.
  const std::string making = path_ + ".new";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, making.data(), making.size());
  unlink(making.c_str());
  if (!wake_ || !listener_ ||
      bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(making.c_str(), 0600) != 0 || ::listen(listener_.get(), static_cast<int>(kMostGuests)) != 0 ||
      rename(making.c_str(), path_.c_str()) != 0) {
    fail_to_listen(path_);
  }
  // The program's signals are for the program's threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { loop(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Server::~Server() {
  finish();
  pilot_.part();
}

void Server::finish() {
  if (getpid() != owner_ || !thread_.joinable()) return;
  stopping_ = true;
  wake();
  thread_.join();
}

void Server::leave_to_parent() {
  set_process_gate(nullptr);
  for (Descriptor* open : {&listener_, &wake_}) open->reset();
  for (Guest& guest : guests_) guest.socket.reset();
  if (viewer_) viewer_->socket.reset();
}

void Server::wake() {
  const std::uint64_t one = 1;
  // Full means that it is awake anyway.
  [[maybe_unused]] const ssize_t written = write(wake_.get(), &one, sizeof one);
}

void Server::loop() {
  bool busy = false;
  while (!stopping_) {
    try {
      busy = serve(busy);
    } catch (const std::exception&) {
      drop_all();
      std::this_thread::sleep_for(kQuietPause);
    }
  }
  try {
    if (viewer_) say_goodbye();
  } catch (const std::exception&) {
    drop_all();
  }
  unlink(path_.c_str());
}

// Returns whether records came.
bool Server::serve(bool busy) {
  wait(busy);
  welcome();
  hear_guests();
  if (!viewer_) return false;
  busy = pump(false) > 0;
  tell_standing();
  tell_hits(false);
  if (!hear_viewer() || !send() || Clock::now() - viewer_->heard > silence_) detach();
  return busy;
}

// No memory is left, say: the program goes on alone.
void Server::drop_all() {
  guests_.clear();
  if (!viewer_) return;
  if (viewer_->writer) viewer_->writer->leave_to_parent();
  detach();
}

void Server::wait(bool busy) {
  std::vector<pollfd>& all = polled_;
  // Negative ones are passed over.
  all.assign({{crowded_ ? -1 : listener_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}});
  for (const Guest& guest : guests_) all.push_back({guest.socket.get(), POLLIN, 0});
  if (viewer_) {
    const bool writes = viewer_->outbox.waiting() > 0;
    all.push_back({viewer_->socket.get(), static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
  }
  const int timeout = viewer_ ? static_cast<int>((busy ? kBusyPause : kQuietPause).count())
                      : guests_.empty() && !crowded_ ? -1
                                                     : 1000;
  poll(all.data(), all.size(), timeout);
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t drained = read(wake_.get(), &count, sizeof count);
}

void Server::welcome() {
  while (true) {
    Descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!socket) {
      // The program has used up its descriptors: who waits is let in when one is free.
      crowded_ = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
      return;
    }
    Guest guest{std::move(socket), Inbox{kMostFromViewer}, Clock::now()};
    if (const uid_t user = peer_user(guest.socket.get()); user != geteuid()) {
      refuse(guest, fmt::format("this program belongs to user {}, you are {}", geteuid(), user));
      continue;
    }
    // Who has said nothing for longest makes room: viewers attach at once.
    if (guests_.size() >= kMostGuests) guests_.erase(guests_.begin());
    record::ByteWriter payload;
    Greeting greeting{.pid = static_cast<std::uint64_t>(owner_),
                      .name = facts_.at("name"),
                      .since = since_,
                      .attached = viewer_ ? viewer_->pid : 0};
    add_job(greeting, facts_);
    // It may have been imported since.
    greeting.framework = record::framework_text(record::facts_that_were_set());
    write_greeting(payload, greeting);
    Bytes out;
    append_message(out, static_cast<std::uint8_t>(FromProgram::greeting), payload.bytes());
    // A fresh socket's buffer takes that much at once.
    if (::send(guest.socket.get(), out.data(), out.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(out.size()))
      continue;
    guests_.push_back(std::move(guest));
  }
}

void Server::refuse(const Guest& guest, const std::string& sentence) {
  Bytes out;
  append_message(out, static_cast<std::uint8_t>(FromProgram::refusal),
                 {reinterpret_cast<const std::uint8_t*>(sentence.data()), sentence.size()});
  ::send(guest.socket.get(), out.data(), out.size(), MSG_NOSIGNAL);
}

namespace {

// False once the other side is gone, or sends an invalid message.
bool receive(int socket, Inbox& inbox, bool& heard) {
  std::uint8_t bytes[kReadBytes];
  const ssize_t count = recv(socket, bytes, sizeof bytes, 0);
  if (count < 0) return errno == EAGAIN || errno == EINTR;
  heard = count > 0;
  inbox.add(std::span(bytes).first(static_cast<std::size_t>(count)));
  return heard;
}

}  // namespace

void Server::hear_guests() {
  std::vector<Guest> staying;
  for (Guest& guest : std::exchange(guests_, {})) {
    bool heard = false;
    if (!receive(guest.socket.get(), guest.inbox, heard)) continue;
    if (const auto message = guest.inbox.next()) {
      if (message->kind == static_cast<std::uint8_t>(FromViewer::attach)) {
        const Bytes payload(message->payload.begin(), message->payload.end());
        attach(std::move(guest), payload);
      }
      continue;
    }
    if (!guest.inbox.broken() && Clock::now() - guest.since < kGuestTime) staying.push_back(std::move(guest));
  }
  guests_ = std::move(staying);
}

void Server::attach(Guest guest, std::span<const std::uint8_t> payload) {
  std::uint64_t protocol = 0, pid = 0;
  const std::string who = fmt::format("{} ({})", facts_.at("name"), owner_);
  if (!read_attach(payload, protocol, pid)) return;
  if (protocol != kProtocol) {
    refuse(
        guest,
        fmt::format(
            "{} speaks version {} of the attachment, this Tapescope version {}; build both from one version",
            who, kProtocol, protocol));
    return;
  }
  // One that has left by now makes room, although it would be heard later.
  if (viewer_ && !hear_viewer()) detach();
  if (viewer_) {
    refuse(guest, fmt::format("process {} is attached to {} already; detach there first", viewer_->pid, who));
    return;
  }
  auto viewer = std::make_unique<Viewer>();
  viewer->socket = std::move(guest.socket);
  viewer->inbox = std::move(guest.inbox);
  viewer->pid = pid;
  try {
    viewer->feed = make_feed();
  } catch (const Error&) {
    guest.socket = std::move(viewer->socket);
    refuse(guest,
           fmt::format("{} listens to its own events, so no viewer can; end its Session to attach", who));
    return;
  }
  viewer->writer = std::make_unique<record::RecordingWriter>(
      std::make_unique<TapeSink>(viewer->outbox, viewer->tape_bytes), facts_);
  for (Lasting& lasting : lasting_records()) {
    for (Record& record : lasting.records) {
      if (!record.is<VariableRecord>()) continue;
      auto made = record.as<VariableRecord>();
      made.site = member_place(made.site, made.name);
      record = made;
    }
    viewer->writer->add(lasting.thread, lasting.records);
  }
  viewer_ = std::move(viewer);
  pilot_.attach();
  attached_ = true;
}

// False where the viewer is gone.
bool Server::hear_viewer() {
  Viewer& v = *viewer_;
  bool heard = false;
  if (!receive(v.socket.get(), v.inbox, heard)) return false;
  if (heard) v.heard = Clock::now();
  while (const auto message = v.inbox.next()) {
    if (!take_message(*message)) return false;
  }
  return !v.inbox.broken();
}

bool Server::take_message(const Inbox::Message& message) {
  switch (static_cast<FromViewer>(message.kind)) {
    case FromViewer::request: {
      Request request;
      if (!read_request(message.payload, request)) return false;
      pilot_.give(std::move(request));
      return true;
    }
    case FromViewer::pause: pilot_.pause(); return true;
    case FromViewer::breakpoints: {
      std::vector<Breakpoint> breakpoints;
      if (!read_breakpoints(message.payload, breakpoints)) return false;
      pilot_.set_breakpoints(std::move(breakpoints));
      return true;
    }
    case FromViewer::alive: {
      std::uint64_t arrived = 0;
      if (read_alive(message.payload, arrived)) viewer_->line.arrived(arrived, Clock::now());
      return true;
    }
    default: return false;  // goodbye, and invalid messages
  }
}

Thinner::Sink Server::writer() {
  return [this](std::uint32_t thread, std::span<const Record> part) { viewer_->writer->add(thread, part); };
}

// Adds to each thread's records how many of them the viewer missed.
void Server::report_dropped() {
  for (const auto& [thread, count] : std::exchange(viewer_->dropped, {})) {
    const Record note = LostRecord{.records = count};
    viewer_->writer->add(thread, std::span(&note, 1));
  }
}

// Hands over what the program did meanwhile. Returns the number of records.
std::size_t Server::pump(bool last) {
  Viewer& v = *viewer_;
  const bool full = v.outbox.waiting() > kMostWaiting;
  if (!full) report_dropped();
  const std::uint64_t every = v.line.every(Clock::now());
  v.thinner.set_every(v.line.has_room() ? every : 0);
  const std::vector<StatsEntry> statistics = v.feed->take_stats();
  const std::size_t records = v.feed->drain([&](std::uint32_t thread, std::span<const Record> part) {
    if (full) {
      for (const Record& record : part) {
        // What was lost before it came here is in the feed's count.
        const bool lost = record.is<LostRecord>();
        v.dropped[thread] += lost ? record.as<LostRecord>().records : 1;
        v.lost += lost ? 0 : 1;
      }
    } else {
      v.thinner.add(thread, part, writer());
    }
  });
  if (full) v.lost_statistics += statistics.size();
  else v.writer->add_statistics(statistics);
  const auto now = Clock::now();
  if (!full && (last || now - v.flushed >= kFlushInterval)) {
    if (const std::size_t known = source_path_count(); known != v.sources) {
      v.writer->add_facts(record::facts_that_were_set());
      v.sources = known;
    }
    v.writer->flush();
    v.flushed = now;
    v.line.given(v.tape_bytes, now);
  }
  return records;
}

// After the records that led there, so that the viewer knows the place.
void Server::tell_standing() {
  Viewer& v = *viewer_;
  const std::uint64_t changes = pilot_.changes();
  if (changes == v.reported || v.outbox.waiting() > kMostWaiting) return;
  const Standing standing = pilot_.standing();
  pump(true);
  if (standing.paused) {  // all of the step it stands in is wanted
    v.thinner.release(writer());
    v.writer->flush();
  }
  tell_hits(true);
  record::ByteWriter payload;
  write_standing(payload, standing);
  append_message(v.outbox.bytes, static_cast<std::uint8_t>(FromProgram::standing), payload.bytes());
  v.reported = changes;
}

// Counts that have changed: at a stop at once, else now and then.
void Server::tell_hits(bool now) {
  Viewer& v = *viewer_;
  const std::uint64_t changes = pilot_.hit_changes();
  if (changes == v.reported_hits || v.outbox.waiting() > kMostWaiting) return;
  if (!now && Clock::now() - v.hits_sent < kHitsInterval) return;
  record::ByteWriter payload;
  write_hits(payload, pilot_.hits());
  append_message(v.outbox.bytes, static_cast<std::uint8_t>(FromProgram::hits), payload.bytes());
  v.reported_hits = changes;
  v.hits_sent = Clock::now();
}

// As much as the socket takes; false where its other end is closed.
bool Server::send() {
  Viewer& v = *viewer_;
  Outbox& out = v.outbox;
  while (out.waiting() > 0) {
    const ssize_t count = ::send(v.socket.get(), out.bytes.data() + out.sent, out.waiting(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      // What went out makes room for what comes.
      out.bytes.erase(out.bytes.begin(), out.bytes.begin() + static_cast<std::ptrdiff_t>(out.sent));
      out.sent = 0;
      return errno == EAGAIN;
    }
    out.sent += static_cast<std::size_t>(count);
  }
  out.bytes.clear();
  out.sent = 0;
  return true;
}

void Server::detach() {
  pilot_.detach();
  viewer_.reset();
  attached_ = false;
}

void Server::say_goodbye() {
  Viewer& v = *viewer_;
  pilot_.detach();
  v.feed->stop(true);
  pump(true);
  v.thinner.release(writer());
  report_dropped();
  v.writer->finish("finished", v.feed->lost() + v.lost + v.thinner.lost(),
                   v.feed->lost_stats() + v.lost_statistics);
  append_message(v.outbox.bytes, static_cast<std::uint8_t>(FromProgram::goodbye), {});
  const auto end = Clock::now() + kLastTime;
  while (send() && v.outbox.waiting() > 0 && Clock::now() < end) {
    pollfd ready{v.socket.get(), POLLOUT, 0};
    poll(&ready, 1, 20);
  }
  detach();
}

}  // namespace tapescope::live
