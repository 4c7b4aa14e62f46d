// ingest.rate: records a second through the router into a store, snapshots included, on one core.
// record.open_10m: a recording of ten million events, from its name to the first picture.
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "engine/events/chunk.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "engine/recording/writer.h"
#include "viewer/bench/bench.h"
#include "viewer/store/ingest.h"
#include "viewer/store/recording_source.h"

namespace tapescope {
namespace {

// A training run as the engine writes it: steps of 60 ops forward and 60 backward, alike but for what is
// never twice the same on a real machine: how long each op takes, and the numbers in its summaries.
class Writer {
  static constexpr int kOps = 60, kSources = 8;

 public:
  static constexpr int kRecordsOfStep = 2 * kOps + 3 * kOps + 5;

  Writer() {
    static constexpr const char* kNames[] = {"MatMul",  "AddV2", "Relu",           "Mul",
                                             "Softmax", "Mean",  "ReadVariableOp", "Tanh"};
    static constexpr std::int64_t kSizes[] = {1, 10, 64, 128, 784};
    for (int i = 0; i < kOps; ++i) {
      const auto n = static_cast<std::uint64_t>(i);
      Op& op = ops_[i];
      op.name = intern_op_name(kNames[noise(n, 1) % std::size(kNames)]);
      op.site = intern_site("net.cpp", "step", static_cast<std::uint32_t>(20 + i),
                            intern_scope(0, intern_name(fmt::format("layer_{}", i / 6))));
      op.type = intern_type(DType::f32, {64, kSizes[noise(n, 2) % std::size(kSizes)]})->id;
      op.ticks = 200 + noise(n, 3) % 3000;
      // Most read what was made just before, some a weight or what a layer far back made.
      op.back = noise(n, 4) % 3 ? 2 : 2 + noise(n, 5) % (n + 8);
      op.inputs = 1 + noise(n, 6) % 3;
    }
    for (int i = 0; i < kSources; ++i) sources_[i] = intern_name(fmt::format("layer_{}/kernel", i));
  }

  std::vector<Record> steps(int count, std::uint64_t first = 0) {
    for (int s = 0; s < count; ++s) step(first + static_cast<std::uint64_t>(s));
    return std::exchange(records_, {});
  }

  // Summaries of the gradients of a step, as a session with statistics on makes them.
  std::vector<StatsEntry> statistics(std::uint64_t step) const {
    std::vector<StatsEntry> entries(kSources);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      StatsEntry& entry = entries[i];
      entry.step = step;
      entry.source = sources_[i];
      entry.source_id = 1 + i;
      const double size = 1 + 1e-9 * static_cast<double>(noise(step * kSources + i, 7) >> 32);
      entry.stats = {.tensor = step * 200 + i,
                     .type = type_with_id(ops_[i].type),
                     .min = -size,
                     .max = 1.1 * size,
                     .mean = 0.01 * size,
                     .norm = 20 * size,
                     .zeros = static_cast<std::int64_t>(noise(step, i) % 100),
                     .count = type_with_id(ops_[i].type)->numel};
    }
    return entries;
  }

 private:
  struct Op {
    OpNameId name;
    SiteId site;
    std::uint32_t type;
    std::uint64_t ticks, back, inputs;
  };

  // The same at each call: a counter-based generator (the finalizer of SplitMix64).
  static std::uint64_t noise(std::uint64_t counter, std::uint64_t stream) {
    std::uint64_t x = counter * 0x9e3779b97f4a7c15u + stream * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }

  void op(const Op& like, std::uint8_t flags, std::uint32_t answers) {
    const std::uint64_t luck = noise(next_, 8);
    const std::uint64_t spent =
        like.ticks + luck % (like.ticks / 4 + 16);  // a quarter of jitter, as short ops have it
    OpRecord op;
    op.flags = flags;
    op.name = like.name;
    op.site = like.site;
    op.ticks = ticks_ += spent + 20 + (luck >> 40) % 24;
    op.output = ++next_;
    op.type = like.type;
    op.duration = static_cast<std::uint32_t>(spent);
    OperandsRecord operands;
    operands.inputs = static_cast<std::uint8_t>(like.inputs);
    operands.outputs = 1;
    operands.answers = answers;
    operands.input[0] = next_ - 1;
    if (like.inputs > 1) operands.input[1] = next_ - std::min(like.back, next_ - 1);
    if (like.inputs > 2) operands.input[2] = 1 + like.back % kSources;
    records_.push_back(op);
    records_.push_back(operands);
  }

