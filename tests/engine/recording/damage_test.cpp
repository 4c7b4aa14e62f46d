// A recording that is cut, changed, or of another version: it opens up to the damage or is refused with a
// sentence.
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <random>

#include "engine/core/error.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::record;
using namespace tapescope::test;

namespace {

// Reads through a pipe without a file, which is quicker than a file a case. Returns the sentence; empty: all
// is well.
std::string read_bytes(std::span<const std::uint8_t> bytes, std::vector<Record>& records) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  // A small recording fits into what a pipe holds.
  REQUIRE(bytes.size() < 60'000);
  REQUIRE(write(ends[1], bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  close(ends[1]);
  RecordingReader reader(ends[0], "x.tape", {});
  try {
    ReadBack back = read_back(reader);
    records = std::move(back.records);
    return back.loss;
  } catch (const Error& error) {
    REQUIRE(error.kind() == ErrorKind::surroundings);
    records.clear();
    return error.what();
  }
}

bool begins_as(const std::vector<Record>& part, const std::vector<Record>& whole) {
  return part.size() <= whole.size() &&
         (part.empty() || std::memcmp(part.data(), whole.data(), part.size() * sizeof(Record)) == 0);
}

}  // namespace

TEST_CASE("A recording cut anywhere opens up to the cut", "[record]") {
  const SmallProgram program = small_program(2);
  const Bytes bytes = recorded(program);
  std::size_t most = 0;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::vector<Record> records;
    const std::string loss = read_bytes(std::span(bytes).first(size), records);
    INFO("cut after " << size << " of " << bytes.size());
    REQUIRE_FALSE(loss.empty());
    REQUIRE(loss.find('\n') == std::string::npos);
    REQUIRE(begins_as(records, program.records));
    most = std::max(most, records.size());
  }
  CHECK(most == program.records.size());
}

TEST_CASE("A recording with any one bit changed opens up to it or is refused", "[record]") {
  const SmallProgram program = small_program(1);
  const Bytes bytes = recorded(program);
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    Bytes changed = bytes;
    changed[bit / 8] = static_cast<std::uint8_t>(changed[bit / 8] ^ 1u << bit % 8);
    std::vector<Record> records;
    const std::string loss = read_bytes(changed, records);
    INFO("bit " << bit);
    REQUIRE_FALSE(loss.empty());
    REQUIRE(begins_as(records, program.records));
  }
}

TEST_CASE("A newer major version is refused with a sentence, a newer minor one is read", "[record]") {
  const SmallProgram program = small_program(1);
  Bytes bytes = recorded(program);
  const auto with_version = [&](std::uint16_t major, std::uint16_t minor) {
    Bytes other = bytes;
    std::memcpy(other.data() + 8, &major, 2);
    std::memcpy(other.data() + 10, &minor, 2);
    // CRC-32 of the first twelve bytes, bit by bit.
    std::uint32_t crc = 0xffffffffu;
    for (int i = 0; i < 12; ++i) {
      crc ^= other[static_cast<std::size_t>(i)];
      for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    crc = ~crc;
    std::memcpy(other.data() + 12, &crc, 4);
    return other;
  };
  std::vector<Record> records;
  CHECK_THAT(
      read_bytes(with_version(kMajor + 1, 0), records),
      contains_text("x.tape is of version 2 of the format") && contains_text("open it with a newer one"));
  CHECK(records.empty());
  CHECK(read_bytes(with_version(kMajor, 99), records).empty());
  CHECK(records.size() == program.records.size());
  CHECK_THAT(read_bytes(Bytes(100, 'x'), records), contains_text("x.tape is no recording"));
}

TEST_CASE("Chunks that lie about their sizes cost no memory", "[record]") {
  // A payload that promises four thousand million records, names and numbers.
  ByteWriter lie;
  lie.number(1);
  lie.number(1);
  lie.number(0xffffffffu);
  lie.number(0xffffffffu);
  EventBlock block;
  std::uint64_t unknown = 0;
  CHECK_FALSE(decode_events(lie.bytes(), block, unknown));
  CHECK(block.records.capacity() == 0);
  Translator translator;
  CHECK_FALSE(translator.define(lie.bytes()));
  std::vector<StatsEntry> entries;
  ByteWriter many;
  many.number(0xffffffffffu);
  CHECK_FALSE(read_statistics(many.bytes(), translator, entries));
  CHECK(entries.capacity() == 0);
  ProgramFacts facts;
  CHECK_FALSE(read_facts(many.bytes(), facts));
}

TEST_CASE("Chunks that pack to almost nothing are refused once they stand for too much", "[record]") {
  Bytes file;
  const auto header = file_header();
  file.assign(header.begin(), header.end());
  ByteWriter facts;
  facts.number(1);
  facts.text("key");
  facts.text(std::string(15u << 20, 'a'));
  for (std::uint64_t number = 0; number < 20; ++number)
    append_chunk(file, ChunkKind::program, number, facts.bytes());
  REQUIRE(file.size() < 60'000);
  std::vector<Record> records;
  CHECK_THAT(read_bytes(file, records), contains_text("it unpacks to more than any program writes"));
  // Names, of which each is a new one.
  file.assign(header.begin(), header.end());
  for (std::uint64_t number = 0; number < 30; ++number) {
    ByteWriter names;
    names.u8(0);
    names.u8(static_cast<std::uint8_t>(record::Table::name));
    names.number(100);
    for (std::uint64_t i = 0; i < 100; ++i) {
      names.number(1 + number * 100 + i);
      names.text(std::to_string(number * 100 + i) + std::string(100'000, 'a'));
    }
    append_chunk(file, ChunkKind::definitions, number, names.bytes());
  }
  REQUIRE(file.size() < 60'000);
  CHECK_THAT(read_bytes(file, records), contains_text("it unpacks to more than any program writes"));
}

TEST_CASE("What a killed program had written opens", "[record]") {
  const TemporaryFolder folder;
  const char* longer = std::getenv("TAPESCOPE_LONG");
  const int kills = longer && longer[0] == '1' ? 1000 : 5;
  const SmallProgram program = small_program(3);
  std::mt19937 random(7);
  std::size_t some = 0;
  for (int i = 0; i < kills; ++i) {
    const std::string path = folder / "killed.tape";
    std::filesystem::remove(path);
    const pid_t child = fork();
    if (child == 0) {
      RecordingWriter writer(open_sink(path), {{"name", "killed"}});
      while (true) {
        writer.add(program.thread, program.records);
        writer.flush();
      }
    }
    usleep(1000 + random() % 20'000);
    kill(child, SIGKILL);
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFSIGNALED(status));
    if (!std::filesystem::exists(path) || std::filesystem::file_size(path) < kFileHeaderSize) continue;
    const ReadBack back = read_back(path);
    REQUIRE_FALSE(back.loss.empty());
    // Every whole chunk holds the program's records once.
    REQUIRE(back.records.size() % program.records.size() == 0);
    some += !back.records.empty();
  }
  CHECK(some > 0);
}
