// Threads that write a recording: everything that is handed over while they write is in it, once.
#include "engine/recording/recorder.h"

#include <atomic>
#include <thread>

#include "engine/recording/process_facts.h"
#include "engine/recording/process_recording.h"
#include "engine/recording/step_values.h"
#include "tests/engine/live/attached.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

// One frame with one tensor, packed as a chunk of values.
std::vector<record::Bytes> values_of_a_step() {
  Frame frame;
  frame.cursor = 1;
  frame.outputs = {{"y", make_full({4}, 1.5, DType::f32)}};
  record::ValueKeeper keeper({.rule = {}});
  keeper.begin_step(0, 0);
  keeper.add(frame);
  keeper.end_step(1, 1);
  return keeper.take();
}

class CountingTap final : public record::ProcessTap {
 public:
  void add(std::uint32_t, std::span<const Record> records) override { count_ += records.size(); }
  void add_statistics(std::span<const StatsEntry>) override {}
  std::size_t count_ = 0;  // the recording's thread alone writes it while the tap is set
};

}  // namespace

TEST_CASE("values, statistics and records are handed over while the recorder writes", "[record][threads]") {
  const SmallProgram program = small_program(2);
  record::Bytes bytes;
  constexpr std::size_t kRounds = 100;
  const std::vector<record::Bytes> values = values_of_a_step();
  REQUIRE(values.size() == 1);
  {
    record::Recorder recorder(std::make_unique<MemorySink>(bytes), {});
    std::jthread flushes([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) recorder.flush();
    });
    for (std::size_t i = 0; i < kRounds; ++i) {
      recorder.add(program.thread, program.records);
      recorder.add_statistics(program.statistics);
      recorder.add_values(values);
    }
    flushes.request_stop();
    flushes.join();
    recorder.finish("finished", {}, {}, 0, 0);
    CHECK(recorder.failure().empty());
    CHECK(recorder.bytes() == bytes.size());
  }
  const TemporaryFolder folder;
  write_file(folder / "a.tape", bytes);
  record::RecordingReader reader = record::RecordingReader::open(folder / "a.tape");
  using Item = record::RecordingReader::Item;
  std::size_t records = 0, statistics = 0, steps_with_values = 0;
  for (Item item = reader.next(); item != Item::end; item = reader.next()) {
    if (item == Item::events) records += reader.events().records.size();
    if (item == Item::statistics) statistics += reader.statistics().size();
    if (item == Item::values) ++steps_with_values;
  }
  CHECK(reader.whole());
  CHECK(records == kRounds * program.records.size());
  CHECK(statistics == kRounds * program.statistics.size());
  CHECK(steps_with_values == kRounds);
}

TEST_CASE("what was handed over before a flush is in the file when it returns", "[record][threads]") {
  const SmallProgram program = small_program(2);
  record::Bytes bytes;
  record::Recorder recorder(std::make_unique<MemorySink>(bytes), {});
  for (std::size_t round = 1; round <= 3; ++round) {
    recorder.add(program.thread, program.records);
    recorder.flush();
    const TemporaryFolder folder;
    write_file(folder / "a.tape", bytes);
    CHECK(read_back(folder / "a.tape").records.size() == round * program.records.size());
  }
  recorder.finish("finished", {}, {}, 0, 0);
}

TEST_CASE("a tap that is taken away is called no more, while the recording goes on", "[record][threads]") {
  const TemporaryFolder folder;
  record::ProcessRecording recording(folder / "process.tape");
  Training training;
  for (int i = 0; i < 20; ++i) {
    CountingTap tap;
    REQUIRE(recording.tap(&tap));
    REQUIRE(training.runs());
    // Long enough for the recording's thread to come by.
    for (int wait = 0; wait < 1000 && i == 0 && training.runs(); ++wait) {
      recording.tap(nullptr);
      if (tap.count_ > 0) break;
      recording.tap(&tap);
    }
    recording.tap(nullptr);
    const std::size_t before = tap.count_;
    if (i == 0) CHECK(before > 0);
    REQUIRE(training.runs());
    CHECK(tap.count_ == before);
  }
  training.end();
  recording.finish();
  CHECK_FALSE(recording.tap(nullptr));
}

TEST_CASE("facts that a program sets while it is recorded are in its recording", "[record]") {
  const TemporaryFolder folder;
  record::ProcessRecording recording(folder / "process.tape");
  record::set_process_fact("framework", "set late");
  recording.finish();
  CHECK(read_back(folder / "process.tape").facts.at("framework") == "set late");
}

TEST_CASE("a recording names where the program's files are", "[record]") {
  const TemporaryFolder folder;
  record::ProcessRecording recording(folder / "process.tape");
  note_source_path("/programs/of a user/train_late.cpp");
  recording.finish();
  CHECK(read_back(folder / "process.tape").facts.at("source train_late.cpp") ==
        "/programs/of a user/train_late.cpp");
}
