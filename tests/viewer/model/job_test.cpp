// A job's ranks compared: replicas that part, stragglers, alerts that some ranks have alone.
#include "viewer/model/job.h"

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

constexpr std::uint64_t kSteps = 10;

struct Made {
  int rank;
  double compute_us = 1000, exchange_us = 100;
  std::vector<AlertRow> alerts{};
};

std::shared_ptr<Snapshot> snapshot_of(const Made& made) {
  auto snapshot = std::make_shared<Snapshot>();
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    snapshot->steps.push_back({.step = step,
                               .step_us = made.compute_us + made.exchange_us,
                               .exchange_us = made.exchange_us,
                               .exchange_op = intern_op_name("CollectiveWait")});
  }
  snapshot->alerts = made.alerts;
  for (const std::string_view name : {"w", "b"}) {
    snapshot->replicas.push_back(
        {.name = name, .index = static_cast<std::uint16_t>(snapshot->replicas.size()), .points = {}});
    for (std::uint32_t step = 0; step < kSteps; ++step)
      snapshot->replicas.back().points.push_back({step, 10 + step, 20 + step});
  }
  return snapshot;
}

// From the step on this rank holds another value, or has another gradient, of the source.
void part(Snapshot& snapshot, std::size_t source, std::uint32_t from, bool value) {
  for (std::uint32_t step = from; step < kSteps; ++step) {
    ReplicaPoint point = snapshot.replicas[source].points[step];
    (value ? point.value : point.gradient) += 1000;
    snapshot.replicas[source].points.set(step, point);
  }
}

JobRank rank_of(int rank, std::shared_ptr<Snapshot> snapshot, const std::string& job = "1.0") {
  return {.title = "rank-" + std::to_string(rank) + ".tape",
          .place = {.rank = rank, .size = 4, .host = "here", .job = job},
          .snapshot = std::move(snapshot)};
}

std::vector<JobRank> four(const Made& second = {1}) {
  std::vector<JobRank> ranks;
  for (int rank = 3; rank >= 0; --rank)
    ranks.push_back(rank_of(rank, snapshot_of(rank == second.rank ? second : Made{rank})));
  return ranks;
}

Snapshot& snapshot(std::vector<JobRank>& ranks, int rank) {
  for (JobRank& one : ranks) {
    if (one.place.rank == rank) return const_cast<Snapshot&>(*one.snapshot);
  }
  FAIL("no rank " << rank);
  return const_cast<Snapshot&>(*ranks[0].snapshot);
}

}  // namespace

TEST_CASE("ranks that hold the same and take the same time have no finding", "[job]") {
  const JobReport report = report_of_job(four());
  CHECK(report.findings.empty());
  CHECK(report.size == 4);
  CHECK(report.compared_steps == kSteps);
  CHECK(report.missing.empty());
  REQUIRE(report.ranks.size() == 4);
  CHECK(report.ranks[0].rank == 0);
  CHECK(report.ranks[2].compute_us == Approx(1000));
  CHECK(report.ranks[2].exchange_us == Approx(100));
  CHECK(report.ranks[2].waits_in == "CollectiveWait");
  CHECK(job_text(report).find("No rank stands out") != std::string::npos);
}

TEST_CASE("replicas that part are found at the first step, source and rank", "[job]") {
  std::vector<JobRank> ranks = four();
  SECTION("from the first step on") {
    part(snapshot(ranks, 2), 0, 0, true);
    part(snapshot(ranks, 2), 1, 0, true);
    const JobFinding found = report_of_job(ranks).findings.at(0);
    CHECK(found.kind == "diverged");
    CHECK(found.subject == "w");
    CHECK(found.step == 0u);
    CHECK(found.ranks == std::vector{2});
    CHECK(found.message ==
          "w is not the same in all ranks from step 0 on: ranks 0, 1 and 3 agree, rank 2 holds another "
          "value; 2 of 2 sources part there");
    CHECK(found.fix.find("same seed") != std::string::npos);
  }
  SECTION("later, by an update of one rank alone") {
    part(snapshot(ranks, 3), 1, 6, true);
    part(snapshot(ranks, 3), 0, 7, true);
    const JobFinding found = report_of_job(ranks).findings.at(0);
    CHECK(found.subject == "b");
    CHECK(found.step == 6u);
    CHECK(found.ranks == std::vector{3});
    CHECK(found.fix.find("between steps 5 and 6") != std::string::npos);
  }
  SECTION("by an exchange that some ranks skipped") {
    part(snapshot(ranks, 0), 0, 4, false);
    part(snapshot(ranks, 0), 0, 5, true);
    const JobFinding found = report_of_job(ranks).findings.at(0);
    CHECK(found.step == 4u);
    CHECK(found.ranks == std::vector{0});
    CHECK(found.message.starts_with("the gradient of w after the exchange"));
    CHECK(found.fix.find("skips the exchange") != std::string::npos);
  }
  CHECK(report_of_job(ranks).findings.size() == 1);
}

