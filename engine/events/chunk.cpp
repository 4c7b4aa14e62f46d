// Chunk reuse and the rolling of a thread's writer.
#include "engine/events/chunk.h"

#include <array>
#include <mutex>

#include "engine/events/session.h"

namespace tapescope {
namespace {

constexpr std::size_t kMaxFreeChunks = 256;  // 16 MiB

// Chunks that are free. Never destroyed: threads may end after static objects do. With room for all, so that
// giving one back needs no memory.
struct FreeChunks {
  std::mutex mutex;
  std::array<EventChunk*, kMaxFreeChunks> list;
  std::size_t count = 0;
};
FreeChunks& free_chunks() {
  static FreeChunks* chunks = new FreeChunks;
  return *chunks;
}

ChunkRef new_chunk() {
  FreeChunks& free = free_chunks();
  {
    std::lock_guard lock(free.mutex);
    if (free.count > 0) {
      EventChunk* chunk = free.list[--free.count];
      chunk->count.store(0, std::memory_order_relaxed);
      chunk->references.store(1, std::memory_order_relaxed);
      return ChunkRef(chunk);
    }
  }
  return ChunkRef(new EventChunk);
}

}  // namespace

ChunkRef::~ChunkRef() {
  if (!chunk_ || chunk_->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  FreeChunks& free = free_chunks();
  std::lock_guard lock(free.mutex);
  if (free.count < kMaxFreeChunks) {
    free.list[free.count++] = chunk_;
  } else {
    delete chunk_;
  }
}

std::uint32_t this_thread_id() {
  static std::atomic<std::uint32_t> next{1};
  thread_local const std::uint32_t id = next.fetch_add(1, std::memory_order_relaxed);
  return id;
}

EventWriter::EventWriter(std::uint32_t thread) : thread_(thread) { roll(); }

EventWriter::~EventWriter() = default;

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
  journal_.push_back(current_);
  if (journal_.size() > kJournalChunks) journal_.pop_front();
  if (hook_) hook_(hook_context_, current_);
  if (stream_) stream_->push(current_, 0);
}

}  // namespace tapescope
