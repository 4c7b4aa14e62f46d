// A session for each viewer, and a queue beside the recording's thread.
#include "engine/live/feed.h"

#include <mutex>
#include <utility>

#include "engine/events/records/steps.h"
#include "engine/recording/columns.h"
#include "engine/recording/process_tap.h"

namespace tapescope::live {
namespace {

// A viewer that is behind loses records; the program loses no time.
constexpr FullPolicy kPolicy = FullPolicy::drop;
constexpr std::uint32_t kMostChunks = 128;
constexpr std::size_t kMostQueued = 1u << 18;  // records, 8 MiB
constexpr std::size_t kMostStatistics = 4096;

class SessionFeed final : public Feed {
 public:
  SessionFeed() : session_({.policy = kPolicy, .max_chunks = kMostChunks}) { session_.start(); }
  std::vector<StatsEntry> take_stats() override { return session_.take_stats(); }
  std::size_t drain(const std::function<void(std::uint32_t, std::span<const Record>)>& sink) override {
    return session_.drain(sink);
  }
  void stop(bool) override { session_.stop(); }
  std::uint64_t lost() const override { return session_.lost(); }
  std::uint64_t lost_stats() const override { return session_.lost_stats(); }

 private:
  Session session_;  // no thread of the program is inside of one that has stopped
};

class TapFeed final : public Feed, public record::ProcessTap {
 public:
  ~TapFeed() override { record::tap_process_recording(nullptr); }

  // The recording's thread. What it lost itself is among the records.
  void add(std::uint32_t thread, std::span<const Record> records) override {
    std::lock_guard lock(mutex_);
    for (const Record& record : records) {
      if (record.is<LostRecord>()) lost_ += record.as<LostRecord>().records;
    }
    if (queue_.records.size() + records.size() <= kMostQueued) {
      queue_.add(thread, records);
      return;
    }
    const Record note = LostRecord{.records = records.size()};
    lost_ += records.size();
    queue_.add(thread, std::span(&note, 1));
  }
  void add_statistics(std::span<const StatsEntry> entries) override {
    std::lock_guard lock(mutex_);
    if (statistics_.size() + entries.size() <= kMostStatistics)
      statistics_.insert(statistics_.end(), entries.begin(), entries.end());
    else lost_statistics_ += entries.size();
  }

  std::vector<StatsEntry> take_stats() override {
    std::lock_guard lock(mutex_);
    return std::exchange(statistics_, {});
  }
  std::size_t drain(const std::function<void(std::uint32_t, std::span<const Record>)>& sink) override {
    {
      std::lock_guard lock(mutex_);
      std::swap(queue_, taken_);
    }
    std::size_t at = 0;
    for (const record::EventBlock::Batch& batch : taken_.batches) {
      sink(batch.thread, std::span(taken_.records).subspan(at, batch.count));
      at += batch.count;
    }
    taken_.clear();
    return at;
  }
  void stop(bool program_ends) override {
    if (program_ends) record::finish_process_recording();
    record::tap_process_recording(nullptr);
  }
  std::uint64_t lost() const override {
    std::lock_guard lock(mutex_);
    return lost_;
  }
  std::uint64_t lost_stats() const override {
    std::lock_guard lock(mutex_);
    return lost_statistics_;
  }

 private:
  mutable std::mutex mutex_;  // guards what follows, but for what is drained
  record::EventBlock queue_, taken_;
  std::vector<StatsEntry> statistics_;
  std::uint64_t lost_ = 0, lost_statistics_ = 0;
};

}  // namespace

std::unique_ptr<Feed> make_feed() {
  auto tap = std::make_unique<TapFeed>();
  if (record::tap_process_recording(tap.get())) return tap;
  return std::make_unique<SessionFeed>();
}

}  // namespace tapescope::live
