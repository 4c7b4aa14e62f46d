// A recording written on a separate thread: handing records over only copies them.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "engine/recording/writer.h"

namespace tapescope::record {

// What a program that is killed loses at most, where its recording has no tail.
inline constexpr std::chrono::milliseconds kFlushInterval(200);

class Recorder {
 public:
  Recorder(std::unique_ptr<ByteSink> sink, ProgramFacts facts);
  // Finishes, unless finish() did.
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // One thread at a time. Waits while more than a million records are not yet written.
  void add(std::uint32_t thread, std::span<const Record> records);
  void add_statistics(std::span<const StatsEntry> entries);
  // Payloads of chunks of values, as a ValueKeeper gives them.
  void add_values(std::vector<Bytes> payloads);
  // Writes the last chunk after `results` and `facts`, and ends the thread. Nothing can be added afterwards.
  void finish(const std::string& reason, std::span<const ProgramResults> results, const ProgramFacts& facts,
              std::uint64_t lost_events, std::uint64_t lost_statistics);
  // Returns once everything handed over so far was written.
  void flush();

  // What ended the writing early, one sentence; empty while all is well.
  std::string failure() const;
  std::uint64_t bytes() const;

 private:
  void loop();

  mutable std::mutex mutex_;  // guards what follows, but the writer, which is the thread's until it ended
  std::condition_variable wake_, taken_;
  EventBlock pending_;
  std::vector<StatsEntry> statistics_;
  std::vector<Bytes> values_;
  std::uint64_t asked_ = 0, answered_ = 0;
  bool stopping_ = false;
  std::string failure_;
  std::uint64_t bytes_ = 0;
  RecordingWriter writer_;
  bool finished_ = false;
  std::thread thread_;
};

}  // namespace tapescope::record
