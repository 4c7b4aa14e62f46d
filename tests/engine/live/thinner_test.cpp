// What a narrow line gets of each step, and when it counts as narrow.
#include "engine/live/thinner.h"

#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "engine/live/line.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::live;
using namespace std::chrono_literals;

namespace {

struct Fed {
  Thinner thinner;
  std::vector<std::pair<std::uint32_t, Record>> passed;
  Thinner::Sink sink = [this](std::uint32_t thread, std::span<const Record> records) {
    for (const Record& record : records) passed.emplace_back(thread, record);
  };
  void give(const Record& record, std::uint32_t thread = 1) {
    thinner.add(thread, std::span(&record, 1), sink);
  }
  void step(std::uint64_t number, int ops = 3) {
    give(StepBeginRecord{.step = number});
    for (int i = 0; i < ops; ++i) give(OpRecord{}, i % 2 == 0 ? 1 : 2);
    give(ScalarRecord{.value = 0.5, .step = number});
    give(StepEndRecord{.step = number});
  }
  template <class R>
  std::size_t count() const {
    return static_cast<std::size_t>(std::count_if(
        passed.begin(), passed.end(), [](const auto& one) { return one.second.template is<R>(); }));
  }
};

}  // namespace

TEST_CASE("a line that is wide gets every record as it comes", "[live][thinner]") {
  Fed fed;
  fed.give(StepBeginRecord{.step = 1});
  fed.give(OpRecord{});
  CHECK(fed.passed.size() == 2);
}

TEST_CASE("a narrow line gets every Nth step whole, and of the others what always passes with an account",
          "[live][thinner]") {
  Fed fed;
  fed.thinner.set_every(4);
  for (std::uint64_t step = 0; step < 8; ++step) fed.step(step);
  CHECK(fed.count<StepBeginRecord>() == 8);
  CHECK(fed.count<StepEndRecord>() == 8);
  CHECK(fed.count<ScalarRecord>() == 8);
  CHECK(fed.count<OpRecord>() == 2 * 3);
  CHECK(fed.count<LostRecord>() == 6);
  for (std::size_t i = 0; i + 1 < fed.passed.size(); ++i) {
    if (!fed.passed[i].second.is<LostRecord>()) continue;
    const auto& account = fed.passed[i].second.as<LostRecord>();
    CHECK(account.thinned == 1);
    CHECK(account.records == 3);
    CHECK(account.every == 4);
    CHECK(fed.passed[i + 1].second.is<StepEndRecord>());  // it stands in the step
    CHECK(fed.passed[i].first == fed.passed[i + 1].first);
  }
}

TEST_CASE("the step in which the program stands passes whole, and what comes after it as before",
          "[live][thinner]") {
  Fed fed;
  fed.thinner.set_every(1000);
  fed.give(StepBeginRecord{.step = 1});
  fed.give(OpRecord{});
  CHECK(fed.passed.empty());
  fed.thinner.release(fed.sink);
  CHECK(fed.count<OpRecord>() == 1);
  fed.give(OpRecord{});
  fed.give(StepEndRecord{.step = 1});
  CHECK(fed.count<OpRecord>() == 2);
  CHECK(fed.count<LostRecord>() == 0);
  fed.step(2);
  CHECK(fed.count<OpRecord>() == 2);
  CHECK(fed.count<LostRecord>() == 1);
}

TEST_CASE("where there is no room whole steps are lost, the next one says how much, and a stop is seen",
          "[live][thinner]") {
  Fed fed;
  fed.thinner.set_every(0);
  fed.step(0);
  fed.give(OpRecord{});  // between two
  fed.step(1);
  CHECK(fed.passed.empty());
  CHECK(fed.thinner.lost() == 6 + 1 + 6);
  fed.give(StepBeginRecord{.step = 2});
  fed.give(OpRecord{});
  fed.thinner.release(fed.sink);
  REQUIRE(fed.passed.size() == 3);
  CHECK(fed.passed[0].second.as<LostRecord>().records == 13);
  CHECK(fed.passed[0].second.as<LostRecord>().thinned == 0);
  CHECK(fed.passed[1].second.as<StepBeginRecord>().step == 2);
  fed.give(StepEndRecord{.step = 2});
  CHECK(fed.count<StepEndRecord>() == 1);
  fed.step(3);
  fed.thinner.set_every(1);
  fed.step(4);
  CHECK(fed.passed[4].second.as<LostRecord>().records == 6);
  CHECK(fed.passed[5].second.as<StepBeginRecord>().step == 4);
  CHECK(fed.passed.size() == 4 + 1 + 6);
}

