// A session: what collects the records of every thread for a reader (the viewer's store, a recording).
//
// One session is active in a process at a time. The reader drains; it never blocks the writers, unless
// the policy for a full buffer says so.
#pragma once
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "engine/events/chunk.h"
#include "engine/events/records/steps.h"
#include "engine/events/stats.h"

namespace tapescope {

enum class FullPolicy : std::uint8_t {
  block,      // the writing thread waits for the reader: nothing is lost
  drop,       // new records are dropped and counted
  overwrite,  // the oldest unread records are dropped and counted
};

// TAPESCOPE_FLIGHT_BUDGET in MiB, else 256 MiB. Throws Error (value) for what is no number.
std::size_t default_flight_budget();
// Of the session that listens.
std::size_t flight_budget();
// Whether the session that listens wants statistics of the gradients of that step.
bool wants_stats(std::uint64_t step);

struct SessionOptions {
  FullPolicy policy = FullPolicy::block;
  std::uint32_t max_chunks = 512;  // unread chunks a thread may be ahead; 32 MiB
  // Statistics of the gradients of every n-th step; 0 for none. A step that asks pays for one pass over them.
  std::uint32_t stats_every = 1;
  std::size_t stats_budget =
      4096;  // summaries held until the reader takes them; more are dropped and counted
  // Bytes of tensors that each thread holds of the step under way (gate/flight.h); 0 holds none.
  std::size_t flight_budget = default_flight_budget();
};

// The unread chunks of one thread. The lock is taken once a chunk, never per record.
class EventStream {
 public:
  EventStream(std::uint32_t thread, const SessionOptions& options) : thread_(thread), options_(options) {}
  // Writer: a new chunk begins; `from` skips what was written before the session.
  void push(const ChunkRef& chunk, std::uint32_t from);
  void abandon();  // reader: reads no more; wakes a blocked writer

  // Reader: hands over what is published and not yet read. Returns the number of records. Chunks that a
  // writer queues meanwhile stay for the next call, so that a fast writer does not keep the reader here.
  template <class Sink>
  std::size_t drain(Sink&& sink) {
    std::size_t total = 0;
    for (std::size_t chunks = std::max<std::size_t>(1, waiting()); chunks > 0; --chunks) {
      ChunkRef chunk;
      std::uint32_t from = 0;
      bool more = false;
      std::uint64_t lost = 0;
      {
        std::lock_guard lock(mutex_);
        lost = std::exchange(lost_unreported_, 0);
        if (!queue_.empty()) {
          chunk = queue_.front().chunk;
          from = queue_.front().from;
          more = queue_.size() > 1;
        }
      }
      if (lost > 0) {
        const Record note = LostRecord{.records = lost};
        sink(thread_, std::span(&note, 1));
      }
      if (!chunk) break;
      const std::uint32_t count = chunk->count.load(std::memory_order_acquire);
      if (count > from) {
        sink(thread_, std::span<const Record>(chunk->records + from, count - from));
        total += count - from;
      }
      std::lock_guard lock(mutex_);
      if (queue_.empty() || queue_.front().chunk.get() != chunk.get()) continue;  // overwritten meanwhile
      queue_.front().from = count;
      if (!more) break;
      // The writer has moved on, so this chunk's count is final.
      if (chunk->count.load(std::memory_order_acquire) == count) {
        queue_.pop_front();
        room_.notify_all();
      }
    }
    return total;
  }
  std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }
  std::uint32_t thread() const { return thread_; }
  // Chunks that are not read, the one under way among them.
  std::size_t waiting() {
    std::lock_guard lock(mutex_);
    return queue_.size();
  }

 private:
  struct Entry {
    ChunkRef chunk;
    std::uint32_t from;
  };
  std::uint32_t thread_;
  SessionOptions options_;
  std::mutex mutex_;
  std::condition_variable room_;
  std::deque<Entry> queue_;
  ChunkRef dropping_;  // the chunk that is written but not queued
  std::uint64_t lost_unreported_ = 0;
  std::atomic<std::uint64_t> lost_{0};
  bool abandoned_ = false;
};

// A summary, or a whole value, that travelled on the second channel.
struct StatsEntry {
  TensorStats stats;
  std::uint64_t step = 0;
  std::uint32_t source = 0;  // name of the source it is the gradient of
  TensorId source_id = 0;
};

class Session {
 public:
  explicit Session(const SessionOptions& options = {});
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Starts listening on every thread of the process, present and future. Throws RuntimeError when another
  // session is active.
  void start();
  // Stops listening; what was written stays readable.
  void stop();

  // Hands `sink(thread, records)` everything new, thread by thread. One reader at a time.
  std::size_t drain(const std::function<void(std::uint32_t, std::span<const Record>)>& sink);
  std::uint64_t lost() const;
  // Chunks of all threads that the reader is behind; of each thread one is under way.
  std::size_t waiting() const;
  // How many sessions of this process have started.
  static std::uint32_t number();
  // Tensors below that id may have been made before the last of them started.
  static TensorId first_tensor() { return first_tensor_.load(std::memory_order_relaxed); }
  const SessionOptions& options() const { return options_; }

  // The second channel, to the session that listens, if there is one still. Any thread; drops and counts
  // beyond the budget.
  static void offer_stats(const StatsEntry& entry);
  std::vector<StatsEntry> take_stats();
  std::uint64_t lost_stats() const { return lost_stats_.load(std::memory_order_relaxed); }

  // The session that listens now, or null. Another thread may stop it and end it.
  static Session* active();

  // From the first call on, a child that is forked has no session: the parent's belongs to the parent, and a
  // thread of it that reads is not there. What else the child needs prepared is registered afterwards.
  static void prepare_for_forks();

  // A thread's writer was made: the session wants its records.
  void adopt(EventWriter& writer);

 private:
  static constinit inline std::atomic<TensorId> first_tensor_{0};
  SessionOptions options_;
  bool started_ = false;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<EventStream>> streams_;
  std::mutex stats_mutex_;
  std::vector<StatsEntry> stats_;
  std::atomic<std::uint64_t> lost_stats_{0};
};

}  // namespace tapescope
