// What all ranks have is said once.
#include "viewer/cli/job.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "viewer/cli/cli.h"
#include "viewer/debugger/recording.h"
#include "viewer/export/job_json.h"
#include "viewer/model/job.h"

namespace tapescope {
namespace {

struct Job {
  std::vector<int> ranks;          // of each recording, ascending
  std::vector<RunReport> reports;  // parallel
  JobReport report;
};

// Without the steps' records: of 64 recordings they are what takes the memory.
std::shared_ptr<const Snapshot> lean(const HeadlessRun& run, const RunReport& report) {
  auto kept = std::make_shared<Snapshot>();
  if (run.snapshots[0]) *kept = *run.snapshots[0];
  kept->current = kept->complete = nullptr;
  kept->recent.clear();
  kept->held.clear();
  kept->rounds.clear();
  kept->alerts = report.alerts;  // how it ended is among them
  return kept;
}

struct Read {
  JobRank rank;
  RunReport report;
};

Read read_rank(const std::string& path) {
  const HeadlessRun run = read_recording(path, true);
  RunReport report = report_of(run, 0);
  const Snapshot* const read = run.snapshots[0].get();
  JobRank rank{.title = path,
               .place = place_in_job(run.facts),
               .snapshot = lean(run, report),
               .clock = clock_of(run.facts, read),
               .exchanges = read ? exchange_times(*read) : std::vector<ExchangeTime>()};
  return {std::move(rank), std::move(report)};
}

// As many at a time as there are processors. Throws what the first one that cannot be read throws.
std::vector<Read> read_all(const std::vector<std::string>& recordings) {
  std::vector<Read> all(recordings.size());
  std::vector<std::exception_ptr> errors(recordings.size());
  std::atomic<std::size_t> next{0};
  const auto read = [&] {
    for (std::size_t i = next++; i < recordings.size(); i = next++) {
      try {
        all[i] = read_rank(recordings[i]);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t most = std::max(1u, std::thread::hardware_concurrency());
    while (threads.size() + 1 < std::min(most, recordings.size())) threads.emplace_back(read);
    read();
  }
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
  return all;
}

Job read_job(const std::vector<std::string>& recordings) {
  std::vector<Read> all = read_all(recordings);
  std::vector<JobRank> ranks;
  for (const Read& one : all) ranks.push_back(one.rank);
  if (const std::string why = why_no_job(ranks); !why.empty()) throw UsageError(why);
  for (const Read& one : all) {
    if (one.report.sample == all.front().report.sample) continue;
    throw UsageError(
        fmt::format("{} is of program {} and {} of {}; steps of different programs cannot be compared",
                    all.front().rank.title, all.front().report.sample, one.rank.title, one.report.sample));
  }
  std::sort(all.begin(), all.end(),
            [](const Read& a, const Read& b) { return *a.rank.place.rank < *b.rank.place.rank; });
  Job job;
  job.report = report_of_job(ranks);
  for (Read& one : all) {
    job.ranks.push_back(*one.rank.place.rank);
    job.reports.push_back(std::move(one.report));
  }
  job.report.program = job.reports.front().sample;
  return job;
}

std::string whose(const std::vector<int>& ranks, const Job& job) {
  return ranks.size() == job.ranks.size() ? "all ranks" : ranks_text(ranks);
}

Json head(const Job& job) {
  return {{"schema", 1},
          {"sample", job.report.program},
          {"variant", job.reports.front().variant},
          {"job", json_of(job.report)}};
}

template <class Make>
Json of_ranks(const Job& job, Make make) {
  Json list = Json::array();
  for (std::size_t i = 0; i < job.reports.size(); ++i) {
    Json document = make(job.reports[i]);
    document["rank"] = job.ranks[i];
    list.push_back(std::move(document));
  }
  return list;
}

// What ranks say alike is printed once, with the ranks before it.
template <class Make>
std::string texts_of_ranks(const Job& job, Make make) {
  std::vector<std::pair<std::string, std::vector<int>>> texts;
  for (std::size_t i = 0; i < job.reports.size(); ++i) {
    std::string text = make(job.reports[i]);
    const auto same =
        std::find_if(texts.begin(), texts.end(), [&](const auto& one) { return one.first == text; });
    if (same == texts.end()) texts.emplace_back(std::move(text), std::vector{job.ranks[i]});
    else same->second.push_back(job.ranks[i]);
  }
  std::string out;
  for (const auto& [text, ranks] : texts) out += fmt::format("\n--- {}: {}", whose(ranks, job), text);
  return out;
}

// What fires in the same words in several ranks is one row.
class Fired {
 public:
  void add(int rank, std::string_view kind, const std::string& subject, const std::string& message,
           const std::string& location, const std::string& fix) {
    const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
      return std::tie(row.kind, row.message, row.location) == std::tie(kind, message, location);
    });
    if (same == rows_.end())
      rows_.push_back({std::string(kind), subject, message, location, fix, {rank}, false});
    else if (same->ranks.back() != rank) same->ranks.push_back(rank);
  }
  bool empty() const { return rows_.empty(); }
  bool only(std::string_view kind) const {
    return std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) { return row.kind == kind; });
  }
  std::string text(const Job& job) const {
    std::string out;
    for (const Row& row : rows_) {
      out += fmt::format("{}: {}{}", row.kind, row.of_job ? "" : whose(row.ranks, job) + ": ", row.message);
      if (!row.location.empty() && row.message.find(row.location) == std::string::npos)
        out += fmt::format(" ({})", row.location);
      out += "\n";
      if (!row.fix.empty()) out += fmt::format("  {}\n", row.fix);
    }
    return out;
  }
  Json json() const {
    Json list = Json::array();
    for (const Row& row : rows_) {
      list.push_back({{"kind", row.kind},
                      {"subject", row.subject},
                      {"message", row.message},
                      {"location", row.location},
                      {"fix", row.fix},
                      {"ranks", row.ranks}});
    }
    return list;
  }
  void add(const JobFinding& finding) {
    rows_.push_back(
        {finding.kind, finding.subject, finding.message, finding.location, finding.fix, finding.ranks, true});
  }