TEST_CASE("a step without an end is lost with an account, and one on a line that is wide again passes",
          "[live][thinner]") {
  Fed fed;
  fed.thinner.set_every(8);
  fed.give(OpRecord{});  // outside of steps
  CHECK(fed.passed.size() == 1);
  fed.give(StepBeginRecord{.step = 1});
  fed.give(OpRecord{});
  fed.thinner.set_every(1);
  fed.step(2);
  CHECK(fed.count<OpRecord>() == 1 + 3);
  REQUIRE(fed.count<LostRecord>() == 1);
  CHECK(fed.passed[1].second.as<LostRecord>().records == 2);
}

TEST_CASE("a step of more records than are held keeps what always passes and counts the others",
          "[live][thinner]") {
  Fed fed;
  fed.thinner.set_every(2);
  const int ops = (1 << 18) + 100;
  fed.step(1, ops);
  CHECK(fed.count<ScalarRecord>() == 1);
  CHECK(fed.passed[fed.passed.size() - 2].second.as<LostRecord>().records == ops);
}

TEST_CASE("a line is narrow while bytes arrive a second late, and is tried again when it keeps up",
          "[live][thinner]") {
  Line line;
  Line::Clock::time_point now = Line::Clock::now();
  std::uint64_t given = 0, arrived = 0;
  // Gives `rate` bytes a tick of 100 ms, shared by the steps that are sent whole; `capacity` of them arrive.
  const auto run = [&](int ticks, std::uint64_t rate, std::uint64_t capacity) {
    for (int i = 0; i < ticks; ++i) {
      now += 100ms;
      const std::uint64_t every = line.every(now);
      if (line.has_room()) line.given(given += rate / every, now);
      arrived = std::min(given, arrived + capacity);
      line.arrived(arrived, now);
    }
    return line.every(now);
  };
  line.arrived(0, now);
  CHECK(run(50, 1'000'000, 2'000'000) == 1);
  const std::uint64_t narrow = run(200, 4'000'000, 125'000);  // 10 Mbit/s
  CHECK(narrow >= 16);
  CHECK(narrow <= 256);
  CHECK(given - arrived <= Line::kLeastWindow + 4'000'000 / narrow);
  CHECK(run(600, 100'000, 125'000) == 1);
}

TEST_CASE("a wide line with a long way gets more room, and a narrow one keeps little", "[live][thinner]") {
  Line line;
  Line::Clock::time_point now = Line::Clock::now();
  std::uint64_t given = 0;
  line.arrived(0, now);
  for (int i = 0; i < 10; ++i) {
    CHECK(line.every(now) == 1);
    while (line.has_room()) line.given(given += 100'000, now);
    now += 100ms;
    line.arrived(given, now);
  }
  const std::uint64_t before = given;
  while (line.has_room()) line.given(given += 100'000, now);
  CHECK(given - before >= Line::kMostWindow);
}

TEST_CASE("few bytes and viewers that do not say what arrived are never thinned", "[live][thinner]") {
  Line silent, slow;
  Line::Clock::time_point now = Line::Clock::now();
  slow.arrived(0, now);
  for (std::uint64_t i = 1; i < 200; ++i) {
    now += 100ms;
    silent.given(i * 1'000'000, now);
    slow.given(i * 1000, now);
    CHECK(silent.every(now) == 1);
    CHECK(silent.has_room());
    CHECK(slow.has_room());
    CHECK(slow.every(now) == 1);
  }
}
