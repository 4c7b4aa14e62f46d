// The thread that compiles, and what it has made.
#include "engine/kernels/compiled_tiles.h"

#include <pthread.h>
#include <unistd.h>
#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "engine/kernels/code_cache.h"
#include "engine/kernels/tile.h"

namespace tapescope::kernels {
namespace {

// Code that no program uses any more is kept up to this size, for functions that are traced again.
constexpr std::size_t kKeptBytes = 8 << 20;

constinit std::atomic<bool> g_at_once{false};
constinit std::atomic<bool> g_begun{false};  // there is a TileCompiler

}  // namespace

class TileCompiler {
 public:
  // Never destroyed: in a fork its lists of waiting threads are wrong.
  static TileCompiler& instance() {
    static TileCompiler& compiler = *new TileCompiler;
    return compiler;
  }

  void ask(const std::shared_ptr<CompiledTiles>& tiles) {
    const std::lock_guard lock(mutex_);
    if (tiles->state() != CompiledTiles::State::interpreted) return;
    // A forked process has no thread but the one that forked.
    if (stopping_ || (thread_.joinable() && process_ != getpid())) return tiles->finish(nullptr);
    if (const auto known = made_.find(tiles->key_); known != made_.end()) {
      kept_.splice(kept_.begin(), kept_, known->second);
      tiles->was_there_ = true;
      return tiles->finish(known->second->code);
    }
    tiles->state_.store(CompiledTiles::State::waiting, std::memory_order_release);
    queue_.push_back(tiles);
    if (!thread_.joinable()) {
      process_ = getpid();
      thread_ = std::thread([this] { work(); });
    }
    asked_.notify_one();
  }

  // For good. Waits for the code that is being made.
  void stop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    asked_.notify_all();
    if (thread_.joinable()) {
      if (process_ == getpid()) thread_.join();
      else thread_.detach();
    }
    leave_machine_code_compiler();
  }

  void wait(const CompiledTiles& tiles) {
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [&] { return tiles.state() != CompiledTiles::State::waiting; });
  }

 private:
  TileCompiler() {
    // A fork has no thread that compiles, and shall not find the lock taken by one.
    pthread_atfork([] { instance().mutex_.lock(); }, [] { instance().mutex_.unlock(); },
                   [] { instance().mutex_.unlock(); });
    g_begun = true;
  }

  struct Kept {
    std::string key;
    std::shared_ptr<const MachineCode> code;
  };

  // Null where no memory is left: the compiler may be in no state to be asked again then.
  static std::shared_ptr<const MachineCode> make(const TileProgram& program, bool& usable) {
    try {
      return make_machine_code(program, 0, CodeCache::of_environment());
    } catch (const std::exception&) {
      usable = false;
      return nullptr;
    }
  }
  static bool load() {
    try {
      return load_machine_code_compiler();
    } catch (const std::exception&) {
      return false;
    }
  }

  void work() {
    const bool loaded = load();
    bool usable = loaded;
    std::unique_lock lock(mutex_);
    for (;;) {
      asked_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (stopping_) break;
      const std::shared_ptr<CompiledTiles> tiles = queue_.front().lock();
      queue_.pop_front();
      if (!tiles) continue;
      std::shared_ptr<const MachineCode> code;
      if (const auto known = made_.find(tiles->key_); known != made_.end()) {
        code = known->second->code;
        tiles->was_there_ = true;
      } else if (usable) {
        lock.unlock();
        code = make(*tiles->program_, usable);
        lock.lock();
        if (code) keep(tiles->key_, code);
      }
      tiles->finish(std::move(code), loaded ? CompiledTiles::State::refused : CompiledTiles::State::missing);
      finished_.notify_all();
    }
    for (const std::weak_ptr<CompiledTiles>& left : queue_) {
      if (const auto tiles = left.lock()) tiles->finish(nullptr);
    }
    queue_.clear();
    finished_.notify_all();
  }

  // The most recently asked for first. Where no memory is left it is made again when it is asked for again.
  void keep(const std::string& key, std::shared_ptr<const MachineCode> code) {
    const std::size_t bytes = code->code_bytes;
    try {
      kept_.push_front({key, std::move(code)});
    } catch (const std::exception&) {
      return;
    }
    try {
      made_[key] = kept_.begin();
    } catch (const std::exception&) {
      return kept_.pop_front();
    }
    kept_bytes_ += bytes;
    while (kept_bytes_ > kKeptBytes && kept_.size() > 1) {
      kept_bytes_ -= kept_.back().code->code_bytes;
      made_.erase(kept_.back().key);
      kept_.pop_back();
    }
  }

  std::mutex mutex_;
  std::condition_variable asked_, finished_;
  std::deque<std::weak_ptr<CompiledTiles>> queue_;
  std::list<Kept> kept_;
  std::unordered_map<std::string, std::list<Kept>::iterator> made_;
  std::size_t kept_bytes_ = 0;
  std::thread thread_;
  pid_t process_ = 0;
  bool stopping_ = false;
};

namespace {

// Stops the thread when the process ends. LLVM makes static objects while it compiles, and these are
// destroyed before anything that was registered earlier is called. What is thread-local in the thread that
// calls std::exit, or returns from main, goes before all of them.
struct StopsFirst {
  bool begins = true;
  ~StopsFirst() {
    if (g_begun) TileCompiler::instance().stop();
  }
};
thread_local StopsFirst t_stops_first;
[[maybe_unused]] const bool g_in_main_thread = t_stops_first.begins;

}  // namespace

std::shared_ptr<CompiledTiles> CompiledTiles::of(const TileProgram& program) {
  if (!has_machine_code(program)) return nullptr;
  std::shared_ptr<CompiledTiles> tiles(new CompiledTiles);
  auto copy = std::make_unique<TileProgram>(program);
  copy->compiled = nullptr;
  tiles->program_ = std::move(copy);
  tiles->key_ = code_key(program);
  return tiles;
}

void CompiledTiles::compile_at_once(bool on) { g_at_once = on; }

void CompiledTiles::count(std::int64_t elements) {
  if (g_at_once) return compile();
  if (computed_.fetch_add(elements, std::memory_order_relaxed) >= program_->count)
    TileCompiler::instance().ask(shared_from_this());
}

void CompiledTiles::finish(std::shared_ptr<const MachineCode> made, State otherwise) {
  owned_ = std::move(made);
  code_.store(owned_.get(), std::memory_order_release);
  state_.store(owned_ ? State::compiled : otherwise, std::memory_order_release);
}

void CompiledTiles::compile() {
  TileCompiler::instance().ask(shared_from_this());
  TileCompiler::instance().wait(*this);
}

}  // namespace tapescope::kernels
