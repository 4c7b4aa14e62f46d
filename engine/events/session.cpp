// Sessions, their streams, and the registry of threads.
#include "engine/events/session.h"

#include <pthread.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>

#include "engine/core/error.h"
#include "engine/core/tensor_ids.h"
#include "engine/events/clock.h"
#include "engine/events/limit.h"
#include "engine/events/records/steps.h"
#include "engine/events/threads.h"

namespace tapescope {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<ThreadPort*> ports;
  std::uint32_t initial = kListenShadow;
  Session* session = nullptr;
};
// Never destroyed: threads may end after static objects do.
Registry& registry() {
  static Registry* instance = new Registry;
  return *instance;
}
std::atomic<Session*> active_session{nullptr};
constinit std::atomic<std::uint32_t> sessions_started{0};
std::atomic<std::size_t> active_flight_budget{0};
std::atomic<std::uint32_t> active_stats_every{0};

// Records of a chunk that is let go; 0 where there is none.
std::uint64_t take_count(ChunkRef& chunk) {
  const ChunkRef taken = std::exchange(chunk, ChunkRef());
  return taken ? taken->count.load(std::memory_order_relaxed) : 0;
}

// What a thread wrote from where a step begins to where its next one does. Steps of several threads go to the
// reader in the order in which they began: it takes one that comes late for a step that runs again.
struct Part {
  Ticks begin;
  std::uint32_t thread;
  std::vector<Record> records;
};

}  // namespace

ThreadPort::ThreadPort() {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  listen.store(all.initial, std::memory_order_relaxed);
  all.ports.push_back(this);
  if (all.session) all.session->adopt(writer);
}

ThreadPort::~ThreadPort() {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  std::erase(all.ports, this);
}

void listen_on_all_threads(Listen bit, bool on) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  if (on) {
    all.initial |= bit;
    for (ThreadPort* port : all.ports) port->listen.fetch_or(bit, std::memory_order_relaxed);
  } else {
    all.initial &= ~static_cast<std::uint32_t>(bit);
    for (ThreadPort* port : all.ports)
      port->listen.fetch_and(~static_cast<std::uint32_t>(bit), std::memory_order_relaxed);
  }
}

std::vector<ChunkRef> journals_of_all_threads() {
  std::vector<ChunkRef> chunks;
  {
    Registry& all = registry();
    std::lock_guard lock(all.mutex);
    for (const ThreadPort* port : all.ports) port->writer.copy_journal(chunks);
  }
  copy_ended_journals(chunks);
  return chunks;
}

void for_each_thread(void (*visit)(ThreadPort&, void*), void* context) {
  Registry& all = registry();
  std::lock_guard lock(all.mutex);
  for (ThreadPort* port : all.ports) visit(*port, context);
}

void EventStream::push(const ChunkRef& chunk, std::uint32_t from) {
  std::unique_lock lock(mutex_);
  const std::uint64_t dropped = take_count(dropping_);
  lost_unreported_ += dropped;
  lost_.fetch_add(dropped, std::memory_order_relaxed);
  if (queue_.size() >= options_.max_chunks && !abandoned_) {
    switch (options_.policy) {
      case FullPolicy::block:
        room_.wait(lock, [&] { return queue_.size() < options_.max_chunks || abandoned_; });
        break;
      case FullPolicy::drop: dropping_ = chunk; return;
      case FullPolicy::overwrite: {
        const Entry& oldest = queue_.front();
        const std::uint64_t count = oldest.chunk->count.load(std::memory_order_relaxed) - oldest.from;
        lost_unreported_ += count;
        lost_.fetch_add(count, std::memory_order_relaxed);
        queue_.pop_front();
        break;
      }
    }
  }
  if (!abandoned_) queue_.push_back({chunk, from});
}

void EventStream::abandon() {
  std::lock_guard lock(mutex_);
  abandoned_ = true;
  // What was dropped last is known only now.
  const std::uint64_t dropped = take_count(dropping_);
  lost_unreported_ += dropped;
  lost_.fetch_add(dropped, std::memory_order_relaxed);
  room_.notify_all();
}

std::size_t default_flight_budget() {
  const char* asked = std::getenv("TAPESCOPE_FLIGHT_BUDGET");
  if (!asked || !*asked) return std::size_t{256} << 20;
  std::size_t mebibytes = 0;
  const char* end = asked + std::strlen(asked);
  const auto [at, wrong] = std::from_chars(asked, end, mebibytes);
  if (wrong != std::errc() || at != end || mebibytes > (std::size_t{1} << 30)) {
    throw Error(ErrorKind::value,
                "TAPESCOPE_FLIGHT_BUDGET is '" + std::string(asked) +
                    "'; expected a number of MiB that each thread may hold of its step, 0 for none");
  }
  return mebibytes << 20;
}

std::size_t flight_budget() { return active_flight_budget.load(std::memory_order_relaxed); }

bool wants_stats(std::uint64_t step) {
  const std::uint32_t every = active_stats_every.load(std::memory_order_relaxed);
  return every != 0 && step % every == 0;
}

Session::Session(const SessionOptions& options) : options_(options) {
  options_.max_chunks = std::max(options_.max_chunks, 1u);
}

Session::~Session() { stop(); }

std::uint32_t Session::number() { return sessions_started.load(std::memory_order_relaxed); }

Session* Session::active() { return active_session.load(std::memory_order_acquire); }

