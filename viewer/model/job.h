// A job of several processes: how its ranks compare, and what only a look at all of them shows.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/recording/contents.h"
#include "viewer/model/clock_alignment.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

// Where a process stands in its job, as far as its facts say.
struct JobPlace {
  std::optional<int> rank;
  int size = 0;  // 0: unknown
  std::string host, job;
  bool operator==(const JobPlace&) const = default;
};
JobPlace place_in_job(const record::ProgramFacts& facts);

struct JobRank {
  std::string title;                         // "rank-1.tape", "train (4711)"
  JobPlace place;                            // with a rank
  std::shared_ptr<const Snapshot> snapshot;  // not null
  std::string program = {};                  // its name; empty where it is not known
  ProcessClock clock = {};
  std::vector<ExchangeTime> exchanges = {};  // where the snapshot has no steps any more that say them
};

// Times are medians over the steps but the first, in µs. What a rank computes is all that it does but wait in
// exchanges; NaN where no step says what it waited.
struct RankRow {
  int rank = 0;
  std::string title, host;
  std::uint64_t steps = 0;
  double step_us = 0, compute_us = 0, exchange_us = 0;
  std::uint64_t slowest = 0;   // of the timed steps those in which it computed longest
  std::optional<double> loss;  // of its last step: "local_loss" where the program reports one, else "loss"
  std::string waits_in, waits_at;  // the exchange that it waits longest in, and its line
  ClockPlace clock{};              // beside the first rank of the report
};

// Kinds: diverged, straggler, "only" for an alert that some ranks have and the others have not, and
// "programs" where ranks run different ones, which are compared no further.
struct JobFinding {
  std::string kind;
  std::string subject;     // source, or "rank 1"
  std::vector<int> ranks;  // that stand out, ascending
  std::optional<std::uint64_t> step;
  std::string message, location, fix;
  std::string alert;  // of "only": the alert's kind
};

struct JobReport {
  std::string job, program;
  int size = 0;                      // as the launcher says; else that of `ranks`
  std::vector<RankRow> ranks;        // ascending
  std::vector<int> missing;          // of `size`, not among them
  std::uint64_t compared_steps = 0;  // that every rank has
  std::uint64_t timed_steps = 0;     // of these, in which every rank's waits are known
  std::vector<JobFinding> findings;  // most important first

  double share_slowest(const RankRow& row) const;  // of the timed steps; NaN where there are none
};

// By rank; one for each. Costs one pass over the steps of each.
JobReport report_of_job(std::span<const JobRank> ranks);

// Why these are no job: two of one rank, processes of different jobs, a process without a rank. Empty where
// they are one.
std::string why_no_job(std::span<const JobRank> ranks);

// "rank 1", "ranks 0 and 2", "ranks 1 to 3"
std::string ranks_text(std::span<const int> ranks);

// Of ranks that run on other machines than the first: how well their clock is known. One sentence each
// machine.
std::vector<std::string> clock_sentences(const JobReport& report);

// The table of ranks and the findings, for a person.
std::string job_text(const JobReport& report);

}  // namespace tapescope
