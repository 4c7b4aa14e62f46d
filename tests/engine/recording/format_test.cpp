// What is written is what is read, in little room, by every way a recording can be read.
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/events/clock.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/tensors.h"
#include "engine/recording/examine.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::record;
using namespace tapescope::test;

TEST_CASE("A recording gives back every record and every summary", "[record]") {
  const TemporaryFolder folder;
  const SmallProgram program = small_program(3);
  REQUIRE(program.records.size() > 50);
  REQUIRE(program.statistics.size() == 3);
  write_file(folder / "a.tape", recorded(program));
  const ReadBack back = read_back(folder / "a.tape");
  CHECK(back.loss.empty());
  CHECK(back.whole);
  CHECK(back.facts.at("name") == "small");
  CHECK(back.summary.reason == "finished");
  CHECK(back.summary.events == program.records.size());
  REQUIRE(back.records.size() == program.records.size());
  // Read in the process that wrote it, ids and clock are the same.
  CHECK(std::memcmp(back.records.data(), program.records.data(), program.records.size() * sizeof(Record)) ==
        0);
  REQUIRE(back.statistics.size() == program.statistics.size());
  for (std::size_t i = 0; i < back.statistics.size(); ++i) {
    CHECK(back.statistics[i].stats.norm == program.statistics[i].stats.norm);
    CHECK(back.statistics[i].stats.type == program.statistics[i].stats.type);
    CHECK(back.statistics[i].source == program.statistics[i].source);
    CHECK(back.statistics[i].source_id == program.statistics[i].source_id);
  }
}

TEST_CASE("Times of a machine with another clock are right to half a tick", "[record]") {
  constexpr double kScale = 0.9;
  const SmallProgram program = small_program(3);
  const Bytes whole = recorded(program);
  // The same chunks with one more before the events, which says how long a tick is.
  Bytes bytes(whole.begin(), whole.begin() + kFileHeaderSize), raw;
  std::uint64_t number = 0;
  for (std::size_t at = kFileHeaderSize; at < whole.size();) {
    const auto header = parse_chunk_header(std::span(whole).subspan(at, kChunkHeaderSize));
    REQUIRE(header);
    REQUIRE(unpack_chunk(*header, std::span(whole).subspan(at + kChunkHeaderSize, header->stored_size), raw));
    append_chunk(bytes, static_cast<ChunkKind>(header->kind), number++, raw);
    if (number == 1) {
      ByteWriter facts;
      facts.number(1);
      facts.text("tick_ns");
      facts.text(fmt::format("{}", nanoseconds_per_tick() * kScale));
      append_chunk(bytes, ChunkKind::program, number++, facts.bytes());
    }
    at += kChunkHeaderSize + header->stored_size;
  }
  const TemporaryFolder folder;
  write_file(folder / "a.tape", bytes);
  const ReadBack back = read_back(folder / "a.tape");
  CHECK(back.loss.empty());
  REQUIRE(back.records.size() == program.records.size());
  double most = 0, sum = 0;
  int spans = 0;
  for (std::size_t i = 0; i < back.records.size(); ++i) {
    if (!back.records[i].is<OpRecord>()) continue;
    const auto ticks_of = [](const Record& record) {
      return static_cast<double>(record.as<OpRecord>().duration);
    };
    const double off = ticks_of(back.records[i]) - ticks_of(program.records[i]) * kScale;
    most = std::max(most, std::abs(off));
    sum += off;
    ++spans;
  }
  REQUIRE(spans > 20);
  CHECK(most <= 0.5);
  CHECK(std::abs(sum / spans) < 0.25);  // to both sides
}

TEST_CASE("An event of a training loop takes at most 12 bytes", "[record]") {
  const SmallProgram program = small_program(500);
  const Bytes bytes = recorded(program);
  CHECK(static_cast<double>(bytes.size()) / static_cast<double>(program.records.size()) < 12);
}

TEST_CASE("Names, places, scopes and types come back as text says them", "[record]") {
  const SiteId site = intern_site("net.cpp", "step", 41,
                                  intern_scope(intern_scope(0, intern_name("net")), intern_name("dense")));
  const Type* type = intern_type(DType::bf16, {3, 5, 7});
  const Record record = VariableRecord{.trainable = 1,
                                       .name = intern_name("kernel"),
                                       .handle = 77,
                                       .type = type->id,
                                       .site = site,
                                       .initial = 3};
  Definer definer;
  definer.note(std::span(&record, 1));
  ByteWriter payload;
  REQUIRE(definer.take_new(payload));
  ByteWriter nothing;
  CHECK_FALSE(definer.take_new(nothing));
  Translator translator;
  REQUIRE(translator.define(payload.bytes()));
  Record copy = record;
  translator.translate(std::span(&copy, 1));
  CHECK(std::memcmp(&copy, &record, sizeof copy) == 0);
  // What nothing defined is unknown, not another id's name.
  copy.b = 0x00ffffffu;
  copy.y = 0xfffffff0u;
  translator.translate(std::span(&copy, 1));
  CHECK(copy.b == 0);
  CHECK(type_with_id(static_cast<std::uint32_t>(copy.y)) == nullptr);
}

