// Workers wait on an epoch; a job is open from its start until all its pieces were taken.
#include "engine/kernels/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tapescope::kernels {
namespace {

constexpr auto kSpin = std::chrono::microseconds(200);

void pause() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

std::uint32_t float_mode() {
#if defined(__x86_64__)
  return _mm_getcsr();
#else
  return 0;
#endif
}
void set_float_mode([[maybe_unused]] std::uint32_t mode) {
#if defined(__x86_64__)
  _mm_setcsr(mode);
#endif
}

// Some kernels pack threads that wake each other onto one processor, where each waits for the other's time
// slice. A worker that finds itself on the caller's processor leaves it, for another that the process may
// use.
class Processors {
 public:
  Processors() { known_ = sched_getaffinity(0, sizeof allowed_, &allowed_) == 0; }
  void leave(int processor) {
    if (!known_ || processor < 0 || processor >= CPU_SETSIZE || sched_getcpu() != processor) return;
    cpu_set_t others = allowed_;
    CPU_CLR(processor, &others);
    if (CPU_COUNT(&others) > 0) sched_setaffinity(0, sizeof others, &others);
  }

 private:
  bool known_ = false;
  cpu_set_t allowed_;
};

class Pool {
 public:
  ~Pool() { stop(); }

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  void resize(int count) {
    while (busy_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    stop();
    stopping_.store(false);
    shares_ = std::vector<Share>(static_cast<std::size_t>(count));
    for (int i = 1; i < count; ++i) workers_.emplace_back([this, i] { work(static_cast<std::size_t>(i)); });
    busy_.store(false, std::memory_order_release);
  }

  // False when another job is running: the caller then works alone.
  bool run(std::int64_t n, std::int64_t chunk, void (*body)(void*, std::int64_t, std::int64_t),
           void* context) {
    if (busy_.exchange(true, std::memory_order_acquire)) return false;
    n_ = n;
    chunk_ = chunk;
    body_ = body;
    context_ = context;
    mode_ = float_mode();
    processor_ = sched_getcpu();
    const std::int64_t pieces = (n + chunk - 1) / chunk, count = static_cast<std::int64_t>(shares_.size());
    for (std::int64_t i = 0; i < count; ++i) {
      Share& share = shares_[static_cast<std::size_t>(i)];
      share.end = pieces * (i + 1) / count;
      share.next.store(pieces * i / count, std::memory_order_relaxed);
    }
    open_.store(true);
    epoch_.fetch_add(1);
    epoch_.notify_all();
    take_pieces(0);
    // A worker that enters from here on sees the job closed and leaves its fields alone.
    open_.store(false);
    // A worker may have lost its processor in the middle of a piece.
    const auto until = std::chrono::steady_clock::now() + kSpin;
    for (int i = 0; inside_.load() != 0; ++i) {
      if (i % 32 == 31 && std::chrono::steady_clock::now() >= until) std::this_thread::yield();
      else pause();
    }
    busy_.store(false, std::memory_order_release);
    return true;
  }

 private:
  // Each thread has its own share, the same in each job of as many pieces: what it wrote is in its cache
  // still. A thread that is through takes of the others' shares.
  struct alignas(64) Share {
    std::atomic<std::int64_t> next = 0;
    std::int64_t end = 0;  // in pieces
  };

  void take_pieces(std::size_t own) {
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      Share& share = shares_[(own + i) % shares_.size()];
      for (;;) {
        const std::int64_t piece = share.next.fetch_add(1, std::memory_order_relaxed);
        if (piece >= share.end) break;
        body_(context_, piece * chunk_, std::min((piece + 1) * chunk_, n_));
      }
    }
  }

  void work(std::size_t own) {
    std::uint32_t seen = 0;
    Processors processors;
    while (!stopping_.load()) {
      inside_.fetch_add(1);
      if (open_.load()) {
        processors.leave(processor_);
        set_float_mode(mode_);
        take_pieces(own);
      }
      inside_.fetch_sub(1);
      const auto until = std::chrono::steady_clock::now() + kSpin;
      while (epoch_.load(std::memory_order_acquire) == seen && std::chrono::steady_clock::now() < until) {
        for (int i = 0; i < 32; ++i) pause();
      }
      epoch_.wait(seen);
      seen = epoch_.load();
    }
  }

  void stop() {
    stopping_.store(true);
    epoch_.fetch_add(1);
    epoch_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

  std::vector<std::thread> workers_;
  std::atomic<bool> busy_ = false, open_ = false, stopping_ = false;
  std::atomic<std::uint32_t> epoch_ = 1;
  std::atomic<int> inside_ = 0;
  std::vector<Share> shares_ = std::vector<Share>(1);
  std::int64_t n_ = 0, chunk_ = 1;
  void (*body_)(void*, std::int64_t, std::int64_t) = nullptr;
  void* context_ = nullptr;
  std::uint32_t mode_ = 0;
  int processor_ = -1;  // the caller's
};

Pool& pool() {
  static Pool instance;
  return instance;
}
std::atomic<int> g_threads = 1;

}  // namespace

void set_threads(int count) {
  count = std::clamp(count, 1, 256);
  if (count == g_threads.load()) return;
  pool().resize(count);
  g_threads.store(count);
}

int threads() { return g_threads.load(std::memory_order_relaxed); }

void parallel_run(std::int64_t n, std::int64_t chunk, std::int64_t serial,
                  void (*body)(void*, std::int64_t, std::int64_t), void* context) {
  if (n <= 0) return;
  if (n <= serial || n <= chunk || threads() == 1 || !pool().run(n, chunk, body, context))
    body(context, 0, n);
}

}  // namespace tapescope::kernels
