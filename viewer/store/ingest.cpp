// The thread that drains the session into the stores.
#include "viewer/store/ingest.h"

#include <algorithm>
#include <chrono>

#include "engine/events/records/steps.h"

namespace tapescope {
namespace {

using Clock = std::chrono::steady_clock;
// Half a frame of a 60 Hz window: what is newer could not be seen anyway.
constexpr auto kPublishInterval = std::chrono::milliseconds(30);
constexpr auto kBusyPause = std::chrono::microseconds(500);  // between drains while records come
constexpr auto kIdlePause =
    std::chrono::milliseconds(20);  // where none came for a while: 50 wake-ups a second
// Where none can come: a window over a job has hundreds of such threads.
constexpr auto kOverPause = std::chrono::seconds(10);

class SessionSource final : public EventSource {
 public:
  explicit SessionSource(Session& session) : session_(session) {}
  std::vector<StatsEntry> take_stats() override { return session_.take_stats(); }
  std::size_t drain(const std::function<void(std::uint32_t, std::span<const Record>)>& sink) override {
    return session_.drain(sink);
  }
  std::uint64_t lost() const override { return session_.lost(); }

 private:
  Session& session_;
};

}  // namespace

void Router::add(std::uint32_t thread, std::span<const Record> records) {
  const auto known = program_of_.find(thread);
  int program = known == program_of_.end() ? -1 : known->second;
  const auto give = [&](std::span<const Record> part) {
    if (part.empty()) return;
    const int to = program >= 0 ? program : latest_;
    if (to >= 0) {
      stores_[static_cast<std::size_t>(to)]->add(thread, part);
    } else {
      for (Store* store : stores_) store->add(thread, part);
    }
  };
  std::size_t begin = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!records[i].is<StepBeginRecord>()) continue;
    const int next =
        static_cast<int>(std::min<std::size_t>(records[i].as<StepBeginRecord>().program, stores_.size() - 1));
    if (next == program) continue;
    give(records.subspan(begin, i - begin));
    begin = i;
    program = next;
    program_of_[thread] = next;
  }
  if (program >= 0) latest_ = program;
  give(records.subspan(begin));
}

Ingest::Ingest(Session& session, StoreOptions options, EventTap* tap)
    : Ingest(std::make_unique<SessionSource>(session), options, tap) {}

Ingest::Ingest(std::unique_ptr<EventSource> source, StoreOptions options, EventTap* tap)
    : source_(std::move(source)),
      tap_(tap),
      stores_([&] {
        std::vector<std::unique_ptr<Store>> stores;
        for (int i = 0; i < kPrograms; ++i) stores.push_back(std::make_unique<Store>(i, options));
        return stores;
      }()),
      router_([&] {
        std::vector<Store*> stores;
        for (auto& store : stores_) stores.push_back(store.get());
        return Router(stores);
      }()) {
  thresholds_ = options.thresholds;
  thread_ = std::thread([this] { loop(); });
}

Ingest::~Ingest() { stop(); }

void Ingest::loop() {
  auto last_publish = Clock::now() - kPublishInterval;
  auto interval = std::chrono::duration_cast<Clock::duration>(kPublishInterval);
  int quiet = 0;
  std::uint64_t answered = 0;
  std::unique_lock lock(mutex_);
  while (true) {
    const std::uint64_t asked = asked_;
    const bool clear = std::exchange(clear_, false);
    judges_again_ = false;
    const bool stopping = stopping_;
    const std::function<void()> callback = callback_;
    const AlertThresholds thresholds = thresholds_;
    lock.unlock();

    // Statistics first: those taken are of records that are then drained.
    const std::vector<StatsEntry> stats = source_->take_stats();
    const std::size_t records = source_->drain([this](std::uint32_t thread, std::span<const Record> part) {
      router_.add(thread, part);
      if (tap_) tap_->add(thread, part);
    });
    if (tap_) tap_->add_stats(stats);
    bool dirty = false;
    for (auto& store : stores_) {
      store->add_stats(stats);
      if (clear) store->clear();
      store->set_thresholds(thresholds);
      if (const auto base = source_->step_base()) store->set_step_base(*base);
      dirty |= store->dirty();
    }
    if (clear) {
      router_.clear();
      if (tap_) tap_->clear();
    }
    quiet = records > 0 ? 0 : quiet + 1;
    const auto now = Clock::now();
    const bool wanted = asked != answered || stopping, halfway = !source_->worth_showing();
    if ((dirty && (wanted || (!halfway && now - last_publish >= interval))) || clear) {
      for (auto& store : stores_) {
        if (store->dirty()) store->publish(wanted);
      }
      last_publish = Clock::now();
      auto took = last_publish - now;
      for (const auto& store : stores_) {
        const std::chrono::duration<double> judging(store->seconds_judging());
        took -= std::chrono::duration_cast<Clock::duration>(judging);
      }
      // Large steps take longer to picture: at most a fifth of this thread's time goes there.
      interval = std::max<Clock::duration>(kPublishInterval, 4 * took);
      if (callback) callback();
    }

    lock.lock();
    answered_ = answered = asked;
    done_.notify_all();
    if (stopping) return;
    if (asked_ != asked || stopping_ || clear_) continue;
    if (halfway && records > 0) continue;
    if (quiet > 4) {
      const auto pause = source_->over() && !dirty ? kOverPause : std::chrono::seconds(0);
      wake_.wait_for(lock, std::max<Clock::duration>(pause, kIdlePause),
                     [&] { return asked_ != asked || stopping_ || clear_ || judges_again_; });
    } else {
      wake_.wait_for(lock, kBusyPause);
    }
  }
}

void Ingest::flush() {
  std::unique_lock lock(mutex_);
  if (stopping_) return;
  const std::uint64_t mine = ++asked_;
  wake_.notify_all();
  done_.wait(lock, [&] { return answered_ >= mine || stopping_; });
}

void Ingest::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

void Ingest::clear() {
  std::unique_lock lock(mutex_);
  if (stopping_) return;
  clear_ = true;
  const std::uint64_t mine = ++asked_;
  wake_.notify_all();
  done_.wait(lock, [&] { return answered_ >= mine || stopping_; });
}

void Ingest::set_thresholds(const AlertThresholds& thresholds) {
  std::lock_guard lock(mutex_);
  thresholds_ = thresholds;
  judges_again_ = true;
  wake_.notify_all();
}

void Ingest::on_publish(std::function<void()> callback) {
  std::lock_guard lock(mutex_);
  callback_ = std::move(callback);
}

}  // namespace tapescope
