// A recording as a source of events: a file, one that still grows, standard input, or a running program.
#pragma once
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string>

#include "engine/recording/reader.h"
#include "viewer/store/ingest.h"

namespace tapescope {

// Recordings that are opened together are read a few at a time, each as far as it goes: what is known of half
// a recording is of little use, and costs as much to picture as the whole.
using ReadingTurns = std::counting_semaphore<>;

class RecordingSource final : public EventSource {
 public:
  static std::shared_ptr<const record::ProgramFacts> no_facts();
  // What else the recording holds; copies, for any thread.
  struct State {
    std::shared_ptr<const record::ProgramFacts> facts = no_facts();  // never null
    std::vector<record::ProgramResults> results;
    std::vector<std::shared_ptr<const record::StepFrames>> values;  // in the order they came
    bool caught_up = false;  // nothing more was there for a while, or it ended
    bool ended = false;
    std::string loss;                      // why it is not whole; empty while that is not known
    std::optional<record::Ending> ending;  // how the program ended, where the recording says so
    bool damaged = false;
    bool has_end = false;  // its last chunk came
  };

  // Takes a turn, where some are given, before its first chunk, and gives it back where it has read all that
  // is there.
  explicit RecordingSource(record::RecordingReader reader, std::shared_ptr<ReadingTurns> turns = nullptr)
      : reader_(std::move(reader)), turns_(std::move(turns)) {}
  ~RecordingSource() override { leave_turn(); }

  std::vector<StatsEntry> take_stats() override { return std::exchange(stats_, {}); }
  std::size_t drain(const std::function<void(std::uint32_t, std::span<const Record>)>& sink) override;
  std::uint64_t lost() const override { return lost_; }
  bool over() const override { return ended_; }

  std::optional<std::uint64_t> step_base() const override { return step_base_; }
  bool worth_showing() const override;

  State state() const;
  State without_results() const;  // cheap enough for every frame
  // Bytes of whole chunks that were handed over. Any thread.
  std::uint64_t taken() const { return taken_; }

 private:
  std::size_t drain_portion(const std::function<void(std::uint32_t, std::span<const Record>)>& sink);
  void end(const std::string& loss);
  bool take_turn();
  void leave_turn();

  record::RecordingReader reader_;
  std::shared_ptr<ReadingTurns> turns_;  // null where it needs none, or no more
  bool has_turn_ = false;
  std::chrono::steady_clock::time_point turn_began_;
  std::vector<StatsEntry> stats_;
  std::atomic<std::uint64_t> lost_{0}, taken_{0};
  std::optional<std::uint64_t> step_base_;  // the ingest thread's alone
  bool ended_ = false;
  int quiet_ = 0;
  mutable std::mutex mutex_;  // guards what follows
  State state_;               // without its results
  std::vector<record::ProgramResults> results_;
};

// Snapshot::step_base of a recording: samples and programs of other frameworks have their steps counted.
std::uint64_t step_base_of(const record::ProgramFacts& facts);

// Hands a whole recording to the router, and its summaries to every store; nothing is published. Returns what
// else it holds.
RecordingSource::State read_into(record::RecordingReader& reader, Router& router,
                                 std::span<Store* const> stores);

}  // namespace tapescope
