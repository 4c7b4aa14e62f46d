// Warnings come as often as TensorFlow gives them: so many in a process, and again to each session that
// listens.
#include <string>
#include <vector>

#include "engine/events/limit.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tapes.h"
#include "engine/events/session.h"
#include "engine/ops/ops.h"
#include "engine/tape/forward.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// The texts of the warnings, and how many watches were refused, while `program` runs.
struct Seen {
  std::vector<std::string> warnings;
  int refused = 0;
};
template <class Program>
Seen seen_in(Program program) {
  Session session;
  session.start();
  program();
  session.stop();
  Seen seen;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) {
      if (record.is<MessageRecord>() && record.as<MessageRecord>().severity == 1)
        seen.warnings.emplace_back(name_text(record.as<MessageRecord>().text));
      seen.refused += record.is<WatchRecord>() && record.as<WatchRecord>().how == WatchKind::refused_dtype;
    }
  });
  return seen;
}

void watch_integers(int count) {
  GradientTape tape;
  auto recording = tape.record();
  for (int i = 0; i < count; ++i) tape.watch(constant(i, DType::i32).named("n"));
}

void ask_inside(int tapes) {
  for (int i = 0; i < tapes; ++i) {
    const Tensor x = constant(3.0);
    GradientTape tape({.persistent = true});
    auto recording = tape.record();
    tape.watch(x);
    const Tensor y = x * x * x;
    tape.gradient(tape.gradient(y, x), x);
  }
}

}  // namespace

TEST_CASE("of watched integers the first five are warned of, all leave a record", "[tape][warnings]") {
  for (int session = 0; session < 2; ++session) {
    const Seen seen = seen_in([] {
      watch_integers(4);
      watch_integers(4);
    });
    CHECK(seen.warnings ==
          std::vector<std::string>(
              5, "watch: 'n' is int32; only floating types have gradients, so it is not followed"));
    CHECK(seen.refused == 8);
  }
}

TEST_CASE("a gradient inside a persistent tape's block is warned of once, whatever the tapes",
          "[tape][warnings]") {
  for (int session = 0; session < 2; ++session) {
    const Seen seen = seen_in([] { ask_inside(3); });
    REQUIRE(seen.warnings.size() == 1);
    CHECK(seen.warnings[0].starts_with("gradient: called inside the block of a persistent tape"));
  }
}

TEST_CASE("integer primals are warned of five times", "[tape][warnings]") {
  const Seen seen = seen_in([] {
    ForwardAccumulator accumulator(std::span<const Traced>{}, std::span<const Tensor>{});
    for (int i = 0; i < 7; ++i)
      accumulator.watch(constant(i, DType::i32).named("n"), constant(1, DType::i32));
  });
  CHECK(seen.warnings.size() == 5);
}

TEST_CASE("a limit lets its number through, then nothing until a session begins", "[tape][warnings]") {
  Limit limit(2);
  CHECK(limit.allows());
  CHECK(limit.allows());
  CHECK_FALSE(limit.allows());
  restart_limits();
  CHECK(limit.allows());
  CHECK(limit.allows());
  CHECK_FALSE(limit.allows());
}
