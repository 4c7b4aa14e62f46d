// Divergence is an equality of hashes; a straggler needs a margin and a majority of steps, as ranks differ by
// chance in any one.
#include "viewer/model/job_findings.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "engine/events/exchanges.h"
#include "viewer/model/statistics.h"
#include "viewer/model/units.h"

namespace tapescope {
namespace {

using Ranks = std::span<const JobRank* const>;

// --- diverged ------------------------------------------------------------------------------------

// Ranks by what they hold.
using Groups = std::map<std::uint32_t, std::vector<int>>;

struct Parting {
  std::uint32_t step = 0;
  bool value = true;  // of the source itself, else of its gradient
  Groups groups;
  std::uint32_t first = 0;  // step that hashes begin with
};

const ReplicaSeries* series_of(const Snapshot& snapshot, const ReplicaSeries& like) {
  const auto& all = snapshot.replicas;
  const auto found = std::find_if(all.begin(), all.end(), [&](const ReplicaSeries& one) {
    return one.index == like.index && one.name == like.name;
  });
  return found == all.end() ? nullptr : &*found;
}

// The first step in which not all ranks hold the same of this source.
std::optional<Parting> parting_of(Ranks ranks, const ReplicaSeries& source) {
  struct Reader {
    int rank;
    const Series<ReplicaPoint>* points;
    std::size_t at = 0;
  };
  std::vector<Reader> readers;
  for (const JobRank* rank : ranks) {
    const ReplicaSeries* series = series_of(*rank->snapshot, source);
    if (series != nullptr && !series->points.empty()) readers.push_back({*rank->place.rank, &series->points});
  }
  if (readers.size() < 2) return std::nullopt;
  // Nearly all points of nearly all jobs.
  const Series<ReplicaPoint>& those = *readers.front().points;
  std::size_t common = those.size();
  for (const Reader& reader : readers) common = std::min(common, reader.points->common(those));
  std::optional<std::uint32_t> first;
  if (common > 0) first = those[0].step;
  for (Reader& reader : readers) reader.at = common;
  while (true) {
    std::uint32_t step = 0;
    for (const Reader& reader : readers) {
      if (reader.at >= reader.points->size()) return std::nullopt;
      step = std::max(step, (*reader.points)[reader.at].step);
    }
    bool all = true;
    for (Reader& reader : readers) {
      while (reader.at < reader.points->size() && (*reader.points)[reader.at].step < step) ++reader.at;
      if (reader.at >= reader.points->size()) return std::nullopt;
      all &= (*reader.points)[reader.at].step == step;
    }
    if (!all) continue;
    if (!first) first = step;
    const ReplicaPoint& other = (*readers.front().points)[readers.front().at];
    const auto parts = [&](std::uint32_t ReplicaPoint::*what) -> std::optional<Parting> {
      const auto differs = [&](const Reader& reader) {
        return (*reader.points)[reader.at].*what != other.*what;
      };
      if (std::ranges::none_of(readers, differs)) return std::nullopt;
      Parting parting{step, what == &ReplicaPoint::value, {}, *first};
      for (const Reader& reader : readers)
        parting.groups[(*reader.points)[reader.at].*what].push_back(reader.rank);
      return parting;
    };
    if (auto parting = parts(&ReplicaPoint::value)) return parting;
    if (auto parting = parts(&ReplicaPoint::gradient)) return parting;
    for (Reader& reader : readers) ++reader.at;
  }
}

// Those that are not of the largest group; all but the first where none is larger than another.
std::vector<int> outsiders(const Groups& groups) {
  const auto most = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.size(), b.second.front()) < std::pair(b.second.size(), a.second.front());
  });
  std::vector<int> others;
  for (auto group = groups.begin(); group != groups.end(); ++group) {
    if (group != most) others.insert(others.end(), group->second.begin(), group->second.end());
  }
  std::sort(others.begin(), others.end());
  return others;
}

