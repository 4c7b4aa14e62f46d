// What stands for the chunks of some steps, so that the recordings of a job open without a look at each op.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/events/records/digests.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/replicas.h"
#include "engine/events/records/steps.h"
#include "engine/events/step_phases.h"
#include "engine/recording/columns.h"
#include "engine/recording/contents.h"

namespace tapescope::record {

// A group ends with a step once it has so many records: it is then as good as a full chunk.
inline constexpr std::size_t kGroupRecords = kMaxBlockRecords / 2;
// The first steps always count whole: what is made there is asked about in all others.
inline constexpr std::uint64_t kWholeSteps = 8;

// Fed with the records of a process in the order in which they are written. Of a group of ordinary steps it
// makes the records that a reader needs who does not look at ops. Steps are ordinary where one thread marks
// them, other threads at most run ops, nothing is traced or lost, and no value is looked at.
class DigestMaker {
 public:
  // Takes records up to the one with which the group ends, or all; how many it took.
  std::size_t add(std::uint32_t thread, std::span<const Record> records);
  bool ended() const { return ended_; }
  // The group's records, and nothing where these do not say enough. The next one begins.
  std::optional<EventBlock> take();

 private:
  // What is kept of a step depends on what else is in it.
  enum class Kept : std::uint8_t { always, where_tapes_stay, where_sources_change };
  struct Call {
    Record op;
    bool recorded = false, answered = false;
  };
  struct Interval {
    std::uint64_t begin = 0, end = 0;
  };

  void take_one(std::uint32_t thread, const Record& record);
  void begin_step(std::uint32_t thread, const Record& record);
  void end_step(const Record& record);
  void add_own(const Record& record);
  void add_op(const OpRecord& op);
  void add_operands(const OperandsRecord& operands);
  void add_of_another(const Record& record);
  void count_others(std::uint64_t end);
  void count_forward(const OpRecord& op);
  void wait_in(const OpRecord& op);
  void keep(const Record& record, Kept when = Kept::always) { step_.emplace_back(record, when); }
  void add_replica(ReplicaRecord replica);
  void note_source(std::uint64_t tensor, std::uint64_t more);
  bool exchanges(OpNameId op);

  EventBlock digest_;
  std::size_t group_records_ = 0;
  bool ordinary_ = true, ended_ = false;
  std::unordered_map<std::uint64_t, std::uint32_t> calls_;  // by op and duration
  std::vector<std::uint8_t> exchanges_;                     // by op: 0 not looked at, 1 no, 2 yes

  // Of the step under way.
  bool open_ = false;
  std::uint32_t home_ = 0;
  std::uint64_t steps_ = 0, number_ = 0, begin_ = 0, longest_ = 0;
  std::vector<std::pair<Record, Kept>> step_;  // since the end of the one before
  std::size_t seen_ = 0;                       // likewise, all
  std::vector<ReplicaRecord> replicas_;        // of these those since its begin, one a source
  std::size_t last_replica_ = 0;               // which of them the last record was about
  StepPhases phases_;
  StepCountsRecord counts_;
  int walks_ = 0;
  enum class Operands : std::uint8_t { of_none, of_forward } expects_ = Operands::of_none;
  std::uint32_t asks_ = 0;
  bool graph_waits_ = false, tapes_stay_ = false;
  std::uint64_t tapes_ = 0;  // those that were entered or given back: 0 where each was both
  std::uint64_t sources_ = 0, former_sources_ = 0;  // what they were and answered, hashed
  std::vector<Interval> ran_;
  std::vector<Call> others_;  // ops of other threads, also later ones
};

// Fed with all statistics of a file, in the order in which they are written.
class StatisticsDigestMaker {
 public:
  void add(std::span<const StatsEntry> entries);
  // Of the steps that ended since the last one: where the next began. Nothing where they differ in their
  // sources, come out of order, or something is not finite.
  std::optional<StatisticsDigest> take();

 private:
  void end_step();

  StatisticsDigest digest_;
  bool ordinary_ = true;
  std::optional<std::uint64_t> step_;
  std::uint64_t sources_ = 0;  // of that step, so far
};

}  // namespace tapescope::record
