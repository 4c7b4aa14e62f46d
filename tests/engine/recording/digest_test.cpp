// Digests: what a reader sees who lets them stand for ops, and when they stand for nothing.
#include "engine/recording/digest.h"

#include "engine/events/records/gradients.h"
#include "engine/recording/digested.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::test;
using record::ReaderOptions;

namespace {

constexpr int kSteps = 3000;

// Of a program that ran once for all cases.
const SmallProgram& long_program() {
  static const SmallProgram program = small_program(kSteps);
  return program;
}

void write(const std::string& path, std::span<const Record> records, record::ProgramFacts facts) {
  facts["name"] = "small";
  record::RecordingWriter writer(record::open_sink(path), std::move(facts));
  // As it comes while a program runs.
  for (std::size_t at = 0, size = 1; at < records.size(); at += size, size = size * 7 % 4093 + 1)
    writer.add(long_program().thread, records.subspan(at, std::min(size, records.size() - at)));
  writer.finish("finished", 0, 0);
}

ReadBack read(const std::string& path, bool digests) {
  record::RecordingReader reader = record::RecordingReader::open(path, {.digests = digests});
  return read_back(reader);
}

template <class R>
std::size_t count(const ReadBack& read) {
  return static_cast<std::size_t>(
      std::ranges::count_if(read.records, [](const Record& one) { return one.is<R>(); }));
}

}  // namespace

TEST_CASE("a rank's recording is read without the ops of most steps, and with all of them",
          "[record][digest]") {
  const TemporaryFolder folder;
  const std::vector<Record>& records = long_program().records;
  const std::string path = folder / "rank-0.tape";
  write(path, records, {{"rank", "0"}});
  const ReadBack all = read(path, false), most = read(path, true);
  REQUIRE(all.records.size() == records.size());
  CHECK(std::memcmp(all.records.data(), records.data(), records.size() * sizeof(Record)) == 0);
  CHECK(all.whole);
  CHECK(most.whole);
  CHECK(count<StepEndRecord>(most) == kSteps);
  CHECK(count<ScalarRecord>(most) == kSteps);
  CHECK(count<OpRecord>(most) < count<OpRecord>(all) / 2);
  // The last 64 steps are there.
  std::size_t ends = 0, ops = 0;
  for (auto one = most.records.rbegin(); one != most.records.rend() && ends <= 64; ++one) {
    ends += one->is<StepEndRecord>();
    ops += one->is<OpRecord>();
  }
  CHECK(ops >= 64 * (count<OpRecord>(all) / kSteps - 1));
  std::uint64_t left_out = 0, made = 0;
  for (const Record& one : most.records) {
    if (one.is<StepTimesRecord>()) left_out += one.as<StepTimesRecord>().left_out;
    made += one.is<StepTimesRecord>() || one.is<StepCountsRecord>() || one.is<CallTimesRecord>();
  }
  CHECK(most.records.size() - made + left_out == records.size());
}

TEST_CASE("a recording of no job has no digests", "[record][digest]") {
  const TemporaryFolder folder;
  write(folder / "alone.tape", long_program().records, {});
  write(folder / "rank.tape", long_program().records, {{"rank", "1"}});
  CHECK(read(folder / "alone.tape", true).records.size() == long_program().records.size());
  CHECK(read(folder / "rank.tape", true).records.size() < long_program().records.size());
}

TEST_CASE("what is out of the ordinary is read whole, with the steps around it", "[record][digest]") {
  const TemporaryFolder folder;
  const std::vector<Record>& plain = long_program().records;
  write(folder / "plain.tape", plain, {{"rank", "0"}});
  const std::size_t ops = count<OpRecord>(read(folder / "plain.tape", true));
  const Record odd[] = {
      LostRecord{.records = 3},
      OpRecord{.flags = OpRecord::kTraced},
      GradientAskRecord{.flags = GradientAskRecord::kTraced},
      StepResultRecord{.values = 1, .results = {.nan = 1}},
      StepBeginRecord{.program = 1, .step = kSteps},
      StepEndRecord{.abandoned = 1, .step = kSteps / 2},
  };
  for (const Record& one : odd) {
    INFO(static_cast<int>(one.kind));
    std::vector<Record> records = plain;
    records.insert(records.begin() + static_cast<std::ptrdiff_t>(records.size() / 2), one);
    write(folder / "odd.tape", records, {{"rank", "0"}});
    const ReadBack read_odd = read(folder / "odd.tape", true);
    CHECK(count<OpRecord>(read_odd) > ops);
    CHECK(std::ranges::any_of(read_odd.records,
                              [&](const Record& r) { return std::memcmp(&r, &one, sizeof r) == 0; }));
  }
}

TEST_CASE("a None is there in each step that answers one", "[record][digest]") {
  const TemporaryFolder folder;
  std::vector<Record> records = long_program().records;
  std::size_t nones = 0;
  for (Record& one : records) {
    if (!one.is<ResultRecord>()) continue;
    auto result = one.as<ResultRecord>();
    result.result = ResultKind::none;
    one = result;
    ++nones;
  }
  write(folder / "rank.tape", records, {{"rank", "0"}});
  CHECK(count<ResultRecord>(read(folder / "rank.tape", true)) == nones);
}

TEST_CASE("damage where a digest stands for the events is found at the same byte", "[record][digest]") {
  const TemporaryFolder folder;
  const std::string path = folder / "rank.tape";
  write(path, long_program().records, {{"rank", "0"}});
  std::ifstream file(path, std::ios::binary);
  const record::Bytes whole{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (std::size_t at = whole.size() / 7; at < whole.size(); at += whole.size() / 7) {
    record::Bytes damaged = whole;
    damaged[at] ^= 0x10;
    write_file(folder / "damaged.tape", damaged);
    const ReadBack all = read(folder / "damaged.tape", false), most = read(folder / "damaged.tape", true);
    CHECK_FALSE(most.whole);
    CHECK(most.loss == all.loss);
  }
}

TEST_CASE("digests that hold no records, or stand for nothing, leave the events to be read",
          "[record][digest]") {
  const TemporaryFolder folder;
  const std::string path = folder / "odd.tape";
  for (const record::Bytes& payload : {record::Bytes{}, record::Bytes{1, 2, 3}, record::Bytes(5000, 0xff)}) {
    record::EventBlock block;
    std::vector<Record> steps;
    for (std::uint64_t step = 0; step < 100; ++step) {
      steps.push_back(StepBeginRecord{.step = step, .ticks = 100 * step + 1});
      steps.push_back(StepEndRecord{.step = step, .ticks = 100 * step + 50});
    }
    block.add(1, steps);
    record::ByteWriter events;
    encode_events(block, events);
    const auto header = record::file_header();
    record::Bytes bytes(header.begin(), header.end());
    append_chunk(bytes, record::ChunkKind::events, 0, events.bytes());
    append_chunk(bytes, record::ChunkKind::digest, 1, payload);
    append_chunk(bytes, record::ChunkKind::events, 2, events.bytes());
    write_file(path, bytes);
    CHECK(read(path, true).records.size() == 2 * steps.size());
  }
}