TEST_CASE("steps that not all ranks recorded are not compared", "[job]") {
  std::vector<JobRank> ranks = four();
  Snapshot& late = snapshot(ranks, 1);
  for (ReplicaSeries& series : late.replicas) {
    Series<ReplicaPoint> kept;
    for (std::uint32_t step = 3; step < kSteps; step += 2) kept.push_back(series.points[step]);
    series.points = kept;
  }
  CHECK(report_of_job(ranks).findings.empty());
  part(snapshot(ranks, 0), 0, 4, true);
  CHECK(report_of_job(ranks).findings.at(0).step == 5u);
}

TEST_CASE("a rank that computes longer in most steps is a straggler, by the op that the others wait in",
          "[job]") {
  std::vector<JobRank> ranks = four({.rank = 1, .compute_us = 3000, .exchange_us = 5});
  for (const int rank : {0, 2, 3})
    snapshot(ranks, rank) = *snapshot_of({.rank = rank, .compute_us = 1000, .exchange_us = 2000});
  const JobReport report = report_of_job(ranks);
  REQUIRE(report.findings.size() == 1);
  const JobFinding& found = report.findings[0];
  CHECK(found.kind == "straggler");
  CHECK(found.ranks == std::vector{1});
  CHECK(found.message.find("rank 1 is the slowest in 100 % of the steps") == 0);
  CHECK(found.message.find("CollectiveWait") != std::string::npos);
  CHECK(found.message.find("not in the time of its ops") != std::string::npos);
  CHECK(report.ranks[1].slowest == kSteps);
  CHECK(report_of_job(four({.rank = 1, .compute_us = 1100})).findings.empty());
}

TEST_CASE("what one of two ranks may be by chance is no straggler", "[job]") {
  // Slow in `slow` of `steps` steps, the other rank in the others.
  const auto found = [](std::uint64_t slow, std::uint64_t steps) {
    std::vector<JobRank> ranks;
    for (const int rank : {0, 1}) {
      auto snapshot = std::make_shared<Snapshot>();
      for (std::uint64_t step = 0; step < steps; ++step) {
        const bool longer = (rank == 1) == (step < slow);
        snapshot->steps.push_back({.step = step, .step_us = longer ? 3000.0 : 1000.0});
      }
      ranks.push_back(rank_of(rank, std::move(snapshot)));
    }
    return report_of_job(ranks).findings.size() == 1;
  };
  CHECK_FALSE(found(4, 4));
  CHECK(found(5, 5));
  CHECK_FALSE(found(6, 8));
  CHECK(found(7, 8));
  CHECK(found(700, 1000));
  CHECK_FALSE(found(590, 1000));
}

TEST_CASE("steps whose exchanges in a graph were not timed say nothing of who is slow", "[job]") {
  std::vector<JobRank> ranks = four({.rank = 1, .compute_us = 3000, .exchange_us = 5});
  for (const int rank : {0, 2, 3})
    snapshot(ranks, rank) = *snapshot_of({.rank = rank, .compute_us = 1000, .exchange_us = 2000});
  for (int rank = 0; rank < 4; ++rank) {
    Snapshot& one = snapshot(ranks, rank);
    one.op_kinds.push_back({.op = "PartitionedCall", .forward_us = 3000});
    for (std::size_t i = 0; i < one.steps.size(); ++i) {
      StepSummary step = one.steps[i];
      step.exchanges_in_graph = true;
      if ((step.exchange_unknown = i % 2 == 0)) step.exchange_us = 0;  // all of the step as if it computed
      one.steps.set(i, step);
    }
  }
  SECTION("a straggler shows in the others") {
    const JobReport report = report_of_job(ranks);
    CHECK(report.compared_steps == kSteps);
    CHECK(report.timed_steps == kSteps / 2);
    CHECK(report.ranks[0].compute_us == Approx(1000));
    CHECK(report.ranks[0].exchange_us == Approx(2000));
    REQUIRE(report.findings.size() == 1);
    const std::string& message = report.findings[0].message;
    CHECK(message.starts_with("rank 1 is the slowest in 100 % of the 5 steps whose exchanges were timed"));
    CHECK(message.find("; 1995 µs of it are in PartitionedCall") != std::string::npos);
    CHECK(job_text(report).find("exchanges timed in 5 of them") != std::string::npos);
  }
  SECTION("none of them timed") {
    for (int rank = 0; rank < 4; ++rank) {
      Snapshot& one = snapshot(ranks, rank);
      for (std::size_t i = 0; i < one.steps.size(); ++i) {
        StepSummary step = one.steps[i];
        step.exchange_unknown = true;
        one.steps.set(i, step);
      }
    }
    const JobReport report = report_of_job(ranks);
    CHECK(report.timed_steps == 0);
    CHECK(std::isnan(report.ranks[1].compute_us));
    CHECK(report.findings.empty());
    CHECK(job_text(report).find("–") != std::string::npos);
  }
}

