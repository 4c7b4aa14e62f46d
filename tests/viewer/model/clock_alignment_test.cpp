// Clocks of several machines, aligned by the exchanges of their ranks.
#include "viewer/model/clock_alignment.h"

#include <random>

#include "engine/events/clock.h"
#include "engine/events/records/ops.h"
#include "tests/support/catch.h"
#include "viewer/model/job.h"
#include "viewer/store/step_data.h"

using namespace tapescope;

namespace {

ProcessClock clock_at(std::uint64_t ticks, const char* boot) {
  return {.name = "rank", .pid = 7, .first_ticks = ticks, .tick_ns = nanoseconds_per_tick(), .boot = boot};
}

std::uint64_t ticks_of(double us) {
  return static_cast<std::uint64_t>(us * 1e3 / nanoseconds_per_tick());
}

// A job in true time: a rank begins the exchange of a step when it has computed, and all end once the last
// has begun.
struct Job {
  std::vector<std::vector<ExchangeTime>> times;
  explicit Job(std::vector<double> first_us, std::size_t steps, unsigned seed = 1) : times(first_us.size()) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> compute(100, 400), line(5, 60);
    double now = 1000;
    for (std::size_t step = 0; step < steps; ++step) {
      std::vector<double> begin;
      for (std::size_t r = 0; r < times.size(); ++r) begin.push_back(now + compute(random));
      const double all = *std::max_element(begin.begin(), begin.end());
      for (std::size_t r = 0; r < times.size(); ++r) {
        const double end = all + line(random);
        times[r].push_back({step, begin[r] - first_us[r], end - first_us[r]});
        now = std::max(now, end);
      }
    }
  }
  std::vector<ClockPlace> placed(const std::vector<ClockMember>& members, std::size_t of) const {
    return place_clocks(members, of, [&](std::size_t i) { return times[i]; });
  }
};

std::shared_ptr<StepData> step_with(std::uint64_t number, std::initializer_list<OpRecord> ops) {
  auto step = std::make_shared<StepData>();
  step->step = number;
  step->complete = true;
  step->segments.push_back({0, {}});
  for (const OpRecord& op : ops) step->segments.front().records.push_back(op);
  return step;
}

OpRecord op(const char* name, std::uint64_t from, std::uint64_t to) {
  return {.name = intern_op_name(name),
          .ticks = to,
          .output = 1,
          .duration = static_cast<std::uint32_t>(to - from)};
}

}  // namespace

TEST_CASE("machines of a job are aligned within the error that is stated", "[clock]") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    // Three machines with two ranks each; each clock begins anywhere.
    const std::vector<double> first{0, 40, 300, 350, 700, 90};
    const Job job(first, 32, seed);
    std::vector<ClockMember> members;
    const double began[] = {5e6, 5e6, 9e9, 9e9, 1e3, 1e3};
    const char* boots[] = {"one", "one", "two", "two", "three", "three"};
    for (std::size_t i = 0; i < first.size(); ++i)
      members.push_back({clock_at(ticks_of(began[i] + first[i]), boots[i]), "job"});
    for (const std::size_t of : {std::size_t{0}, std::size_t{3}}) {
      const auto places = job.placed(members, of);
      double widest = 0;
      for (std::size_t i = 0; i < first.size(); ++i) {
        INFO("seed " << seed << ", member " << i << " beside " << of);
        REQUIRE(places[i].offset_us);
        const bool same = members[i].clock.boot == members[of].clock.boot;
        CHECK((places[i].exchanges == 0) == same);
        if (same) CHECK(places[i].error_us == 0);
        widest = std::max(widest, places[i].error_us);
        const double between = *places[i].offset_us - *places[of].offset_us;
        CHECK(std::abs(between - (first[i] - first[of])) <= places[i].error_us + 0.01);
      }
      CHECK(widest > 0);
      CHECK(widest < 200);  // an exchange lasts some hundred
    }
  }
}

TEST_CASE("what exchanged nothing together is not aligned", "[clock]") {
  const Job job({0, 100}, 8);
  const ClockMember here{clock_at(1000, "one"), "a"};
  for (const ClockMember& other :
       {ClockMember{clock_at(2000, "two"), "b"}, ClockMember{clock_at(2000, "two"), ""},
        ClockMember{clock_at(0, "two"), "a"}}) {
    const auto places = job.placed({here, other}, 0);
    CHECK(*places[0].offset_us == 0);
    CHECK_FALSE(places[1].offset_us);
  }
  const auto silent = place_clocks(std::vector{here, ClockMember{clock_at(2000, "two"), "a"}}, 0,
                                   [](std::size_t) { return std::vector<ExchangeTime>(); });
  CHECK_FALSE(silent[1].offset_us);
}