std::string groups_text(const Groups& groups) {
  std::vector<std::vector<int>> sorted;
  for (const auto& [hash, ranks] : groups) sorted.push_back(ranks);
  std::sort(sorted.begin(), sorted.end());
  if (std::all_of(sorted.begin(), sorted.end(), [](const auto& ranks) { return ranks.size() == 1; }))
    return sorted.size() == 2 ? fmt::format("rank {} and rank {} differ", sorted[0][0], sorted[1][0])
                              : "no two ranks agree";
  std::string text;
  for (const auto& ranks : sorted) {
    text += text.empty() ? "" : ", ";
    text += ranks.size() > 1 ? fmt::format("{} agree", ranks_text(ranks))
                             : fmt::format("{} holds another value", ranks_text(ranks));
  }
  return text;
}

std::string location_of(Ranks ranks, std::string_view source) {
  for (const JobRank* rank : ranks) {
    for (const VariableRow& variable : rank->snapshot->variables) {
      if (variable.name == source && !variable.location.empty()) return std::string(variable.location);
    }
  }
  return {};
}

// `shown`: what people call the step.
std::string fix_of(const Parting& parting, std::uint64_t shown) {
  if (!parting.value) {
    return "let every rank exchange every gradient: look for a branch that skips the exchange, or an update "
           "of "
           "gradients after it, in the ranks that stand out";
  }
  if (parting.step == parting.first) {
    return "begin with equal values: broadcast them from one rank before the first step, or give every rank "
           "the "
           "same seed";
  }
  return fmt::format(
      "look for what changes it between steps {} and {} in the ranks that stand out alone: an update "
      "outside of the exchange, another learning rate, a skipped step",
      shown - 1, shown);
}

// One finding for the sources that part first, as the others follow from them.
void find_diverged(Ranks ranks, std::vector<JobFinding>& findings) {
  std::vector<std::pair<const ReplicaSeries*, Parting>> partings;
  std::map<std::pair<std::uint16_t, std::string_view>, const ReplicaSeries*> sources;
  for (const JobRank* rank : ranks) {
    for (const ReplicaSeries& series : rank->snapshot->replicas)
      sources.try_emplace({series.index, series.name}, &series);
  }
  for (const auto& [key, source] : sources) {
    if (auto parting = parting_of(ranks, *source)) partings.emplace_back(source, std::move(*parting));
  }
  if (partings.empty()) return;
  const auto moment = [](const Parting& p) { return std::pair(p.step, !p.value); };
  const auto first = std::min_element(partings.begin(), partings.end(), [&](const auto& a, const auto& b) {
    return moment(a.second) < moment(b.second);
  });
  const auto alike =
      static_cast<std::size_t>(std::count_if(partings.begin(), partings.end(), [&](const auto& one) {
        return moment(one.second) == moment(first->second);
      }));
  const Parting& parting = first->second;
  const std::uint64_t shown = ranks.front()->snapshot->step_shown(parting.step);
  JobFinding finding{.kind = "diverged",
                     .subject = std::string(first->first->name),
                     .ranks = outsiders(parting.groups),
                     .step = parting.step,
                     .location = location_of(ranks, first->first->name),
                     .fix = fix_of(parting, shown),
                     .alert = {}};
  finding.message = fmt::format(
      "{} is not the same in all ranks from step {} on: {}",
      parting.value ? finding.subject : fmt::format("the gradient of {} after the exchange", finding.subject),
      shown, groups_text(parting.groups));
  if (alike > 1) finding.message += fmt::format("; {} of {} sources part there", alike, sources.size());
  findings.push_back(std::move(finding));
}

// --- what some ranks have alone --------------------------------------------------------------------

