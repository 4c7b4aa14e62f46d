// What a line gets of made-up steps, and how many of them it carries, as texts that were read.
#include <random>

#include "engine/live/line.h"
#include "engine/live/thinner.h"
#include "tests/support/approval.h"
#include "tests/support/record_text.h"

using namespace tapescope;
using namespace tapescope::live;
using namespace tapescope::test;
using namespace std::chrono_literals;

namespace {

// Each record has its number, and steps, lines and stops come in an order that a seed gives.
class MadeUpLine {
 public:
  explicit MadeUpLine(unsigned seed) : random_(seed) {}

  std::string text() {
    for (std::uint64_t step = 1; step <= 12; ++step) {
      if (below(4) == 0) {
        const std::uint64_t every = std::array<std::uint64_t, 4>{1, 2, 3, 0}[below(4)];
        thinner_.set_every(every);
        text_ += fmt::format("every {}\n", every);
      }
      if (below(3) == 0) give(OpRecord{});
      give(StepBeginRecord{.step = step});
      for (std::uint64_t ops = below(5); ops > 0; --ops) {
        give(OpRecord{}, 1 + static_cast<std::uint32_t>(below(2)));
        if (below(4) == 0) give(ScalarRecord{.step = step});
        if (below(12) == 0) {
          text_ += "released\n";
          thinner_.release(sink_);
        }
      }
      if (below(8) != 0) give(StepEndRecord{.step = step});
      text_ += fmt::format("lost {}\n", thinner_.lost());
    }
    return text_;
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  void give(Record record, std::uint32_t thread = 1) {
    if (record.is<OpRecord>()) record.z = ++number_;
    thinner_.add(thread, std::span(&record, 1), sink_);
  }

  std::mt19937 random_;
  Thinner thinner_;
  std::uint64_t number_ = 0;
  std::string text_;
  Thinner::Sink sink_ = [this](std::uint32_t thread, std::span<const Record> records) {
    for (const Record& record : records) text_ += fmt::format("  {}: {}\n", thread, record_text(record));
  };
};

// A line that carries so many bytes in 100 ms while so many are made.
std::string carried_by(std::uint64_t made, std::uint64_t carries, std::chrono::milliseconds way) {
  Line line;
  Line::Clock::time_point now{100s};
  std::string text;
  std::deque<std::pair<Line::Clock::time_point, std::uint64_t>> under_way;
  std::uint64_t given = 0, arrived = 0, before = 0;
  line.arrived(0, now);
  for (int i = 0; i < 300; ++i, now += 100ms) {
    const std::uint64_t every = line.every(now);
    const bool room = line.has_room();
    // The last third of the time nearly nothing is made.
    if (room) given += (i < 200 ? made : made / 50) / every;
    line.given(given, now);
    arrived = std::min(given, arrived + carries);
    under_way.emplace_back(now + way, arrived);
    for (; !under_way.empty() && under_way.front().first <= now; under_way.pop_front())
      line.arrived(under_way.front().second, now);
    if (every != before || !room)
      text += fmt::format("  {} ms: every {}, {} KiB behind{}\n", i * 100, every, (given - arrived) >> 10,
                          room ? "" : ", no room");
    before = every;
  }
  return text;
}

}  // namespace

TEST_CASE("what lines of any width get of made-up steps is as approved", "[live][thinner]") {
  std::string text;
  for (unsigned seed = 1; seed <= 12; ++seed)
    text += fmt::format("line {}\n", seed) + MadeUpLine(seed).text();
  approve("engine/approved/live/thinned.txt", text);
}

TEST_CASE("how many steps lines of any width carry is as approved", "[live][thinner]") {
  std::string text;
  for (const std::uint64_t carries : {20u << 10, 200u << 10, 2u << 20, 20u << 20})
    for (const auto way : {0ms, 300ms, 1500ms})
      text += fmt::format("{} KiB in 100 ms, {} ms away\n", carries >> 10, way.count()) +
              carried_by(1u << 20, carries, way);
  approve("engine/approved/live/lines.txt", text);
}
