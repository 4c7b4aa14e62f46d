// Chunk reuse and the rolling of a thread's writer.
#include "engine/events/chunk.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <new>

#include "engine/events/session.h"

namespace tapescope {
namespace {

constexpr std::size_t kMaxFreeChunks = 256;  // 16 MiB
// Of those that lie unused while so many are given back, some half a second of a busy program, all but a few
// go back to the system: a reader that was late for once leaves nothing behind.
constexpr std::size_t kSpareChunks = 4, kGivenBetweenLooks = 256;

constexpr std::size_t kEndedChunks = 16;         // of threads that ended; 1 MiB
constexpr std::size_t kEndedChunksOfThread = 2;  // of each the last

// Chunks that are free. Never destroyed: threads may end after static objects do. With room for all, so that
// giving one back needs no memory. No chunk is let go of under the lock, which that takes itself.
struct FreeChunks {
  std::mutex mutex;  // of the journals, too
  std::array<EventChunk*, kMaxFreeChunks> list;
  std::size_t count = 0, given = 0;
  std::size_t unused = 0;  // how many lay there all the time since the last look
  std::array<ChunkRef, kEndedChunks> ended;
  std::size_t next_ended = 0;
};
FreeChunks& free_chunks() {
  static FreeChunks* chunks = new FreeChunks;
  return *chunks;
}

// Mapped one by one: what is let go of returns to the system, whatever else the heap holds.
EventChunk* map_chunk() {
  void* const room =
      mmap(nullptr, sizeof(EventChunk), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) throw std::bad_alloc();
  return new (room) EventChunk;
}
void unmap_chunk(EventChunk* chunk) { munmap(chunk, sizeof(EventChunk)); }

ChunkRef new_chunk() {
  FreeChunks& free = free_chunks();
  {
    std::lock_guard lock(free.mutex);
    if (free.count > 0) {
      EventChunk* chunk = free.list[--free.count];
      free.unused = std::min(free.unused, free.count);
      chunk->count.store(0, std::memory_order_relaxed);
      chunk->references.store(1, std::memory_order_relaxed);
      return ChunkRef(chunk);
    }
  }
  return ChunkRef(map_chunk());
}

}  // namespace

ChunkRef::~ChunkRef() {
  if (!chunk_ || chunk_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  FreeChunks& free = free_chunks();
  std::array<EventChunk*, kMaxFreeChunks> gone;
  std::size_t gone_count = 0;
  {
    std::lock_guard lock(free.mutex);
    if (free.count < kMaxFreeChunks) free.list[free.count++] = chunk_;
    else gone[gone_count++] = chunk_;
    if (++free.given % kGivenBetweenLooks == 0) {
      for (; free.unused > kSpareChunks && gone_count < gone.size(); --free.unused)
        gone[gone_count++] = free.list[--free.count];
      free.unused = free.count;
    }
  }
  for (std::size_t i = 0; i < gone_count; ++i) unmap_chunk(gone[i]);
}

std::uint32_t this_thread_id() {
  static std::atomic<std::uint32_t> next{1};
  thread_local const std::uint32_t id = next.fetch_add(1, std::memory_order_relaxed);
  return id;
}

EventWriter::EventWriter(std::uint32_t thread) : thread_(thread) { roll(); }

EventWriter::~EventWriter() {
  const std::size_t kept = std::min(journal_.size(), kEndedChunksOfThread);
  std::array<ChunkRef, kEndedChunksOfThread> gone;
  FreeChunks& chunks = free_chunks();
  std::lock_guard lock(chunks.mutex);
  for (std::size_t i = 0; i < kept; ++i) {
    ChunkRef& chunk = journal_[journal_.size() - kept + i];
    if (chunk->count.load(std::memory_order_relaxed) == 0) continue;
    gone[i] = std::exchange(chunks.ended[chunks.next_ended++ % kEndedChunks], std::move(chunk));
  }
}

void EventWriter::copy_journal(std::vector<ChunkRef>& to) const {
  std::lock_guard lock(free_chunks().mutex);
  to.insert(to.end(), journal_.begin(), journal_.end());
}

void copy_ended_journals(std::vector<ChunkRef>& to) {
  FreeChunks& chunks = free_chunks();
  std::lock_guard lock(chunks.mutex);
  for (const ChunkRef& chunk : chunks.ended) {
    if (chunk) to.push_back(chunk);
  }
}

void lock_chunks() { free_chunks().mutex.lock(); }
void unlock_chunks() { free_chunks().mutex.unlock(); }

void EventWriter::attach(std::shared_ptr<EventStream> stream) {
  std::lock_guard lock(attach_mutex_);
  wanted_ = std::move(stream);
  version_.fetch_add(1, std::memory_order_release);
}

void EventWriter::follow() {
  {
    std::lock_guard lock(attach_mutex_);
    attached_version_ = version_.load(std::memory_order_relaxed);
    stream_ = wanted_;
  }
  if (stream_) stream_->push(current_, used_);
}

void EventWriter::roll() {
  current_ = new_chunk();
  current_->thread = thread_;
  current_->sequence = next_sequence_++;
  used_ = 0;
  {
    ChunkRef gone;
    std::lock_guard lock(free_chunks().mutex);
    journal_.push_back(current_);
    if (journal_.size() > kJournalChunks) {
      gone = std::move(journal_.front());
      journal_.pop_front();
    }
  }
  if (hook_) hook_(hook_context_, current_);
  if (stream_) stream_->push(current_, 0);
}

}  // namespace tapescope
