// Chunks of records and the per-thread writer that fills them: no lock and no allocation per record.
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/events/records/record.h"

namespace tapescope {

// 64 KiB: some 1,000 ops. The writer publishes each record by a release store of `count`.
struct EventChunk {
  static constexpr std::uint32_t kRecords = 2046;
  std::atomic<std::uint32_t> count{0};
  std::atomic<std::uint32_t> references{1};
  std::uint32_t thread = 0;
  std::uint64_t sequence = 0;  // along the thread, from 0, without gaps
  Record records[kRecords];
};

// Shares a chunk; the last one to let go gives it back to a list for reuse.
class ChunkRef {
 public:
  ChunkRef() = default;
  explicit ChunkRef(EventChunk* chunk) : chunk_(chunk) {}
  ChunkRef(const ChunkRef& other) : chunk_(other.chunk_) {
    if (chunk_) chunk_->references.fetch_add(1, std::memory_order_relaxed);
  }
  ChunkRef(ChunkRef&& other) noexcept : chunk_(std::exchange(other.chunk_, nullptr)) {}
  ChunkRef& operator=(ChunkRef other) noexcept {
    std::swap(chunk_, other.chunk_);
    return *this;
  }
  ~ChunkRef();
  EventChunk* operator->() const { return chunk_; }
  EventChunk* get() const { return chunk_; }
  explicit operator bool() const { return chunk_ != nullptr; }

 private:
  EventChunk* chunk_ = nullptr;
};

class EventStream;

// Writes the records of one thread. What it wrote lately stays readable (the journal), so that an explanation
// knows what ran before a tape was opened, and on other threads.
class EventWriter {
 public:
  explicit EventWriter(std::uint32_t thread);
  ~EventWriter();

  // Room for `count` records in a row, at most Chunk::kRecords; publish() makes them visible.
  Record* reserve(std::uint32_t count) {
    if (attached_version_ != version_.load(std::memory_order_acquire)) [[unlikely]]
      follow();
    if (used_ + count > EventChunk::kRecords) [[unlikely]]
      roll();
    return &current_->records[used_];
  }
  void publish(std::uint32_t count) {
    used_ += count;
    current_->count.store(used_, std::memory_order_release);
  }
  // Fields go straight to their place in the chunk: copied whole from a record that was just put together,
  // they would be waited for.
  template <RecordStruct R>
  void write(const R& record) {
    new (reserve(1)) R(record);
    publish(1);
  }
  void write(const Record& record) {
    *reserve(1) = record;
    publish(1);
  }

  std::uint32_t thread() const { return thread_; }
  const ChunkRef& current() const { return current_; }
  // The latest chunks, oldest first, the current one last.
  const std::deque<ChunkRef>& journal() const { return journal_; }  // on the writer's thread
  void copy_journal(std::vector<ChunkRef>& to) const;               // on any

  // The session's stream that records go to from the thread's next record on; null detaches. Any thread.
  void attach(std::shared_ptr<EventStream> stream);
  // Called with each new chunk (tapes keep those written while they are active).
  void on_roll(void (*hook)(void*, const ChunkRef&), void* context) {
    hook_ = hook;
    hook_context_ = context;
  }

 private:
  // 8 chunks are some 8,000 ops, 512 KiB a thread.
  static constexpr std::size_t kJournalChunks = 8;
  void roll();
  void follow();

  ChunkRef current_;
  std::uint32_t used_ = 0;
  std::uint32_t thread_;
  std::uint64_t next_sequence_ = 0;
  std::deque<ChunkRef> journal_;
  // Set by the session, taken over by the thread when it sees the version change.
  std::mutex attach_mutex_;
  std::shared_ptr<EventStream> wanted_;
  std::atomic<std::uint32_t> version_{0};
  std::uint32_t attached_version_ = 0;
  std::shared_ptr<EventStream> stream_;
  void (*hook_)(void*, const ChunkRef&) = nullptr;
  void* hook_context_ = nullptr;
};

// The last chunks of threads that ended lately; of each a few.
void copy_ended_journals(std::vector<ChunkRef>& to);
// Over a fork: a child finds no lock taken by a thread that it has not.
void lock_chunks();
void unlock_chunks();

// Id of the calling thread in records; small, from 1.
std::uint32_t this_thread_id();

}  // namespace tapescope
