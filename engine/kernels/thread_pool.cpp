// Workers wait on an epoch; a job is open from its start until all its pieces were taken.
#include "engine/kernels/thread_pool.h"

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

constexpr auto kSpin = std::chrono::microseconds(30);

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

class Pool {
 public:
  ~Pool() { stop(); }

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  void resize(int count) {
    while (busy_.exchange(true, std::memory_order_acquire)) std::this_thread::yield();
    stop();
    stopping_.store(false);
    for (int i = 1; i < count; ++i) workers_.emplace_back([this] { work(); });
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
    next_.store(0, std::memory_order_relaxed);
    open_.store(true);
    epoch_.fetch_add(1);
    epoch_.notify_all();
    take_pieces();
    // A worker that enters from here on sees the job closed and leaves its fields alone.
    open_.store(false);
    while (inside_.load() != 0) pause();
    busy_.store(false, std::memory_order_release);
    return true;
  }

 private:
  void take_pieces() {
    for (;;) {
      const std::int64_t begin = next_.fetch_add(chunk_, std::memory_order_relaxed);
      if (begin >= n_) return;
      body_(context_, begin, std::min(begin + chunk_, n_));
    }
  }

  void work() {
    std::uint32_t seen = 0;
    while (!stopping_.load()) {
      inside_.fetch_add(1);
      if (open_.load()) {
        set_float_mode(mode_);
        take_pieces();
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
  std::atomic<std::int64_t> next_ = 0;
  std::int64_t n_ = 0, chunk_ = 1;
  void (*body_)(void*, std::int64_t, std::int64_t) = nullptr;
  void* context_ = nullptr;
  std::uint32_t mode_ = 0;
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