TEST_CASE("Ids may come in any order, high ones first", "[record]") {
  // A program that has many names defines those of its events alone, in the order of the events.
  std::vector<std::uint32_t> order = {4'200, 1'000'000};
  for (std::uint32_t id = 1; id < 4'200; ++id) order.push_back(id);
  Translator translator;
  ByteWriter out;
  out.u8(0);
  out.u8(static_cast<std::uint8_t>(Table::name));
  out.number(order.size());
  for (const std::uint32_t id : order) {
    out.number(id);
    out.text(fmt::format("high first {}", id));
  }
  REQUIRE(translator.define(out.bytes()));
  for (const std::uint32_t id : order)
    REQUIRE(name_text(translator.process_id(Table::name, id)) == fmt::format("high first {}", id));
}

TEST_CASE("What a program answered comes back", "[record]") {
  const TemporaryFolder folder;
  ProgramResults results;
  results.program = 1;
  results.loss = {1.5, 0.25};
  results.metrics = {{"accuracy", 0.5}};
  const Type* type = intern_type(DType::f32, {2});
  results.outputs = {{"dy/dx", {type, Bytes(8, 7)}}, {"dz/dx", {}}};
  results.errors = {{"a.cpp:3", "it was used up"}};
  Bytes bytes;
  RecordingWriter writer(std::make_unique<MemorySink>(bytes), {});
  writer.add_results(results);
  writer.finish("interrupted", 5, 6);
  write_file(folder / "a.tape", bytes);
  const ReadBack back = read_back(folder / "a.tape");
  REQUIRE(back.results.size() == 1);
  CHECK(back.results[0].program == 1);
  CHECK(back.results[0].loss == results.loss);
  CHECK(back.results[0].metrics == results.metrics);
  CHECK(back.results[0].errors == results.errors);
  CHECK(back.results[0].outputs[0].second.type == type);
  CHECK(back.results[0].outputs[0].second.bytes == Bytes(8, 7));
  CHECK(back.results[0].outputs[1].second.type == nullptr);
  CHECK(back.summary.reason == "interrupted");
  CHECK(back.summary.lost_events == 5);
}

TEST_CASE("A recording is followed while it grows, through a pipe too", "[record][threads]") {
  const TemporaryFolder folder;
  const SmallProgram program = small_program(200);
  const Bytes bytes = recorded(program);
  using Item = RecordingReader::Item;
  SECTION("a file") {
    write_file(folder / "a.tape", std::span(bytes).first(bytes.size() / 2));
    RecordingReader reader = RecordingReader::open(folder / "a.tape", {.follow = true});
    Item item = reader.next();
    while (item != Item::waiting && item != Item::end) item = reader.next();
    CHECK(item == Item::waiting);
    CHECK(reader.loss().empty());
    std::ofstream(folder / "a.tape", std::ios::binary | std::ios::app)
        .write(reinterpret_cast<const char*>(bytes.data() + bytes.size() / 2),
               static_cast<std::streamsize>(bytes.size() - bytes.size() / 2));
    while (item != Item::end) item = reader.next();
    CHECK(reader.whole());
    CHECK(reader.events_read() == program.records.size());
  }
  SECTION("a pipe") {
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    std::thread writer([&] {
      for (std::size_t at = 0; at < bytes.size();) {
        const ssize_t count =
            write(ends[1], bytes.data() + at, std::min<std::size_t>(777, bytes.size() - at));
        if (count <= 0) break;
        at += static_cast<std::size_t>(count);
      }
      close(ends[1]);
    });
    RecordingReader reader(ends[0], "a pipe", {});
    const ReadBack back = read_back(reader);
    writer.join();
    CHECK(back.whole);
    CHECK(back.records.size() == program.records.size());
  }
}

TEST_CASE("A full disk and an unwritable path cost the recording, not the run", "[record]") {
  const SmallProgram program = small_program(400);
  SECTION("full") {
    const std::size_t whole = recorded(program).size();
    Bytes bytes;
    RecordingWriter writer(std::make_unique<MemorySink>(bytes, whole / 2), {});
    writer.add(program.thread, program.records);
    writer.finish("finished", 0, 0);
    CHECK(writer.failure() == "the disk is full");
    CHECK(writer.events() == program.records.size());
    CHECK(writer.dropped() > 0);
  }
  SECTION("a device that is full") {
    RecordingWriter writer(open_sink("/dev/full"), {});
    writer.add(program.thread, program.records);
    writer.finish("finished", 0, 0);
    CHECK_THAT(writer.failure(),
               contains_text("cannot go on recording to /dev/full") && contains_text("the run goes on"));
    CHECK(writer.dropped() == program.records.size());
  }
  SECTION("unwritable") {
    CHECK_THROWS_WITH(
        open_sink("/nonexistent/folder/a.tape"),
        contains_text("cannot record to /nonexistent/folder/a.tape") && contains_text("give a path"));
  }
}

TEST_CASE("What was written of a chunk that the disk did not take whole is taken back", "[record]") {
  const TemporaryFolder folder;
  const SmallProgram program = small_program(400);
  const std::string path = folder / "a.tape";
  rlimit before{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit half{.rlim_cur = recorded(program).size() / 2, .rlim_max = before.rlim_max};
  std::string failure;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &half) == 0);
  {
    RecordingWriter writer(open_sink(path), {});
    writer.add(program.thread, program.records);
    writer.finish("finished", 0, 0);
    failure = writer.failure();
  }
  REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK_THAT(failure, contains_text("cannot go on recording to " + path));
  const Examination found = examine(path);
  CHECK(found.bytes > 0);
  CHECK(found.gaps.empty());
  CHECK_FALSE(found.end);
}
