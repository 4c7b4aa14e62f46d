// Bounds of each pair of members that stand on different clocks, gathered by clock.
#include "viewer/model/clock_alignment.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "engine/events/clock.h"
#include "engine/events/exchanges.h"
#include "engine/events/records/ops.h"
#include "viewer/store/step_data.h"

namespace tapescope {
namespace {

// Of a clock, so many members are looked at: more of them hardly narrow the bounds.
constexpr std::size_t kLookedAt = 2;

enum class Role : std::uint8_t { none, of_all, wait, other };

// By how much the same time differs on two clocks, as a share of it: each process measures its own, which
// is good to about 1e-5, and the steady clocks of two machines are slewed apart from each other.
constexpr double kRatesApart = 5e-5;

// What no rank ends before all have begun it, and the wait for such.
Role role_of(OpNameId op) {
  if (!is_exchange(op)) return Role::none;
  const std::string_view name = op_name_text(op);
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (has("wait") || has("Wait")) return Role::wait;
  constexpr std::array<std::string_view, 9> kOfAll{
      "CollectiveReduce", "CollectiveGather", "CollectiveAllToAll", "AllReduce", "allreduce",
      "allgather",        "reduce_scatter",   "alltoall",           "barrier"};
  return std::ranges::any_of(kOfAll, has) ? Role::of_all : Role::other;
}

// Where a call of this only begins the exchange, its end is that of a wait.
bool returns_early(OpNameId op) { return op_name_text(op).find("c10d") != std::string_view::npos; }

std::optional<ExchangeTime> exchange_of(const StepData& step, std::uint64_t first_ticks) {
  std::uint64_t begin = 0, end = 0, other_begin = 0;
  bool early = false, waited = false;
  std::uint64_t wait_begin = 0;
  for (const Segment& segment : step.segments) {
    for (const Record& record : segment.records) {
      if (!record.is<OpRecord>()) continue;
      const auto op = record.as<OpRecord>();
      if ((op.flags & OpRecord::kTraced) || op.ticks == 0) continue;
      const Role role = role_of(op.name);
      if (role == Role::none) continue;
      const std::uint64_t from = op.ticks - std::min<std::uint64_t>(op.duration, op.ticks);
      if (role == Role::other) other_begin = std::max(other_begin, from);
      if (role == Role::of_all && from >= begin) {
        begin = from;
        early = returns_early(op.name);
      }
      if (role == Role::of_all && !returns_early(op.name)) end = std::max<std::uint64_t>(end, op.ticks);
      if (role != Role::wait) continue;
      waited = true;
      wait_begin = std::max(wait_begin, from);
      end = std::max<std::uint64_t>(end, op.ticks);
    }
  }
  const bool ended = !early || (waited && wait_begin >= begin);
  if (begin == 0 || end <= begin || other_begin > begin || !ended || begin < first_ticks) return std::nullopt;
  return ExchangeTime{step.step, microseconds(begin - first_ticks), microseconds(end - first_ticks)};
}

struct Bounds {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  double first_us = std::numeric_limits<double>::infinity(), last_us = 0;  // when the exchanges were
  std::size_t exchanges = 0;
  double span_us() const { return last_us - first_us; }
};

// Of what is to be added to times of `other` for times of `reference`, both in the order of their steps.
void narrow(std::span<const ExchangeTime> reference, std::span<const ExchangeTime> other, double shift,
            Bounds& bounds) {
  for (auto a = reference.begin(), b = other.begin(); a != reference.end() && b != other.end();) {
    if (a->step != b->step) {
      ++(a->step < b->step ? a : b);
      continue;
    }
    bounds.low = std::max(bounds.low, a->begin_us - b->end_us + shift);
    bounds.high = std::min(bounds.high, a->end_us - b->begin_us + shift);
    bounds.first_us = std::min(bounds.first_us, a->begin_us);
    bounds.last_us = std::max(bounds.last_us, a->end_us);
    ++bounds.exchanges;
    ++a, ++b;
  }
}

double between(const ProcessClock& from, const ProcessClock& to) {
  const auto ticks = static_cast<std::int64_t>(to.first_ticks - from.first_ticks);
  return static_cast<double>(ticks) * from.tick_ns * 1e-3;
}

}  // namespace

std::vector<ExchangeTime> exchange_times(const Snapshot& snapshot) {
  std::vector<ExchangeTime> times;
  const std::size_t begin =
      snapshot.held.size() > kAlignedSteps ? snapshot.held.size() - kAlignedSteps : std::size_t{0};
  for (std::size_t i = begin; i < snapshot.held.size(); ++i) {
    if (!snapshot.held[i]->complete) continue;
    if (const auto time = exchange_of(*snapshot.held[i], snapshot.first_ticks)) times.push_back(*time);
  }
  std::ranges::sort(times, {}, &ExchangeTime::step);
  return times;
}

std::vector<ClockPlace> place_clocks(
    std::span<const ClockMember> members, std::size_t of,
    const std::function<std::vector<ExchangeTime>(std::size_t)>& exchanges_of) {
  std::vector<ClockPlace> places(members.size());
  std::vector<std::vector<std::size_t>> clocks;  // members that share one, that of `of` first
  const auto began = [&](std::size_t i) { return members[i].clock.first_ticks != 0; };
  if (!began(of)) return places;
  clocks.push_back({of});
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i == of || !began(i)) continue;
    const auto same = std::ranges::find_if(clocks, [&](const std::vector<std::size_t>& clock) {
      return share_clock(members[clock.front()].clock, members[i].clock);
    });
    if (same == clocks.end()) clocks.push_back({i});
    else same->push_back(i);
  }
  // From the first event of `of`, on its clock.
  for (const std::size_t i : clocks[0]) places[i].offset_us = between(members[of].clock, members[i].clock);
  const auto ranks_on = [&](const std::vector<std::size_t>& clock) {
    std::vector<std::pair<std::size_t, std::vector<ExchangeTime>>> ranks;
    for (const std::size_t i : clock) {
      if (ranks.size() == kLookedAt) break;
      const bool of_job = !members[i].job.empty() && members[i].job == members[of].job;
      if (of_job) ranks.emplace_back(i, exchanges_of(i));
    }
    return ranks;
  };
  const auto reference = clocks.size() > 1 ? ranks_on(clocks[0]) : decltype(ranks_on(clocks[0])){};
  for (std::size_t c = 1; c < clocks.size(); ++c) {
    const ProcessClock& first = members[clocks[c].front()].clock;
    Bounds bounds;
    for (const auto& [other, theirs] : ranks_on(clocks[c])) {
      for (const auto& [mine, ours] : reference) {
        // Both times count from first events: those of the first member of each clock are compared.
        narrow(ours, theirs, *places[mine].offset_us - between(first, members[other].clock), bounds);
      }
    }
    if (bounds.exchanges == 0) continue;
    for (const std::size_t i : clocks[c]) {
      places[i].offset_us = (bounds.low + bounds.high) / 2 + between(first, members[i].clock);
      // Where clocks drift apart meanwhile the bounds may cross; it is as far off then.
      places[i].error_us = std::abs(bounds.high - bounds.low) / 2 + kRatesApart * bounds.span_us();
      places[i].exchanges = bounds.exchanges;
    }
  }
  double earliest = 0;
  for (const ClockPlace& place : places) earliest = std::min(earliest, place.offset_us.value_or(0));
  for (ClockPlace& place : places) {
    if (place.offset_us) *place.offset_us -= earliest;
  }
  return places;
}

}  // namespace tapescope