void Session::prepare_for_forks() {
  // The lock is held over the fork, so that the child finds it free.
  static const int prepared = pthread_atfork(
      [] {
        registry().mutex.lock();
        lock_chunks();
      },
      [] {
        unlock_chunks();
        registry().mutex.unlock();
      },
      [] {
        unlock_chunks();
        Registry& child = registry();
        constexpr std::uint32_t kOfSessions = kListenEvents | kListenFlight;
        child.initial &= ~kOfSessions;
        child.session = nullptr;
        active_session.store(nullptr, std::memory_order_release);
        active_stats_every.store(0, std::memory_order_relaxed);
        // The thread that forked is the child's only one; what the others registered is there
        // and harmless.
        for (ThreadPort* port : child.ports) port->listen.fetch_and(~kOfSessions, std::memory_order_relaxed);
        child.mutex.unlock();
      });
  static_cast<void>(prepared);
}

void Session::start() {
  if (started_) return;
  prepare_for_forks();
  {
    Registry& all = registry();
    std::lock_guard lock(all.mutex);
    if (all.session) {
      throw Error(ErrorKind::runtime,
                  "[Session] another session is listening; stop it before starting this one");
    }
    all.session = this;
    active_session.store(this, std::memory_order_release);
    for (ThreadPort* port : all.ports) adopt(port->writer);
  }
  started_ = true;
  first_tensor_.store(begin_tensor_ids(), std::memory_order_relaxed);
  sessions_started.fetch_add(1, std::memory_order_relaxed);
  restart_limits();
  active_flight_budget.store(options_.flight_budget, std::memory_order_relaxed);
  active_stats_every.store(options_.stats_every, std::memory_order_relaxed);
  listen_on_all_threads(kListenEvents, true);
  if (options_.flight_budget > 0) listen_on_all_threads(kListenFlight, true);
}

void Session::stop() {
  if (!started_) return;
  started_ = false;
  listen_on_all_threads(kListenEvents, false);
  if (options_.flight_budget > 0) {
    listen_on_all_threads(kReleaseFlight, true);
    listen_on_all_threads(kListenFlight, false);
  }
  Registry& all = registry();
  {
    // A blocked writer must not hold up the registry's lock holder below.
    std::lock_guard lock(mutex_);
    for (auto& stream : streams_) stream->abandon();
  }
  std::lock_guard lock(all.mutex);
  all.session = nullptr;
  active_session.store(nullptr, std::memory_order_release);
  active_stats_every.store(0, std::memory_order_relaxed);
  for (ThreadPort* port : all.ports) port->writer.attach(nullptr);
}

void Session::adopt(EventWriter& writer) {
  std::lock_guard lock(mutex_);
  streams_.push_back(std::make_shared<EventStream>(writer.thread(), options_));
  writer.attach(streams_.back());
}

std::size_t Session::drain(const std::function<void(std::uint32_t, std::span<const Record>)>& sink) {
  std::vector<std::shared_ptr<EventStream>> streams;
  {
    std::lock_guard lock(mutex_);
    streams = streams_;
  }
  std::size_t total = 0;
  if (streams.size() < 2) {
    for (const auto& stream : streams) total += stream->drain(sink);
    return total;
  }
  std::vector<Part> parts;
  std::size_t stepping = 0;  // streams in which steps begin
  for (const auto& stream : streams) {
    const std::size_t first = parts.size();
    Ticks begin = 0;
    total += stream->drain([&](std::uint32_t thread, std::span<const Record> records) {
      parts.push_back({begin, thread, {}});  // what a chunk holds together stays together
      for (const Record& record : records) {
        if (record.is<StepBeginRecord>())
          parts.push_back({begin = record.as<StepBeginRecord>().ticks, thread, {}});
        parts.back().records.push_back(record);
      }
    });
    stepping += begin != 0;
    // What helpers did comes after the steps that they helped with.
    for (std::size_t i = first; begin == 0 && i < parts.size(); ++i) parts[i].begin = ~Ticks{0};
  }
  if (stepping > 1) std::ranges::stable_sort(parts, {}, &Part::begin);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Part& part = parts[i];
    for (; i + 1 < parts.size() && parts[i + 1].thread == part.thread &&
           part.records.size() + parts[i + 1].records.size() <= EventChunk::kRecords;
         ++i)
      part.records.insert(part.records.end(), parts[i + 1].records.begin(), parts[i + 1].records.end());
    if (!part.records.empty()) sink(part.thread, part.records);
  }
  return total;
}

std::uint64_t Session::lost() const {
  std::lock_guard lock(mutex_);
  std::uint64_t total = 0;
  for (const auto& stream : streams_) total += stream->lost();
  return total;
}

std::size_t Session::waiting() const {
  std::lock_guard lock(mutex_);
  std::size_t total = 0;
  for (const auto& stream : streams_) total += stream->waiting();
  return total;
}

void Session::offer_stats(const StatsEntry& entry) {
  // No session stops while it is held.
  Registry& all = registry();
  std::lock_guard held(all.mutex);
  Session* const session = all.session;
  if (!session) return;
  std::lock_guard lock(session->stats_mutex_);
  if (session->stats_.size() >= session->options_.stats_budget) {
    session->lost_stats_.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  session->stats_.push_back(entry);
}

std::vector<StatsEntry> Session::take_stats() {
  std::lock_guard lock(stats_mutex_);
  std::vector<StatsEntry> taken;
  taken.swap(stats_);
  return taken;
}

}  // namespace tapescope
