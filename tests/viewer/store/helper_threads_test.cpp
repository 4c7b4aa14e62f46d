// Whose the records of a helper thread are, in whatever order the streams of the threads are drained.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "engine/events/records/steps.h"
#include "tests/viewer/store/record_writer.h"
#include "viewer/store/helper_threads.h"
#include "viewer/store/store.h"

namespace tapescope {
namespace {

using test::RecordWriter;

constexpr std::uint32_t kHome = 1, kHelper = 2;
constexpr std::uint64_t kSteps = 3;

// Three steps with an op each, 10,000 ticks apart; a step lasts 5,000.
std::vector<std::vector<Record>> steps(bool implied) {
  std::vector<std::vector<Record>> each;
  for (std::uint64_t s = 0; s < kSteps; ++s) {
    RecordWriter writer;
    writer.ticks = 100'000 + 10'000 * s;
    writer.next = 1000 * (s + 1);
    writer.records.push_back(StepBeginRecord{.implied = implied, .step = s, .ticks = writer.ticks});
    writer.op("Mul", {}, {2});
    writer.ticks += 3500;
    writer.end_step(s);
    each.push_back(std::move(writer.records));
  }
  return each;
}

// An op in each step, which comes to its end 2,000 ticks after the step's begin.
std::vector<Record> helper() {
  RecordWriter writer;
  writer.next = 900'000;
  for (std::uint64_t s = 0; s < kSteps; ++s) {
    writer.ticks = 100'000 + 10'000 * s + 1000;
    writer.op("Square", {}, {3});
  }
  return std::move(writer.records);
}

std::size_t ops_of(const std::vector<Record>& records) {
  return static_cast<std::size_t>(
      std::ranges::count_if(records, [](const Record& record) { return record.is<OpRecord>(); }));
}

// How many ops of the helper each held step has, as "1 1 1".
std::string helper_ops(const Store& store) {
  std::string text;
  for (const auto& step : store.snapshot()->held) {
    std::size_t ops = 0;
    for (const Segment& segment : step->segments) {
      if (segment.thread == kHelper) ops += ops_of(segment.records);
    }
    text += (text.empty() ? "" : " ") + std::to_string(ops);
  }
  return text;
}

}  // namespace

TEST_CASE("a helper's records of several steps are each step's own, whenever they come", "[store]") {
  const bool implied = GENERATE(false, true);
  const std::size_t before = GENERATE(std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{3});
  CAPTURE(implied, before);
  Store store;
  const auto each = steps(implied);
  for (std::size_t s = 0; s <= each.size(); ++s) {
    if (s == before) store.add(kHelper, helper());
    if (s < each.size()) store.add(kHome, each[s]);
  }
  store.publish();
  CHECK(helper_ops(store) == "1 1 1");
}

TEST_CASE("a helper's records come while their step is open, and the next step's with them", "[store]") {
  const bool implied = GENERATE(false, true);
  Store store;
  const auto each = steps(implied);
  const std::span<const Record> first = each[0];
  store.add(kHome, first.first(2));
  store.add(kHelper, helper());
  store.add(kHome, first.subspan(2));
  store.add(kHome, each[1]);
  store.add(kHome, each[2]);
  store.publish();
  CHECK(helper_ops(store) == "1 1 1");
}

TEST_CASE("what a helper did between two steps belongs to neither", "[store]") {
  const std::size_t before = GENERATE(std::size_t{0}, std::size_t{2}, std::size_t{3});
  Store store;
  RecordWriter writer;
  writer.next = 900'000;
  writer.ticks = 107'000;
  writer.op("Square", {}, {3});
  writer.ticks = 111'000;
  writer.op("Square", {}, {3});
  const auto each = steps(false);
  for (std::size_t s = 0; s <= each.size(); ++s) {
    if (s == before) store.add(kHelper, writer.records);
    if (s < each.size()) store.add(kHome, each[s]);
  }
  store.publish();
  CHECK(helper_ops(store) == "0 1 0");
}

TEST_CASE("records without a time go where the one before them goes", "[store]") {
  const std::vector<Record> records = helper();  // an op, its operands; three times
  CHECK(written_until(records, 99'999) == 0);
  CHECK(written_until(records, 102'000) == 2);
  CHECK(written_until(records, 111'999) == 2);
  CHECK(written_until(records, 122'000) == records.size());
  Segments from, to;
  from.of(kHelper) = records;
  from.of(kHome) = records;
  CHECK(copy_later(from, kHome, 102'000, to) == records.size() - 2);
  drop_later(from, kHome, 102'000);
  CHECK(from.of(kHelper).size() == 2);
  CHECK(from.of(kHome).size() == records.size());
  CHECK(to.of(kHelper).size() == records.size() - 2);
}

}  // namespace tapescope