 private:
  struct Row {
    std::string kind, subject, message, location, fix;
    std::vector<int> ranks;
    bool of_job = false;  // its words name the ranks
  };
  std::vector<Row> rows_;
};

}  // namespace

JobAnswer explain_job(const std::vector<std::string>& recordings) {
  const Job job = read_job(recordings);
  JobAnswer answer{.document = head(job), .text = job_text(job.report)};
  answer.document["ranks"] = of_ranks(job, explain_json);
  answer.text += texts_of_ranks(job, explain_text);
  return answer;
}

JobAnswer report_job(const std::vector<std::string>& recordings) {
  const Job job = read_job(recordings);
  JobAnswer answer{.document = head(job), .text = job_text(job.report)};
  answer.document["ranks"] = of_ranks(job, [](const RunReport& report) { return json_of(report); });
  return answer;
}

JobAnswer check_job(const std::vector<std::string>& recordings, const std::vector<std::string>& kinds,
                    bool of_all) {
  const Job job = read_job(recordings);
  const auto wanted = [&](std::string_view kind) {
    return kind == kTruncated || std::find(kinds.begin(), kinds.end(), kind) != kinds.end();
  };
  Fired fired;
  for (const JobFinding& finding : job.report.findings) {
    if (finding.kind != "only" && wanted(finding.kind)) fired.add(finding);
  }
  bool doubted = false;
  for (std::size_t i = 0; i < job.reports.size(); ++i) {
    const RunReport& report = job.reports[i];
    doubted |= !report.unseen.empty() && std::any_of(kOfValues.begin(), kOfValues.end(), wanted);
    for (const AlertRow& alert : report.alerts) {
      if (wanted(alert.kind))
        fired.add(job.ranks[i], alert.kind, alert.subject, alert.message, alert.location, alert.fix);
    }
    if (!wanted("zero")) continue;
    for (const GradientRow& row : report.gradients) {
      if (row.status == GradientStatus::zero || (row.status == GradientStatus::unconnected_zero && !of_all))
        fired.add(job.ranks[i], "zero", row.source, row.message, row.location, row.fix);
    }
  }
  const bool only_ending = !fired.empty() && fired.only(kTruncated);
  const Verdict verdict = only_ending || (fired.empty() && doubted) ? Verdict::cannot_say
                          : fired.empty()                           ? Verdict::nothing_found
                                                                    : Verdict::wrong;
  JobAnswer answer{.document = head(job), .text = fired.text(job)};
  if (verdict == Verdict::cannot_say) {
    answer.text += fmt::format("{} in {} ranks: cannot say; looked for {}\n", job.report.program,
                               job.ranks.size(), fmt::join(kinds, ", "));
  } else if (fired.empty()) {
    answer.text = fmt::format("{} in {} ranks: nothing found; looked for {}\n", job.report.program,
                              job.ranks.size(), fmt::join(kinds, ", "));
  }
  for (const std::string& sentence : clock_sentences(job.report))
    answer.text += fmt::format("clocks: {}\n", sentence);
  answer.document["looked_for"] = kinds;
  answer.document["fired"] = fired.json();
  answer.document["verdict"] = name_of(verdict);
  answer.code = verdict == Verdict::nothing_found ? kExitDone : kExitFired;
  return answer;
}

}  // namespace tapescope
