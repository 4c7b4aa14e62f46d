// What the Jobs panel draws from: a value for each step of each rank.
#include "viewer/panels/jobs.h"

#include <cmath>

#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

JobRank rank_of(int rank, std::uint64_t first, std::uint64_t steps, double us) {
  auto snapshot = std::make_shared<Snapshot>();
  snapshot->metrics.push_back({.name = "loss"});
  for (std::uint64_t step = first; step < first + steps; ++step) {
    snapshot->steps.push_back({.step = step, .step_us = us + static_cast<double>(step), .exchange_us = 5});
    snapshot->metrics.back().points.push_back({step, step == first ? std::nan("") : 0.5});
  }
  return {.title = "rank", .place = {.rank = rank, .size = 2, .job = "1"}, .snapshot = snapshot};
}

}  // namespace

TEST_CASE("each step of each rank has a cell, by rank", "[jobs]") {
  const std::vector ranks{rank_of(1, 2, 3, 200), rank_of(0, 0, 5, 100)};
  const JobPicture picture = make_job_picture(ranks);
  CHECK(picture.programs == std::vector<std::size_t>{1, 0});
  CHECK(picture.columns == 5);
  CHECK(picture.steps_of(3) == std::pair<std::uint64_t, std::uint64_t>{3, 3});
  CHECK(picture.value(JobColour::time, 0, 4) == 104);
  CHECK(picture.value(JobColour::time, 1, 2) == 202);
  CHECK(std::isnan(picture.value(JobColour::time, 1, 1)));
  CHECK(picture.value(JobColour::waits, 1, 3) == 5);
  CHECK(std::isinf(picture.value(JobColour::loss, 0, 0)));
  CHECK(picture.value(JobColour::loss, 0, 1) == 0.5f);
  CHECK(std::isnan(picture.value(JobColour::norm, 0, 0)));
  CHECK(picture.cells[0].low < picture.cells[0].high);
  CHECK(format_job_value(JobColour::loss, INFINITY) == "not finite");
}

TEST_CASE("a first step that begins cold leaves the others their colours", "[jobs]") {
  auto snapshot = std::make_shared<Snapshot>();
  for (std::uint64_t step = 0; step < 8; ++step)
    snapshot->steps.push_back({.step = step, .step_us = step == 0 ? 2e6 : 100 + static_cast<double>(step)});
  const std::vector<JobRank> ranks{
      {.title = "rank", .place = {.rank = 0, .size = 1, .job = "1"}, .snapshot = snapshot}};
  const JobPicture picture = make_job_picture(ranks);
  CHECK(picture.cells[0].low >= 101);
  CHECK(picture.cells[0].high <= 107);
  CHECK(picture.value(JobColour::time, 0, 0) == 2e6f);
}

TEST_CASE("more steps than columns share them, and none is lost", "[jobs]") {
  const std::vector ranks{rank_of(0, 10, 5000, 1)};
  const JobPicture picture = make_job_picture(ranks);
  REQUIRE(picture.columns == JobPicture::kMostColumns);
  std::uint64_t next = 10;
  for (std::size_t column = 0; column < picture.columns; ++column) {
    const auto [first, last] = picture.steps_of(column);
    CHECK(first == next);
    CHECK(picture.value(JobColour::time, 0, column) == Approx(1 + static_cast<double>(last)));
    next = last + 1;
  }
  CHECK(next == 5010);
}

TEST_CASE("the ranks shown are those of the focused program's job, one program each", "[jobs]") {
  std::vector<ProgramRow> programs(5);
  const auto snapshot = std::make_shared<const Snapshot>();
  const std::pair<int, const char*> places[] = {{0, "a"}, {1, "b"}, {1, "a"}, {1, "a"}, {2, "a"}};
  for (std::size_t i = 0; i < programs.size(); ++i) {
    programs[i].place = {.rank = places[i].first, .job = places[i].second};
    programs[i].snapshot = snapshot;
  }
  std::vector<std::size_t> found;
  CHECK(ranks_in_focus(programs, found).empty());
  programs[4].in_focus = true;
  CHECK(ranks_in_focus(programs, found).size() == 3);
  CHECK(found == std::vector<std::size_t>{0, 2, 4});
  programs[4].place.rank.reset();
  CHECK(ranks_in_focus(programs, found).empty());
}

TEST_CASE("the head says how many ranks there are, and of those that are read only how far that is",
          "[jobs]") {
  JobReport report{.size = 4};
  report.ranks.resize(3);
  report.missing = {2};
  CHECK(head_of(report, true) == "3 of 4 ranks, reading");
  CHECK(head_of(report, false) == "3 of 4 ranks, without rank 2: none stands out");
  report.findings.resize(1);
  CHECK(head_of(report, false) == "3 of 4 ranks, without rank 2");
}