  void step(std::uint64_t number) {
    constexpr auto kRecorded = static_cast<std::uint32_t>(TapeAnswer::recorded);
    records_.push_back(StepBeginRecord{.step = number, .ticks = ticks_});
    const TensorId first = next_ + 1;
    for (const Op& like : ops_) op(like, 0, kRecorded);
    records_.push_back(GradientAskRecord{.tape = 1, .targets = 1, .sources = 1, .call = number + 1});
    records_.push_back(BackwardBeginRecord{.tape = 1, .ticks = ticks_, .nodes = kOps, .call = number + 1});
    for (int i = kOps; i-- > 0;) {
      records_.push_back(
          BackwardStepRecord{.tape = 1, .ticks = ticks_, .output = first + static_cast<TensorId>(i)});
      op(ops_[i], OpRecord::kBackward, 0);
    }
    records_.push_back(BackwardEndRecord{.tape = 1, .ticks = ticks_, .call = number + 1});
    records_.push_back(StepEndRecord{.step = number, .ticks = ticks_});
  }

  std::vector<Record> records_;
  std::uint64_t ticks_ = 1000;
  TensorId next_ = kSources;
  std::array<Op, kOps> ops_;
  std::array<NameId, kSources> sources_;
};

// Of this thread alone: other programs on the machine do not count.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

using Clock = std::chrono::steady_clock;

// A file of `count` events goes away with this.
class MadeUpRecording {
 public:
  explicit MadeUpRecording(std::size_t count) {
    std::string pattern = (std::filesystem::temp_directory_path() / "tapescope-XXXXXX").string();
    const int file = mkstemp(pattern.data());
    if (file >= 0) close(file);
    path_ = pattern;
    Writer program;
    record::RecordingWriter writer(record::open_sink(path_), {{"name", "made up"}});
    const auto steps = static_cast<int>(count / Writer::kRecordsOfStep);
    constexpr int kAtOnce = 100;  // steps; the whole run would be 320 MB
    for (int done = 0; done < steps; done += kAtOnce) {
      const int some = std::min(kAtOnce, steps - done);
      const std::vector<Record> records = program.steps(some, static_cast<std::uint64_t>(done));
      writer.add(1, records);
      for (int i = 0; i < some; ++i)
        writer.add_statistics(program.statistics(static_cast<std::uint64_t>(done + i)));
      events_ += records.size();
    }
    writer.finish("finished", 0, 0);
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
    const RecordingSource& opened = *source;
    Ingest ingest(std::move(source));
    while (!ingest.store(0).snapshot()->complete) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    first.push_back(seconds_since(begin));
    while (!opened.without_results().ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ingest.flush();
    all.push_back(seconds_since(begin));
  }
  std::sort(all.begin(), all.end());
  constexpr double kTarget = 0.5;  // design/viewer.md, budgets
  return bench_row(
      "record.open_10m", first, "s", kTarget,
      fmt::format("{} events of {:.1f} bytes each, summaries included; all of them are shown after {:.2f} s",
                  recording.events(),
                  static_cast<double>(recording.bytes()) / static_cast<double>(recording.events()),
                  all[all.size() / 2]));
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
    for (std::size_t i = 0; i < records.size(); i += EventChunk::kRecords) {
      router.add(
          1, std::span(records).subspan(i, std::min<std::size_t>(EventChunk::kRecords, records.size() - i)));
      if (Clock::now() - published < kPublish) continue;
      a.publish();
      published = Clock::now();
    }
    a.publish();
    const double seconds = processor_seconds() - begin;
    rates.push_back(static_cast<double>(records.size()) / seconds * 1e-6);
  }
  constexpr double kTarget = 20;  // design/viewer.md, budgets
  return {
      bench_row("ingest.rate", rates, "million events/s", kTarget,
                fmt::format("{} records of {} steps into one store, snapshots every 30 ms, processor time",
                            records.size(), kSteps)),
      open_row()};
}

}  // namespace tapescope