TEST_CASE("clocks that drift apart are said to be as far off as they drifted", "[clock]") {
  std::vector<std::vector<ExchangeTime>> times(2);
  for (std::uint64_t step = 0; step < 10; ++step) {
    const double at = 1000 + 100 * static_cast<double>(step);
    times[0].push_back({step, at, at + 2});
    times[1].push_back({step, at + 5 * static_cast<double>(step), at + 5 * static_cast<double>(step) + 2});
  }
  const std::vector members{ClockMember{clock_at(1000, "one"), "a"}, ClockMember{clock_at(1000, "two"), "a"}};
  const auto places = place_clocks(members, 0, [&](std::size_t i) { return times[i]; });
  REQUIRE(places[1].offset_us);
  CHECK(places[1].error_us == Approx((45 - 4) / 2.0 + 902 * 5e-5));
}

TEST_CASE("the error of clocks holds where one of them was measured to run a little faster", "[clock]") {
  constexpr double kFaster = 1 + 4e-5;
  std::vector<std::vector<ExchangeTime>> times(2);
  for (std::uint64_t step = 0; step < 20; ++step) {
    const double at = 12'500 * static_cast<double>(step);
    times[0].push_back({step, at, at + 12'000});
    // The other rank comes as the first one leaves.
    times[1].push_back({step, (at + 11'999.9) * kFaster, (at + 12'001) * kFaster});
  }
  const std::vector members{ClockMember{clock_at(1000, "one"), "a"}, ClockMember{clock_at(1000, "two"), "a"}};
  const auto places = place_clocks(members, 0, [&](std::size_t i) { return times[i]; });
  REQUIRE(places[1].offset_us);
  CHECK(std::abs(*places[1].offset_us - *places[0].offset_us) <= places[1].error_us);
}

TEST_CASE("an exchange counts where none could have left it before all had come", "[clock]") {
  Snapshot snapshot;
  snapshot.first_ticks = 1000;
  const auto begins = [&](std::initializer_list<OpRecord> ops) {
    snapshot.held = {step_with(3, ops)};
    const auto times = exchange_times(snapshot);
    return times.empty() ? -1.0 : times[0].begin_us;
  };
  const double us = microseconds(1000);
  CHECK(begins({op("MatMul", 1100, 1200)}) == -1);
  CHECK(begins({op("CollectiveReduceV2", 2000, 2400)}) == Approx(us));
  // One that is begun, and waited for.
  CHECK(begins({op("c10d::allreduce_", 2000, 2010), op("c10d::wait", 2500, 2600)}) == Approx(us));
  CHECK(begins({op("c10d::allreduce_", 2000, 2010)}) == -1);
  CHECK(begins({op("c10d::wait", 1500, 1600), op("c10d::allreduce_", 2000, 2010)}) == -1);
  // A broadcast leaves its root at once.
  CHECK(begins({op("CollectiveReduceV2", 2000, 2400), op("CollectiveBroadcast", 2500, 2600)}) == -1);
  CHECK(begins({op("CollectiveBroadcast", 1500, 1600), op("CollectiveReduceV2", 2000, 2400)}) == Approx(us));
  const auto times = exchange_times(snapshot);
  CHECK(times[0].step == 3);
  CHECK(times[0].end_us == Approx(1.4 * us));
}

TEST_CASE("what a job says of its clocks names machine, error and exchanges", "[clock]") {
  JobReport report;
  for (int rank = 0; rank < 3; ++rank) report.ranks.push_back({.rank = rank, .host = rank == 0 ? "a" : "b"});
  for (RankRow& row : report.ranks) row.clock.offset_us = 0;
  CHECK(clock_sentences(report).empty());
  for (int rank : {1, 2}) report.ranks[static_cast<std::size_t>(rank)].clock = {7.0, 12.5, 32};
  REQUIRE(clock_sentences(report).size() == 1);
  CHECK(clock_sentences(report)[0] ==
        "ranks 1 and 2 on b have another clock than rank 0: aligned within ± 12.5 µs, by 32 exchanges");
  report.ranks[2].clock = {};
  CHECK(clock_sentences(report)[1] ==
        "rank 2 on b has another clock than rank 0, not aligned: no exchange of all ranks was seen on both");
  for (RankRow& row : report.ranks) row.clock = {};
  CHECK(clock_sentences(report).empty());
}