void find_only(Ranks ranks, std::vector<JobFinding>& findings) {
  struct Met {
    const AlertRow* alert = nullptr;
    std::vector<int> ranks;
  };
  std::map<std::tuple<std::string, std::string, std::string>, Met> met;
  for (const JobRank* rank : ranks) {
    for (const AlertRow& alert : rank->snapshot->alerts) {
      // What follows from a value that is not finite is met at other ops in other ranks.
      const bool anywhere = alert.kind == "nonfinite";
      Met& one = met[{alert.kind, anywhere ? std::string() : alert.subject,
                      anywhere ? std::string() : alert.location}];
      if (one.alert == nullptr) one.alert = &alert;
      if (one.ranks.empty() || one.ranks.back() != *rank->place.rank) one.ranks.push_back(*rank->place.rank);
    }
  }
  std::vector<JobFinding> only;
  for (const auto& [key, one] : met) {
    if (one.ranks.size() == ranks.size()) continue;
    const AlertRow& alert = *one.alert;
    only.push_back({.kind = "only",
                    .subject = alert.subject,
                    .ranks = one.ranks,
                    .step = alert.step,
                    .message = fmt::format("in {} alone: {}", ranks_text(one.ranks), alert.message),
                    .location = alert.location,
                    .fix = alert.fix,
                    .alert = alert.kind});
  }
  std::stable_sort(only.begin(), only.end(),
                   [](const JobFinding& a, const JobFinding& b) { return a.ranks.size() < b.ranks.size(); });
  for (JobFinding& finding : only) findings.push_back(std::move(finding));
}

// --- ranks of different programs ---------------------------------------------------------------------

void find_programs(Ranks ranks, std::vector<JobFinding>& findings) {
  std::map<std::string, std::vector<int>> programs;
  for (const JobRank* rank : ranks) {
    if (!rank->program.empty()) programs[rank->program].push_back(*rank->place.rank);
  }
  if (programs.size() < 2) return;
  const auto most = std::max_element(programs.begin(), programs.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.size(), b.second.front()) < std::pair(b.second.size(), a.second.front());
  });
  JobFinding finding{.kind = "programs",
                     .subject = most->first,
                     .ranks = {},
                     .step = {},
                     .message = fmt::format("{} run{} {}", ranks_text(most->second),
                                            most->second.size() == 1 ? "s" : "", most->first),
                     .location = {},
                     .fix = "open the ranks of one program alone",
                     .alert = {}};
  for (const auto& [program, of] : programs) {
    if (program == most->first) continue;
    finding.ranks.insert(finding.ranks.end(), of.begin(), of.end());
    finding.message += fmt::format(", {} {}", ranks_text(of), program);
  }
  finding.message += "; steps of different programs cannot be compared";
  std::sort(finding.ranks.begin(), finding.ranks.end());
  findings.push_back(std::move(finding));
}

// --- stragglers ------------------------------------------------------------------------------------

// Ranks of one program on equal machines differ by some percent; a third more is what one waits for.
constexpr double kMargin = 1.25;
constexpr double kMajority = 0.6;   // of the timed steps
constexpr double kByChance = 0.05;  // that one of equal ranks is the slowest so often
constexpr double kWaited = 0.25;    // of what the slow one takes longer
constexpr std::string_view kCall = "PartitionedCall";

// That one of `ranks` is drawn `times` of `steps` times, or more often, where each is as likely.
double chance_of(std::uint64_t times, std::uint64_t steps, std::size_t ranks) {
  const double p = 1 / static_cast<double>(ranks), n = static_cast<double>(steps);
  double chance = 0;
  for (std::uint64_t i = times; i <= steps; ++i) {
    const auto k = static_cast<double>(i);
    const double term = std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                                 k * std::log(p) + (n - k) * std::log1p(-p));
    chance += term;
    if (term < 1e-9) break;  // above the mean they only get smaller
  }
  return chance;
}

// Without what a call of a graph waits in exchanges inside.
double op_time(const OpKindRow& row, const JobRank& rank, const RankRow& account) {
  const Series<StepSummary>& steps = rank.snapshot->steps;
  const bool waits = row.op == kCall && !steps.empty() && steps.back().exchanges_in_graph;
  return row.forward_us + row.backward_run_us - (waits ? account.exchange_us : 0);
}

