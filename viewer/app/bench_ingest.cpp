// ingest.rate: records a second through the router into a store, snapshots included, on one core. record.open_10m: a
// recording of ten million events, from its name to the first picture.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "engine/events/chunk.h"
#include "engine/record/writer.h"
#include "viewer/app/bench.h"
#include "viewer/store/ingest.h"
#include "viewer/store/recording_source.h"

namespace tapescope {
namespace {

// A training step as the engine writes it: 60 ops forward and 60 backward.
class Writer {
  static constexpr int kOps = 60;

 public:
  static constexpr int kRecordsOfStep = 2 * kOps + 3 * kOps + 5;
  std::vector<Record> steps(int count) {
    for (int s = 0; s < count; ++s) step(static_cast<std::uint64_t>(s));
    return std::move(records_);
  }

 private:
  void op(OpNameId name, std::uint8_t flags, std::uint32_t answers) {
    OpRecord op;
    op.flags = flags;
    op.name = name;
    op.ticks = ticks_ += 300;
    op.output = ++next_;
    op.type = type_;
    op.duration = 280;
    OperandsRecord operands;
    operands.inputs = 2;
    operands.outputs = 1;
    operands.answers = answers;
    operands.input[0] = next_ - 1;
    operands.input[1] = next_ - 2;
    records_.push_back(std::bit_cast<Record>(op));
    records_.push_back(std::bit_cast<Record>(operands));
  }

  void step(std::uint64_t number) {
    constexpr auto kRecorded = static_cast<std::uint32_t>(TapeAnswer::recorded);
    records_.push_back({.kind = RecordKind::step_begin, .x = number, .y = ticks_});
    const TensorId first = next_ + 1;
    for (int i = 0; i < kOps; ++i) op(names_[i % 3], 0, kRecorded);
    records_.push_back({.kind = RecordKind::gradient_ask, .b = 1, .x = 1 | std::uint64_t{1} << 32, .z = number + 1});
    records_.push_back({.kind = RecordKind::backward_begin, .b = 1, .x = ticks_, .y = kOps, .z = number + 1});
    for (int i = kOps; i-- > 0;) {
      records_.push_back({.kind = RecordKind::backward_step, .b = 1, .x = ticks_, .y = first + static_cast<TensorId>(i)});
      op(names_[i % 3], OpRecord::kBackward, 0);
    }
    records_.push_back({.kind = RecordKind::backward_end, .b = 1, .x = ticks_, .z = number + 1});
    records_.push_back({.kind = RecordKind::step_end, .x = number, .y = ticks_});
  }

  std::vector<Record> records_;
  std::uint64_t ticks_ = 1000;
  TensorId next_ = 0;
  std::uint32_t type_ = intern_type(DType::f32, {64, 128})->id;
  OpNameId names_[3] = {intern_op_name("MatMul"), intern_op_name("AddV2"), intern_op_name("Relu")};
};

// Of this thread alone: other programs on the machine do not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// A file of `count` events goes away with this.
class MadeUpRecording {
 public:
  explicit MadeUpRecording(std::size_t count) {
    std::string pattern = (std::filesystem::temp_directory_path() / "tapescope-XXXXXX").string();
    const int file = mkstemp(pattern.data());
    if (file >= 0) close(file);
    path_ = pattern;
    const std::vector<Record> records = Writer().steps(static_cast<int>(count / Writer::kRecordsOfStep));
    record::RecordingWriter writer(record::open_sink(path_), {{"name", "made up"}});
    writer.add(1, records);
    writer.finish("finished", 0, 0);
    events_ = records.size();
    bytes_ = writer.bytes();
  }
  ~MadeUpRecording() { std::filesystem::remove(path_); }
  MadeUpRecording(const MadeUpRecording&) = delete;
  MadeUpRecording& operator=(const MadeUpRecording&) = delete;
  const std::string& path() const { return path_; }
  std::size_t events() const { return events_; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::string path_;
  std::size_t events_ = 0;
  std::uint64_t bytes_ = 0;
};

// As the window does it: a reader behind the ingest thread. The first picture has a whole step to show.
BenchResult open_row() {
  constexpr std::size_t kEvents = 10'000'000;
  constexpr int kRepeats = 3;
  const MadeUpRecording recording(kEvents);
  std::vector<double> first, all;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto begin = Clock::now();
    auto source = std::make_unique<RecordingSource>(record::RecordingReader::open(recording.path()));
    const RecordingSource& told = *source;
    Ingest ingest(std::move(source));
    while (!ingest.store(0).snapshot()->complete) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    first.push_back(seconds_since(begin));
    while (!told.without_results().ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ingest.flush();
    all.push_back(seconds_since(begin));
  }
  std::sort(all.begin(), all.end());
  constexpr double kTarget = 0.5;  // design/viewer.md, budgets
  return bench_row("record.open_10m", first, "s", kTarget,
                   fmt::format("{} events of {:.1f} bytes each; all of them are shown after {:.2f} s", recording.events(),
                               static_cast<double>(recording.bytes()) / static_cast<double>(recording.events()), all[all.size() / 2]));
}

}  // namespace

std::vector<BenchResult> run_ingest_bench() {
  constexpr int kSteps = 4000, kRepeats = 9;
  constexpr auto kPublish = std::chrono::milliseconds(30);  // as the ingest thread does
  const std::vector<Record> records = Writer().steps(kSteps);
  std::vector<double> rates;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    Store a(0), b(1);
    Store* stores[] = {&a, &b};
    Router router(stores);
    const double begin = processor_seconds();
    auto published = Clock::now();
    for (std::size_t i = 0; i < records.size(); i += Chunk::kRecords) {
      router.add(1, std::span(records).subspan(i, std::min<std::size_t>(Chunk::kRecords, records.size() - i)));
      if (Clock::now() - published < kPublish) continue;
      a.publish();
      published = Clock::now();
    }
    a.publish();
    const double seconds = processor_seconds() - begin;
    rates.push_back(static_cast<double>(records.size()) / seconds * 1e-6);
  }
  constexpr double kTarget = 20;  // design/viewer.md, budgets
  return {bench_row("ingest.rate", rates, "million events/s", kTarget,
                    fmt::format("{} records of {} steps into one store, snapshots every 30 ms, processor time", records.size(), kSteps)),
          open_row()};
}

}  // namespace tapescope
