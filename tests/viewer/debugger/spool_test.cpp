// What the window keeps of a run: its beginning and what came last, within limits.
#include "viewer/debugger/spool.h"

#include <filesystem>
#include <set>

#include "engine/events/records/steps.h"
#include "engine/events/records/tensors.h"
#include "engine/recording/reader.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

constexpr SpoolLimits kSmall{.first = 4096, .part = 2048, .latest = 2};
constexpr std::uint64_t kScalarsAStep = 50;

// One that no packing makes small.
Record scalar(std::uint64_t step, std::uint64_t index) {
  const std::uint64_t mixed = (step * kScalarsAStep + index + 1) * 0x9E3779B97F4A7C15u;
  return ScalarRecord{.value = static_cast<double>(mixed), .step = mixed ^ (mixed >> 31)};
}

// A variable is made in the first step and in the 100th.
void train(Spool& spool, std::uint64_t steps) {
  for (std::uint64_t step = 0; step < steps; ++step) {
    std::vector<Record> records;
    if (step == 0 || step == 100) records.push_back(VariableRecord{.handle = 7 + step});
    records.push_back(StepBeginRecord{.step = step});
    for (std::uint64_t i = 0; i < kScalarsAStep; ++i) records.push_back(scalar(step, i));
    records.push_back(StepEndRecord{.step = step});
    spool.add(0, records);
    spool.flush();
  }
}

struct Saved {
  std::string missing;
  std::set<std::uint64_t> steps;  // that begin
  std::size_t ends = 0, variables = 0, scalars = 0;
  std::uint64_t lost = 0, lost_before = 0;  // as a gap says; steps before it
  std::vector<std::uint64_t> initials;      // of variables
};

Saved save(Spool& spool) {
  const std::string path = (std::filesystem::temp_directory_path() / "tapescope-spool-test.tape").string();
  std::filesystem::remove(path);
  Saved saved{.missing = spool.save(path, {}, {}, {}, "finished", 0)};
  record::RecordingReader reader = record::RecordingReader::open(path);
  using Item = record::RecordingReader::Item;
  for (Item item = reader.next(); item != Item::end; item = reader.next()) {
    if (item != Item::events) continue;
    for (const Record& record : reader.events().records) {
      if (record.is<StepBeginRecord>()) saved.steps.insert(record.as<StepBeginRecord>().step);
      saved.ends += record.is<StepEndRecord>();
      saved.variables += record.is<VariableRecord>();
      if (record.is<VariableRecord>()) saved.initials.push_back(record.as<VariableRecord>().initial);
      saved.scalars += record.is<ScalarRecord>();
      if (record.is<LostRecord>()) {
        saved.lost += record.as<LostRecord>().records;
        saved.lost_before = saved.steps.size();
      }
    }
  }
  CHECK(reader.whole());
  std::filesystem::remove(path);
  return saved;
}

}  // namespace

TEST_CASE("a short run is kept whole", "[spool]") {
  Spool spool(kSmall);
  train(spool, 5);
  const Saved saved = save(spool);
  CHECK(saved.missing.empty());
  CHECK(saved.steps.size() == 5);
  CHECK(saved.scalars == 5 * kScalarsAStep);
  CHECK(saved.lost == 0);
}

TEST_CASE("of a long run the beginning and the last steps are kept whole, and the gap is counted",
          "[spool]") {
  Spool spool(kSmall);
  constexpr std::uint64_t kSteps = 300;
  train(spool, kSteps);
  const Saved saved = save(spool);
  CHECK_THAT(saved.missing, contains_text("events between"));
  CHECK(saved.steps.count(0) == 1);
  CHECK(saved.steps.count(kSteps - 1) == 1);
  CHECK(saved.steps.count(100) == 0);
  CHECK(saved.steps.size() < 60);
  // No step is cut.
  CHECK(saved.ends == saved.steps.size());
  CHECK(saved.scalars == saved.steps.size() * kScalarsAStep);
  // The gap stands where steps are missing, and accounts for all that is.
  CHECK(saved.steps.count(saved.lost_before - 1) == 1);
  CHECK(saved.steps.count(saved.lost_before) == 0);
  CHECK(saved.lost == (kSteps - saved.steps.size()) * (kScalarsAStep + 2));
  // What later steps are read with is there, though the step that made it is not.
  CHECK(saved.variables == 2);

  spool.clear();
  train(spool, 2);
  CHECK(save(spool).steps.size() == 2);
}

TEST_CASE("what a program says of its variables in every step is kept once, the last of it", "[spool]") {
  Spool spool(kSmall);
  constexpr std::uint64_t kSteps = 300;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    std::vector<Record> records{StepBeginRecord{.step = step}};
    for (const TensorId handle : {7, 8})
      records.push_back(VariableRecord{.handle = handle, .initial = static_cast<OrderField>(step)});
    for (std::uint64_t i = 0; i < kScalarsAStep; ++i) records.push_back(scalar(step, i));
    records.push_back(StepEndRecord{.step = step});
    spool.add(0, records);
    spool.flush();
  }
  const Saved saved = save(spool);
  // Two in each step that is there, and two for all that are gone: of the last of these.
  REQUIRE(saved.initials.size() == 2 * saved.steps.size() + 2);
  const std::uint64_t before_gap = saved.lost_before;
  CHECK(saved.initials[2 * before_gap - 1] == before_gap - 1);
  CHECK(saved.initials[2 * before_gap] == kSteps - (saved.steps.size() - before_gap) - 1);
  CHECK(saved.initials[2 * before_gap + 1] == saved.initials[2 * before_gap]);
  CHECK(saved.lost == (kSteps - saved.steps.size()) * (kScalarsAStep + 4) - 2);
}

TEST_CASE("of a program that makes variables without end the latest are kept", "[spool]") {
  Spool spool(kSmall);
  constexpr std::uint64_t kSteps = 200, kMade = 1000;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    std::vector<Record> records{StepBeginRecord{.step = step}};
    for (std::uint64_t i = 0; i < kMade; ++i)
      records.push_back(VariableRecord{.handle = step * kMade + i + 1});
    for (std::uint64_t i = 0; i < kScalarsAStep; ++i) records.push_back(scalar(step, i));
    records.push_back(StepEndRecord{.step = step});
    spool.add(0, records);
    spool.flush();
  }
  const Saved saved = save(spool);
  CHECK(saved.variables < 100'000);
  CHECK(saved.variables > 30'000);
  CHECK(saved.variables - saved.steps.size() * kMade + saved.lost ==
        (kSteps - saved.steps.size()) * (kMade + kScalarsAStep + 2));
}
