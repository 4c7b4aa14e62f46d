// What a killed program had not written to its recording is in the tail beside it.
#include "engine/recording/tail.h"

#include "engine/recording/mend.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::test;
namespace fs = std::filesystem;

namespace {

record::Bytes bytes_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// As a kill at this moment would leave it.
ReadBack read_killed(const TemporaryFolder& folder, const std::string& path,
                     std::size_t tail_bytes = ~std::size_t{0}) {
  const std::string copy = folder / "killed.tape";
  write_file(copy, bytes_of_file(path));
  record::Bytes tail = bytes_of_file(record::tail_path(path));
  tail.resize(std::min(tail_bytes, tail.size()));
  write_file(record::tail_path(copy), tail);
  return read_back(copy);
}

// Copies of `count` records, in portions of different sizes.
template <class Visit>
void in_portions(std::span<const Record> records, Visit&& visit) {
  for (std::size_t at = 0, size = 1; at < records.size(); at += size, size = size * 3 % 17 + 1)
    visit(records.subspan(at, std::min(size, records.size() - at)), at);
}

}  // namespace

TEST_CASE("a killed program loses nothing that was in the recording or its tail", "[record]") {
  const SmallProgram program = small_program(3);
  const TemporaryFolder folder;
  const std::string path = folder / "a.tape";
  record::RecordingWriter writer(record::open_sink(path), {{"name", "small"}});
  std::size_t saved = 0, in_tail = 0;
  in_portions(program.records, [&](std::span<const Record> part, std::size_t at) {
    writer.add(1, part);
    // Now and then what is in the tail goes into the recording.
    if (at % 5 == 4) writer.flush();
    writer.save_tail();
    saved += part.size();
    const ReadBack killed = read_killed(folder, path);
    REQUIRE(killed.records.size() == saved);
    CHECK(std::memcmp(killed.records.data(), program.records.data(), saved * sizeof(Record)) == 0);
    CHECK(killed.loss.find("has no last chunk") != std::string::npos);
    in_tail += saved - read_killed(folder, path, 0).records.size();
  });
  CHECK(in_tail > 0);  // it was used at all: new names go into the recording
  writer.add_statistics(program.statistics);
  writer.save_tail();
  CHECK(read_killed(folder, path).statistics.size() == program.statistics.size());
  writer.finish("finished", 0, 0);
  CHECK_FALSE(fs::exists(record::tail_path(path)));
  CHECK(read_back(path).whole);
}

TEST_CASE("a tail that is cut anywhere gives what is whole of it", "[record]") {
  const SmallProgram program = small_program(2);
  const TemporaryFolder folder;
  const std::string path = folder / "a.tape";
  record::RecordingWriter writer(record::open_sink(path), {{"name", "small"}});
  writer.add(1, program.records);
  writer.flush();  // names are known from here on
  for (int i = 0; i < 3; ++i) {
    writer.add(1, program.records);
    writer.save_tail();
  }
  const std::size_t size = fs::file_size(record::tail_path(path)), one = program.records.size();
  for (std::size_t cut = 0, before = one; cut <= size; ++cut) {
    const ReadBack killed = read_killed(folder, path, cut);
    REQUIRE(killed.records.size() % one == 0);
    REQUIRE(killed.records.size() >= before);
    REQUIRE(killed.loss.find("damaged") == std::string::npos);
    before = killed.records.size();
    if (cut == size) CHECK(before == 4 * one);
  }
}

TEST_CASE("a tail of before the last flush is passed over", "[record]") {
  const SmallProgram program = small_program(2);
  const TemporaryFolder folder;
  const std::string path = folder / "a.tape";
  record::RecordingWriter writer(record::open_sink(path), {{"name", "small"}});
  writer.add(1, program.records);
  writer.flush();
  for (int round = 0; round < 20; ++round) {
    // Portions of one size: each chunk of a tail ends where another one of the tail before ended.
    for (int i = 0; i < round % 4; ++i) {
      writer.add(1, program.records);
      writer.save_tail();
    }
    const std::size_t had = read_killed(folder, path).records.size();
    writer.flush();
    CHECK(read_killed(folder, path).records.size() == had);
    CHECK(had == static_cast<std::size_t>(writer.events()));
  }
}

TEST_CASE("the end of a killed program is appended after its tail", "[record]") {
  const SmallProgram program = small_program(2);
  const TemporaryFolder folder;
  const std::string path = folder / "a.tape", copy = folder / "killed.tape";
  record::RecordingWriter writer(record::open_sink(path), {{"name", "small"}});
  writer.add(1, program.records);
  writer.flush();
  writer.add(1, program.records);
  writer.save_tail();
  read_killed(folder, path);  // makes the copy
  // And something of a chunk.
  std::ofstream(copy, std::ios::binary | std::ios::app) << "TSCK and no more";
  const record::Ending killed{.how = ProgramEnd::signal, .code = 9, .type = "SIGKILL"};
  REQUIRE(record::append_end(copy, killed));
  CHECK_FALSE(fs::exists(record::tail_path(copy)));
  record::RecordingReader reader = record::RecordingReader::open(copy);
  const ReadBack all = read_back(reader);
  CHECK(all.whole);
  CHECK(all.records.size() == 2 * program.records.size() + 1);
  CHECK(all.summary.events == all.records.size());
  CHECK(reader.ending() == killed);
  // It has one now.
  CHECK_FALSE(record::append_end(copy, {}));
}
