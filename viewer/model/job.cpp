// Steps are compared by their numbers: replicas take the same steps.
#include "viewer/model/job.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "viewer/model/job_findings.h"
#include "viewer/model/statistics.h"
#include "viewer/model/text_table.h"
#include "viewer/model/units.h"

namespace tapescope {
namespace {

std::string fact(const record::ProgramFacts& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? std::string() : found->second;
}

std::optional<int> number(const std::string& text) {
  int value = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (wrong != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<double> loss_of(const Snapshot& snapshot) {
  const MetricSeries* found = nullptr;
  for (const MetricSeries& metric : snapshot.metrics) {
    if (metric.points.empty()) continue;
    if (metric.name == "local_loss" || (metric.name == "loss" && found == nullptr)) found = &metric;
  }
  return found == nullptr ? std::nullopt : std::optional(found->points.back().value);
}

RankRow row_of(const JobRank& rank) {
  RankRow row{.rank = *rank.place.rank,
              .title = rank.title,
              .host = rank.place.host,
              .steps = rank.snapshot->steps.count(),
              .loss = loss_of(*rank.snapshot)};
  const Series<StepSummary>& steps = rank.snapshot->steps;
  std::vector<double> step, compute, exchange;
  std::map<std::pair<OpNameId, SiteId>, std::uint64_t> waits;
  for (std::size_t i = steps.size() > 1 ? 1 : 0; i < steps.size(); ++i) {
    if (steps[i].lost > 0 && !step.empty()) continue;  // what it waited is not known
    step.push_back(steps[i].step_us);
    if (steps[i].exchange_unknown) continue;
    exchange.push_back(steps[i].exchange_us);
    compute.push_back(steps[i].step_us - steps[i].exchange_us);
    if (steps[i].exchange_op != 0) ++waits[{steps[i].exchange_op, steps[i].exchange_site}];
  }
  if (step.empty()) return row;
  row.step_us = median_of(step);
  row.compute_us = median_of(compute);
  row.exchange_us = median_of(exchange);
  if (waits.empty()) return row;
  const auto most = std::max_element(waits.begin(), waits.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
  row.waits_in = op_name_text(most->first.first);
  if (most->first.second != 0) row.waits_at = location_text(site_with_id(most->first.second));
  return row;
}

// In how many steps each rank computed longest, and how many steps all have, with all records.
void count_steps(std::span<const JobRank* const> ranks, JobReport& report) {
  if (ranks.empty()) return;
  std::vector<std::size_t> at(ranks.size(), 0);
  for (;;) {
    // The step that the furthest rank stands at; the others go on to it.
    std::uint64_t step = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const Series<StepSummary>& steps = ranks[r]->snapshot->steps;
      if (at[r] >= steps.size()) return;
      step = std::max(step, steps[at[r]].step);
    }
    bool all = true;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const Series<StepSummary>& steps = ranks[r]->snapshot->steps;
      while (at[r] < steps.size() && steps[at[r]].step < step) ++at[r];
      if (at[r] >= steps.size()) return;
      all &= steps[at[r]].step == step;
    }
    if (!all) continue;
    std::size_t slowest = 0;
    double longest = -1;
    bool whole = true, timed = true;  // whether it is known what each waited
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const StepSummary& one = ranks[r]->snapshot->steps[at[r]++];
      whole &= one.lost == 0;
      timed &= !one.exchange_unknown;
      if (one.step_us - one.exchange_us <= longest) continue;
      longest = one.step_us - one.exchange_us;
      slowest = r;
    }
    if (!whole) continue;
    ++report.compared_steps;
    if (!timed) continue;
    ++report.timed_steps;
    ++report.ranks[slowest].slowest;
  }
}

void place_ranks(std::span<const JobRank* const> ranks, JobReport& report) {
  if (ranks.empty()) return;
  std::vector<ClockMember> members;
  // Those that say no job are given as one.
  const auto job_of = [](const JobPlace& place) { return place.job.empty() ? "job" : place.job; };
  for (const JobRank* rank : ranks) members.push_back({rank->clock, job_of(rank->place)});
  const auto places = place_clocks(members, 0, [&](std::size_t i) {
    return ranks[i]->exchanges.empty() ? exchange_times(*ranks[i]->snapshot) : ranks[i]->exchanges;
  });
  for (std::size_t i = 0; i < places.size(); ++i) report.ranks[i].clock = places[i];
}

}  // namespace

JobPlace place_in_job(const record::ProgramFacts& facts) {
  JobPlace place{.rank = number(fact(facts, "rank")), .host = fact(facts, "host"), .job = fact(facts, "job")};
  place.size = number(fact(facts, "size")).value_or(0);
  return place;
}

std::string why_no_job(std::span<const JobRank> ranks) {
  std::map<int, const JobRank*> by_rank;
  const JobRank* named = nullptr;
  for (const JobRank& rank : ranks) {
    if (!rank.place.rank) {
      return fmt::format(
          "{} does not say which rank it is: its program was not started by mpirun, torchrun or srun",
          rank.title);
    }
    const auto [known, fresh] = by_rank.try_emplace(*rank.place.rank, &rank);
    if (!fresh) {
      return fmt::format("{} and {} are both of rank {}; give one for each rank of one job",
                         known->second->title, rank.title, *rank.place.rank);
    }
    if (rank.place.job.empty()) continue;
    if (named != nullptr && named->place.job != rank.place.job) {
      return fmt::format("{} is of job {} and {} of job {}; give processes of one job", named->title,
                         named->place.job, rank.title, rank.place.job);
    }
    named = &rank;
  }
  return {};
}

double JobReport::share_slowest(const RankRow& row) const {
  return timed_steps == 0 ? std::numeric_limits<double>::quiet_NaN()
                          : static_cast<double>(row.slowest) / static_cast<double>(timed_steps);
}

JobReport report_of_job(std::span<const JobRank> ranks) {
  std::vector<const JobRank*> sorted;
  for (const JobRank& rank : ranks) sorted.push_back(&rank);
  std::sort(sorted.begin(), sorted.end(),
            [](const JobRank* a, const JobRank* b) { return *a->place.rank < *b->place.rank; });
  JobReport report;
  std::set<int> present;
  for (const JobRank* rank : sorted) {
    report.ranks.push_back(row_of(*rank));
    present.insert(*rank->place.rank);
    report.size = std::max({report.size, rank->place.size, *rank->place.rank + 1});
    if (report.job.empty()) report.job = rank->place.job;
  }
  for (int rank = 0; rank < report.size; ++rank) {
    if (!present.contains(rank)) report.missing.push_back(rank);
  }
  count_steps(sorted, report);
  place_ranks(sorted, report);
  report.findings = job_findings(sorted, report);
  return report;
}

std::string ranks_text(std::span<const int> ranks) {
  if (ranks.empty()) return "no rank";
  if (ranks.size() == 1) return fmt::format("rank {}", ranks[0]);
  if (ranks.size() > 2 && ranks.back() - ranks.front() == static_cast<int>(ranks.size()) - 1)
    return fmt::format("ranks {} to {}", ranks.front(), ranks.back());
  return fmt::format("ranks {} and {}", fmt::join(ranks.first(ranks.size() - 1), ", "), ranks.back());
}

std::vector<std::string> clock_sentences(const JobReport& report) {
  // Ranks of one machine have one clock.
  struct Machine {
    std::string host;
    ClockPlace place;
    std::vector<int> ranks;
  };
  std::vector<Machine> machines;
  for (const RankRow& row : report.ranks) {
    if (row.clock.offset_us && row.clock.exchanges == 0) continue;
    const auto same = std::find_if(machines.begin(), machines.end(), [&](const Machine& machine) {
      return machine.host == row.host && machine.place.error_us == row.clock.error_us &&
             machine.place.exchanges == row.clock.exchanges;
    });
    if (same == machines.end()) machines.push_back({row.host, row.clock, {row.rank}});
    else same->ranks.push_back(row.rank);
  }
  // No rank has a clock that could differ.
  if (!report.ranks.empty() && !report.ranks.front().clock.offset_us) return {};
  std::vector<std::string> sentences;
  for (const Machine& machine : machines) {
    std::string who = ranks_text(machine.ranks);
    if (!machine.host.empty()) who += " on " + machine.host;
    const bool one = machine.ranks.size() == 1;
    sentences.push_back(
        machine.place.offset_us
            ? fmt::format("{} {} another clock than rank {}: aligned within ± {}, by {} exchanges", who,
                          one ? "has" : "have", report.ranks.front().rank, format_us(machine.place.error_us),
                          machine.place.exchanges)
            : fmt::format("{} {} another clock than rank {}, not aligned: no exchange of all ranks was seen "
                          "on both",
                          who, one ? "has" : "have", report.ranks.front().rank));
  }
  return sentences;
}

std::string job_text(const JobReport& report) {
  std::string out = fmt::format("{} ranks of {}", report.ranks.size(), report.size);
  if (!report.job.empty()) out += fmt::format(", job {}", report.job);
  out += fmt::format(", {} steps compared", report.compared_steps);
  if (report.timed_steps < report.compared_steps)
    out += fmt::format(", exchanges timed in {} of them", report.timed_steps);
  out += "\n";
  if (!report.missing.empty())
    out += fmt::format("  {} {} not given\n", ranks_text(report.missing),
                       report.missing.size() == 1 ? "was" : "were");
  out += "\n";
  TextTable table({">rank", ">steps", ">step", ">computes", ">waits", ">slowest in", ">loss", "host"});
  for (const RankRow& row : report.ranks) {
    table.row({std::to_string(row.rank), std::to_string(row.steps), format_us(row.step_us),
               format_us(row.compute_us), format_us(row.exchange_us),
               format_percent(report.share_slowest(row)), row.loss ? fmt::format("{:.6g}", *row.loss) : "–",
               row.host});
  }
  out += table.text();
  for (const std::string& sentence : clock_sentences(report)) out += fmt::format("clocks: {}\n", sentence);
  for (const JobFinding& finding : report.findings) {
    out += fmt::format("\n{}: {}", finding.kind == "only" ? finding.alert : finding.kind, finding.message);
    out += finding.message.ends_with('.') ? "\n" : ".\n";
    if (!finding.location.empty()) out += fmt::format("  where  {}\n", finding.location);
    if (!finding.fix.empty()) out += fmt::format("  fix    {}\n", finding.fix);
  }
  if (report.findings.empty())
    out +=
        "\nNo rank stands out: none is slower, none holds other values, none has alerts that others have "
        "not.\n";
  return out;
}

}  // namespace tapescope