// The kind of op that takes longer in `slow` than in the others, and how much; exchanges do not count.
std::pair<std::string, double> slower_op(Ranks ranks, const JobReport& report, int slow) {
  std::map<std::string_view, std::pair<double, std::vector<double>>> times;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const OpKindRow& row : ranks[r]->snapshot->op_kinds) {
      if (is_exchange(intern_op_name(row.op))) continue;
      auto& [own, others] = times[row.op];
      const double time = op_time(row, *ranks[r], report.ranks[r]);
      if (*ranks[r]->place.rank == slow) own = time;
      else others.push_back(time);
    }
  }
  std::pair<std::string, double> most;
  for (auto& [op, time] : times) {
    if (time.second.empty()) time.second.push_back(0);  // no other rank runs it
    const double more = time.first - median_of(time.second);
    if (more > most.second) most = {std::string(op), more};
  }
  return most;
}

void find_straggler(Ranks ranks, const JobReport& report, std::vector<JobFinding>& findings) {
  if (ranks.size() < 2 || report.timed_steps == 0) return;
  const auto slow =
      std::max_element(report.ranks.begin(), report.ranks.end(),
                       [](const RankRow& a, const RankRow& b) { return a.slowest < b.slowest; });
  std::vector<double> compute, wait;
  const RankRow* waiting = nullptr;
  for (const RankRow& row : report.ranks) {
    if (&row == &*slow) continue;
    compute.push_back(row.compute_us);
    // What the slow one waits itself, as where processors are scarce, is not waited for it.
    wait.push_back(std::max(0.0, row.exchange_us - (slow->exchange_us > 0 ? slow->exchange_us : 0)));
    if (waiting == nullptr || row.exchange_us > waiting->exchange_us) waiting = &row;
  }
  const double others = median_of(compute), more = slow->compute_us - others;
  const double share = report.share_slowest(*slow);
  if (!(slow->compute_us >= kMargin * others) || share < kMajority) return;
  if (chance_of(slow->slowest, report.timed_steps, ranks.size()) > kByChance) return;
  JobFinding finding{.kind = "straggler",
                     .subject = fmt::format("rank {}", slow->rank),
                     .ranks = {slow->rank},
                     .location = {},
                     .fix = {},
                     .alert = {}};
  finding.message =
      fmt::format("rank {} is the slowest in {:.0f} % of the {}: it computes {} a step, the others {}",
                  slow->rank, 100 * share,
                  report.timed_steps < report.compared_steps
                      ? fmt::format("{} steps whose exchanges were timed", report.timed_steps)
                      : "steps",
                  format_us(slow->compute_us), format_us(others));
  // Each exchange takes some microseconds without any wait: those are not what they lose.
  if (const double waited = median_of(wait);
      waiting != nullptr && !waiting->waits_in.empty() && waited >= kWaited * more) {
    finding.message += fmt::format(" and wait {} for it in {}", format_us(waited), waiting->waits_in);
    finding.location = waiting->waits_at;
  }
  const auto [op, op_more] = slower_op(ranks, report, slow->rank);
  if (op_more > more / 2) {
    finding.message += fmt::format("; {} of it are in {}", format_us(op_more), op);
    finding.fix =
        fmt::format("find out why {} takes longer in rank {}: larger inputs, other processes on its machine",
                    op, slow->rank);
  } else {
    finding.message += "; the difference is not in the time of its ops";
    finding.fix = fmt::format(
        "look at what rank {} does between its ops: loading of data, prints, work of other processes on its "
        "machine",
        slow->rank);
  }
  findings.push_back(std::move(finding));
}

}  // namespace

std::vector<JobFinding> job_findings(Ranks ranks, const JobReport& report) {
  std::vector<JobFinding> findings;
  find_programs(ranks, findings);
  if (!findings.empty()) return findings;
  find_diverged(ranks, findings);
  find_only(ranks, findings);
  find_straggler(ranks, report, findings);
  return findings;
}

}  // namespace tapescope
