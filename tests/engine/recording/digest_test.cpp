// Digests: what a reader sees who lets them stand for ops, and when they stand for nothing.
#include "engine/recording/digest.h"

#include <utility>

#include "engine/core/names.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/replicas.h"
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

// With the statistics that `of` gives for a step, which come a little before its records.
template <class Of>
void write_with_statistics(const std::string& path, Of of) {
  record::RecordingWriter writer(record::open_sink(path), {{"name", "small"}, {"rank", "0"}});
  const std::span<const Record> records = long_program().records;
  std::uint64_t next = 0;
  for (std::size_t at = 0, size = 1; at < records.size(); at += size, size = size * 7 % 4093 + 1) {
    const auto part = records.subspan(at, std::min(size, records.size() - at));
    for (const Record& one : part) {
      if (!one.is<StepBeginRecord>()) continue;
      for (const StatsEntry& entry : of(next++)) writer.add_statistics(std::span(&entry, 1));
    }
    writer.add(long_program().thread, part);
    if (size % 5 == 0) writer.flush();
  }
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

TEST_CASE("of one rank among many fewer of the last steps are read with their ops", "[record][digest]") {
  const TemporaryFolder folder;
  const std::string path = folder / "rank-0.tape";
  // So many records a step that a group holds fewer than 64 steps and more than 16.
  constexpr int kLongSteps = 200;
  const SmallProgram program = small_program(kLongSteps, 100);
  const std::size_t in_group = record::kGroupRecords / (program.records.size() / kLongSteps);
  REQUIRE((in_group > 16 && in_group < 63));
  const auto ops_read = [&](const char* ranks) {
    write(path, program.records, {{"rank", "0"}, {"size", ranks}});
    const ReadBack back = read(path, true);
    CHECK(count<StepEndRecord>(back) == kLongSteps);
    return count<OpRecord>(back);
  };
  const std::size_t of_few = ops_read("15"), of_many = ops_read("16");
  CHECK(ops_read("2") == of_few);
  CHECK(ops_read("no number") == of_few);
  CHECK(ops_read("100000") == of_many);
  CHECK(of_many < of_few);
  CHECK(of_many > 16 * 200);  // forward and backward
}

TEST_CASE("a digest counts the ops of its step as its events do", "[record][digest]") {
  struct Counts {
    std::uint64_t executed = 0, recorded = 0, not_recorded = 0, backward = 0;
    bool operator==(const Counts&) const = default;
  };
  const auto counts_of = [](const ReadBack& read) {
    Counts counts;
    bool within_pass = false, asks = false;
    for (const Record& one : read.records) {
      within_pass = (within_pass || one.is<BackwardBeginRecord>()) && !one.is<BackwardEndRecord>();
      if (one.is<StepCountsRecord>()) {
        const auto& digest = one.as<StepCountsRecord>();
        counts.executed += digest.executed;
        counts.recorded += digest.recorded;
        counts.not_recorded += digest.not_recorded;
        counts.backward += digest.backward_ops;
      } else if (one.is<OpRecord>()) {
        asks = !within_pass;
        ++(within_pass ? counts.backward : counts.executed);
      } else if (one.is<OperandsRecord>() && std::exchange(asks, false)) {
        const bool recorded = one.as<OperandsRecord>().answers == std::uint32_t(TapeAnswer::recorded);
        ++(recorded ? counts.recorded : counts.not_recorded);
      }
    }
    return counts;
  };
  const TemporaryFolder folder;
  const std::string path = folder / "rank.tape";
  std::vector<Record> records = long_program().records;
  // Of every second step the first op is one that no tape recorded.
  bool other = false, first = false;
  for (Record& one : records) {
    if (one.is<StepBeginRecord>()) first = other = !other;
    if (!one.is<OperandsRecord>() || !std::exchange(first, false)) continue;
    auto operands = one.as<OperandsRecord>();
    operands.answers = static_cast<std::uint32_t>(TapeAnswer::paused);
    one = operands;
  }
  write(path, records, {{"rank", "0"}});
  const ReadBack most = read(path, true);
  CHECK(count<StepCountsRecord>(most) > kSteps / 2);
  const Counts all = counts_of(read(path, false)), digested = counts_of(most);
  CHECK(all.not_recorded >= kSteps / 2);
  CHECK(all.backward >= kSteps);
  CHECK(digested == all);
}

TEST_CASE("of a source the first and the last statistics are read, and all where they are not alike",
          "[record][digest]") {
  const TemporaryFolder folder;
  const std::string path = folder / "rank.tape";
  const auto steps_of = [&](bool digests, TensorId source) {
    std::vector<std::uint64_t> steps;
    for (const StatsEntry& entry : read(path, digests).statistics) {
      if (entry.source_id == source) steps.push_back(entry.step);
    }
    return steps;
  };
  const auto entry = [](std::uint64_t step, TensorId source, std::int64_t nans = 0) {
    return StatsEntry{.stats = {.nans = nans, .count = 3}, .step = step, .source = 0, .source_id = source};
  };
  constexpr std::uint64_t kMiddle = kSteps / 2;
  const auto plain = [&](std::uint64_t step) { return std::vector{entry(step, 7), entry(step, 9)}; };
  write_with_statistics(path, plain);
  for (const TensorId source : {TensorId{7}, TensorId{9}}) {
    CHECK(steps_of(false, source).size() == kSteps);
    const std::vector<std::uint64_t> read = steps_of(true, source);
    CHECK(read.size() < kSteps);
    for (std::uint64_t i = 0; i < 16; ++i) CHECK(read[i] == i);
    for (std::uint64_t i = 0; i < 128; ++i) CHECK(read[read.size() - 1 - i] == kSteps - 1 - i);
  }
  const auto with = [&](std::uint64_t at, const StatsEntry& more) {
    return [&plain, at, more](std::uint64_t step) {
      std::vector<StatsEntry> entries = plain(step);
      if (step == at) entries.push_back(more);
      return entries;
    };
  };
  const std::size_t usual = steps_of(true, 7).size();
  // A source that is asked about once; one that is not finite; one that comes late.
  for (const StatsEntry& odd : {entry(kMiddle, 8), entry(kMiddle, 7, 1), entry(kMiddle - 1, 7)}) {
    write_with_statistics(path, with(kMiddle, odd));
    const std::vector<std::uint64_t> read = steps_of(true, odd.source_id);
    CHECK(std::ranges::find(read, odd.step) != read.end());
    CHECK(steps_of(true, 7).size() > usual);
  }
  // Later ones have their own first steps.
  write_with_statistics(
      path, [&](std::uint64_t step) { return step < kMiddle ? std::vector{entry(step, 7)} : plain(step); });
  const std::vector<std::uint64_t> late = steps_of(true, 9);
  for (std::uint64_t i = 0; i < 16; ++i) CHECK(late[i] == kMiddle + i);
}

TEST_CASE("a step's hashes of a source are one record, which says what was noted last", "[record][digest]") {
  const TemporaryFolder folder;
  const std::string path = folder / "rank.tape";
  std::vector<Record> records;
  const NameId names[] = {intern_name("first"), intern_name("second")};
  for (const Record& one : long_program().records) {
    records.push_back(one);
    if (!one.is<BackwardEndRecord>()) continue;
    for (const std::uint64_t hash : {1u, 2u}) {
      for (std::uint16_t i = 0; i < 2; ++i) {
        records.push_back(
            ReplicaRecord{.value = 1, .index = i, .name = names[i], .hash = 10 + hash + 2u * i});
        records.push_back(ReplicaRecord{.index = i, .name = names[i], .hash = i == 0 ? hash : 0});
      }
    }
  }
  write(path, records, {{"rank", "0"}});
  std::size_t both = 0;
  for (const Record& one : read(path, true).records) {
    if (!one.is<ReplicaRecord>() || one.as<ReplicaRecord>().value != 2) continue;
    const auto replica = one.as<ReplicaRecord>();
    const std::uint64_t value = 12 + 2u * replica.index, gradient = replica.index == 0 ? 2 : 0;
    CHECK(replica.name == names[replica.index]);
    CHECK(replica.hash == (value << 32 | gradient));
    ++both;
  }
  CHECK(both > kSteps);
  CHECK(both % 2 == 0);
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

TEST_CASE("damage is found at the same byte in what is read, and not looked for in what a digest stands for",
          "[record][digest]") {
  const TemporaryFolder folder;
  const std::string path = folder / "rank.tape";
  write(path, long_program().records, {{"rank", "0"}});
  const std::size_t records = read(path, true).records.size();
  std::ifstream file(path, std::ios::binary);
  const record::Bytes whole{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::size_t found = 0, passed = 0;
  for (std::size_t at = whole.size() / 61; at < whole.size(); at += whole.size() / 61) {
    record::Bytes damaged = whole;
    damaged[at] ^= 0x10;
    write_file(folder / "damaged.tape", damaged);
    const ReadBack all = read(folder / "damaged.tape", false), most = read(folder / "damaged.tape", true);
    CHECK_FALSE(all.whole);
    if (most.whole) {
      CHECK(most.records.size() == records);
      ++passed;
    } else {
      CHECK(most.loss == all.loss);
      ++found;
    }
  }
  CHECK(found > 0);
  CHECK(passed > 0);
}

TEST_CASE("a file that was cut off is so by its digests, too", "[record][digest]") {
  const TemporaryFolder folder;
  const std::string path = folder / "rank.tape";
  write(path, long_program().records, {{"rank", "0"}});
  std::ifstream file(path, std::ios::binary);
  const record::Bytes whole{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  for (std::size_t size = whole.size() / 13; size < whole.size(); size += whole.size() / 13) {
    write_file(folder / "cut.tape", std::span(whole).first(size));
    CHECK(read(folder / "cut.tape", true).loss == read(folder / "cut.tape", false).loss);
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
    append_chunk(bytes, record::ChunkKind::former_digest, 3, payload);
    write_file(path, bytes);
    CHECK(read(path, true).records.size() == 2 * steps.size());
  }
}
