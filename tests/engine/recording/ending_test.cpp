// How a program ended, as its recording keeps it.
#include "engine/recording/ending.h"

#include <csignal>

#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::test;
using record::Ending;

namespace {

const Ending kEndings[] = {
    {},
    {.how = ProgramEnd::exit, .code = 3},
    {.how = ProgramEnd::exception, .type = "std::runtime_error", .text = "no such file: a.csv"},
    {.how = ProgramEnd::exception, .type = "ns::Quiet"},
    {.how = ProgramEnd::exception, .text = "[matmul] got shapes [2, 3] and [2, 3]"},
    {.how = ProgramEnd::terminate},
    {.how = ProgramEnd::signal, .code = SIGSEGV, .type = "SIGSEGV"},
    {.how = ProgramEnd::interrupted},
    {.how = ProgramEnd::quick_exit},
    {.how = ProgramEnd::left, .code = 4},
    {.how = ProgramEnd::unknown},
};

// What a reader says of a recording with these records in chunks one after the other.
std::optional<Ending> read_ending(const std::vector<std::vector<Record>>& chunks, const std::string& reason) {
  const TemporaryFolder folder;
  record::Bytes bytes;
  record::RecordingWriter writer(std::make_unique<MemorySink>(bytes), {{"name", "small"}});
  for (const std::vector<Record>& records : chunks) {
    writer.add(1, records);
    writer.flush();
  }
  if (!reason.empty()) writer.finish(reason, 0, 0);
  write_file(folder / "a.tape", bytes);
  record::RecordingReader reader = record::RecordingReader::open(folder / "a.tape");
  read_back(reader);
  return reader.ending();
}

}  // namespace

TEST_CASE("an ending is the same after it was a reason or a record", "[record]") {
  for (const Ending& ending : kEndings) {
    CAPTURE(record::reason_of(ending));
    CHECK(record::ending_of_reason(record::reason_of(ending)) == ending);
    CHECK(record::ending_of(record::record_of(ending)) == ending);
  }
}

TEST_CASE("a program ends well by exit code 0 alone", "[record]") {
  for (const Ending& ending : kEndings) {
    CAPTURE(record::reason_of(ending));
    CHECK(ending.well() == (ending == Ending{} || ending.how == ProgramEnd::quick_exit));
  }
}

TEST_CASE("a sentence names the signal, the exception or the exit code", "[record]") {
  CHECK(record::sentence_of(kEndings[1]) == "the program ended with exit code 3");
  CHECK(record::sentence_of(kEndings[2]) ==
        "the program ended by an exception, std::runtime_error: no such file: a.csv");
  CHECK(record::sentence_of(kEndings[6]) == "the program ended by SIGSEGV (Segmentation fault)");
  CHECK(record::sentence_of({.how = ProgramEnd::signal, .code = 40}) == "the program ended by signal 40");
}

TEST_CASE("the last record says how a program ended, and its last chunk where it has none", "[record]") {
  const Record crash = record::record_of(kEndings[6]), step = StepBeginRecord{};
  const auto segv = kEndings[6];
  CHECK(read_ending({{step, crash}}, "finished") == segv);
  CHECK(read_ending({{step}}, "exited with 3") == kEndings[1]);
  CHECK(read_ending({{step}}, "") == std::nullopt);
  // Handed to a handler of the program, after which nothing came.
  CHECK(read_ending({{step, crash}}, "") == segv);
  // It lived on.
  CHECK(read_ending({{crash}, {step}}, "") == std::nullopt);
  CHECK(read_ending({{crash}, {step}}, "finished") == Ending{});
}
