// The ingest thread: drains a session into one store per program, and publishes their snapshots.
#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

#include "engine/events/session.h"
#include "viewer/store/store.h"

namespace tapescope {

inline constexpr int kPrograms = 2;  // A and B of a comparison

// Gives each record to the store of the program that runs on its thread: step_begin's program id says which.
// What comes before a thread's first step goes to every store, as sample programs are made before they run.
class Router {
 public:
  explicit Router(std::span<Store* const> stores) : stores_(stores.begin(), stores.end()) {}
  void add(std::uint32_t thread, std::span<const Record> records);
  void clear() { program_of_.clear(); }

 private:
  std::vector<Store*> stores_;
  std::unordered_map<std::uint32_t, int> program_of_;
  int latest_ = -1;  // program of the step_begin seen last; threads without steps follow it
};

// Where records come from: a session of this process, or a recording. The ingest thread alone calls it, but
// for lost().
class EventSource {
 public:
  virtual ~EventSource() = default;
  virtual std::vector<StatsEntry> take_stats() = 0;
  // Hands over what is new, in portions that take some milliseconds at most. Returns the number of records.
  virtual std::size_t drain(const std::function<void(std::uint32_t, std::span<const Record>)>& sink) = 0;
  virtual std::uint64_t lost() const = 0;
  // Whether nothing can come any more.
  virtual bool over() const { return false; }
  // False while what came is about to be followed by the rest: a picture of it would be of little use.
  virtual bool worth_showing() const { return true; }
  // Snapshot::step_base of its programs, once it is known.
  virtual std::optional<std::uint64_t> step_base() const { return std::nullopt; }
};

// Gets what the stores get, in the same order, on the ingest thread.
class EventTap {
 public:
  virtual ~EventTap() = default;
  virtual void add(std::uint32_t thread, std::span<const Record> records) = 0;
  virtual void add_stats(std::span<const StatsEntry> entries) = 0;
  virtual void clear() = 0;  // what came so far was forgotten
};

class Ingest {
 public:
  // Drains `session` until destroyed or stopped; the session must outlive that, and so must the tap.
  explicit Ingest(Session& session, StoreOptions options = {}, EventTap* tap = nullptr);
  explicit Ingest(std::unique_ptr<EventSource> source, StoreOptions options = {}, EventTap* tap = nullptr);
  ~Ingest();
  Ingest(const Ingest&) = delete;
  Ingest& operator=(const Ingest&) = delete;

  Store& store(int program) { return *stores_[static_cast<std::size_t>(program)]; }
  const Store& store(int program) const { return *stores_[static_cast<std::size_t>(program)]; }

  // Returns once everything written before the call is in the published snapshots.
  void flush();
  // Drains what is left and ends the thread.
  void stop();
  // Forgets what was stored, after a flush: a new program was loaded.
  void clear();
  // For the alerts of all programs, from the next snapshot on. Any thread.
  void set_thresholds(const AlertThresholds& thresholds);
  // Called on the ingest thread after each new snapshot, to wake the window. Set before records come.
  void on_publish(std::function<void()> callback);
  std::uint64_t lost() const { return source_->lost(); }

 private:
  void loop();

  std::unique_ptr<EventSource> source_;
  EventTap* tap_;
  std::vector<std::unique_ptr<Store>> stores_;
  Router router_;
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::uint64_t asked_ = 0, answered_ = 0;
  bool clear_ = false, judges_again_ = false;
  AlertThresholds thresholds_;
  bool stopping_ = false;
  std::function<void()> callback_;
  std::thread thread_;
};

}  // namespace tapescope
