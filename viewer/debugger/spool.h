// The events of the run in the window, kept in private files, so that the run can be saved afterwards: its
// beginning and what came last. A run of a day takes no more of the disk than one of an hour.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/recording/recorder.h"
#include "viewer/store/ingest.h"

namespace tapescope {

struct RecordSink;

// Bytes on disk. Parts end where a training step begins, or when they are twice as long.
struct SpoolLimits {
  std::uint64_t first = 16u << 20;  // of the run's beginning
  std::uint64_t part = 8u << 20;
  std::size_t latest = 4;  // so many parts besides; the oldest of them is let go for a new one
};

class Spool final : public EventTap {
 public:
  explicit Spool(SpoolLimits limits = {});
  ~Spool() override;

  // On the ingest thread.
  void add(std::uint32_t thread, std::span<const Record> records) override;
  void add_stats(std::span<const StatsEntry> entries) override;
  void clear() override;
  // Returns when what was added is on disk.
  void flush();

  // Hands over everything so far, with a record that says how many were let go where they were. Throws Error
  // (surroundings) where there was no place to keep it. Any thread but the ingest thread.
  void replay(const RecordSink& sink);
  // Writes everything so far, and payloads of chunks of values, as a separate recording; the spool goes on.
  // Events of parts that were let go count as lost there. What is not in it is the returned sentence, empty
  // when it is whole. Throws Error (surroundings) when `path` cannot be written. Any thread but the ingest
  // thread.
  std::string save(const std::string& path, const record::ProgramFacts& facts,
                   const std::vector<record::ProgramResults>& results,
                   const std::vector<record::Bytes>& values, const std::string& ending, std::uint64_t lost);

 private:
  struct Part;
  // Records without which later ones are not understood: of each thing the last that was said. Of a program
  // that makes new things in every step the latest ones stay.
  class Lasting {
   public:
    void add(std::uint32_t thread, const Record& record);
    void add(const Lasting& later);
    const record::EventBlock& block() const { return block_; }
    std::size_t size() const { return block_.records.size(); }
    void clear();

   private:
    record::EventBlock block_;
    std::map<std::pair<RecordKind, std::uint64_t>, std::size_t> places_;  // by what they are of
  };
  void hand_over(const RecordSink& sink);
  void begin();
  void go_on();  // in a new part
  void let_go_of_oldest();

  const SpoolLimits limits_;
  mutable std::mutex mutex_;                 // guards what follows
  std::deque<std::unique_ptr<Part>> parts_;  // in order; empty where there is no place for them
  // Of the parts between the first and the second that is kept, and how many other records there were.
  Lasting lasting_;
  std::uint64_t let_go_ = 0;
  std::string failure_;
};

}  // namespace tapescope