TEST_CASE("exchanges that take their microseconds are not what the others wait in", "[job]") {
  const JobFinding found =
      report_of_job(four({.rank = 1, .compute_us = 3000, .exchange_us = 5})).findings.at(0);
  CHECK(found.kind == "straggler");
  CHECK(found.message.find("wait") == std::string::npos);
  CHECK(found.location.empty());
}

TEST_CASE("what all ranks wait alike is not waited for the slow one", "[job]") {
  std::vector<JobRank> ranks = four({.rank = 1, .compute_us = 3000, .exchange_us = 7000});
  for (const int rank : {0, 2, 3})
    snapshot(ranks, rank) = *snapshot_of({.rank = rank, .compute_us = 1000, .exchange_us = 9000});
  CHECK(report_of_job(ranks).findings.at(0).message.find("wait 2000 µs for it in CollectiveWait") !=
        std::string::npos);
}

TEST_CASE("ranks of different programs are said to be so, and compared no further", "[job]") {
  std::vector<JobRank> ranks = four({.rank = 1, .compute_us = 3000});
  for (JobRank& rank : ranks) rank.program = rank.place.rank == 2 ? "serve" : "train";
  part(snapshot(ranks, 3), 0, 4, true);
  const JobReport report = report_of_job(ranks);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == "programs");
  CHECK(report.findings[0].ranks == std::vector{2});
  CHECK(report.findings[0].message ==
        "ranks 0, 1 and 3 run train, rank 2 serve; steps of different programs cannot be compared");
}

TEST_CASE("a straggler's slower op is named", "[job]") {
  std::vector<JobRank> ranks = four({.rank = 1, .compute_us = 3000});
  for (int rank = 0; rank < 4; ++rank) {
    OpKindRow row;
    row.op = "MatMul";
    row.forward_us = rank == 1 ? 2100 : 200;
    snapshot(ranks, rank).op_kinds.push_back(row);
  }
  const JobFinding found = report_of_job(ranks).findings.at(0);
  CHECK(found.message.find("1900 µs of it are in MatMul") != std::string::npos);
}

TEST_CASE("an alert that some ranks have alone is a finding, one that all have is none", "[job]") {
  const AlertRow none{
      .kind = "none", .subject = "scale", .message = "scale has no gradient", .location = "a.cpp:7"};
  std::vector<JobRank> ranks = four({.rank = 2, .alerts = {none}});
  const JobReport report = report_of_job(ranks);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].kind == "only");
  CHECK(report.findings[0].alert == "none");
  CHECK(report.findings[0].ranks == std::vector{2});
  CHECK(report.findings[0].message == "in rank 2 alone: scale has no gradient");
  for (int rank = 0; rank < 4; ++rank) snapshot(ranks, rank).alerts = {none};
  CHECK(report_of_job(ranks).findings.empty());
}

TEST_CASE("ranks that are no job are refused with a reason", "[job]") {
  std::vector<JobRank> ranks = four();
  CHECK(why_no_job(ranks).empty());
  ranks.push_back(rank_of(1, snapshot_of({1})));
  CHECK(why_no_job(ranks).find("both of rank 1") != std::string::npos);
  ranks.back().place.rank.reset();
  CHECK(why_no_job(ranks).find("does not say which rank") != std::string::npos);
  ranks.back() = rank_of(4, snapshot_of({4}), "2.0");
  CHECK(why_no_job(ranks).find("of one job") != std::string::npos);
}

TEST_CASE("a rank's place comes from the facts of its launcher", "[job]") {
  const JobPlace place = place_in_job({{"rank", "3"}, {"size", "8"}, {"host", "n1"}, {"job", "77.0"}});
  CHECK(place == JobPlace{.rank = 3, .size = 8, .host = "n1", .job = "77.0"});
  CHECK_FALSE(place_in_job({{"rank", "-3"}}).rank);
  CHECK_FALSE(place_in_job({}).rank);
}

TEST_CASE("ranks are named as people name them", "[job]") {
  CHECK(ranks_text(std::vector{4}) == "rank 4");
  CHECK(ranks_text(std::vector{0, 2}) == "ranks 0 and 2");
  CHECK(ranks_text(std::vector{0, 1, 2}) == "ranks 0 to 2");
  CHECK(ranks_text(std::vector{0, 1, 5}) == "ranks 0, 1 and 5");
}
