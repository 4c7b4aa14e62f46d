// What an examination finds in a recording that is whole, cut or changed anywhere, and what recovery makes of
// it.
#include "engine/recording/examine.h"

#include <map>

#include <fmt/format.h>

#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/support/approval.h"
#include "tests/support/error_of.h"

using namespace tapescope;
using namespace tapescope::record;
using namespace tapescope::test;

namespace {

// A recording of chunks that are not packed, whose bytes are therefore the same everywhere.
struct PlainFile {
  Bytes bytes;
  std::vector<std::size_t> ends;  // of the header and of each chunk
  std::uint64_t number = 0;

  PlainFile() {
    const auto header = file_header();
    bytes.assign(header.begin(), header.end());
    ends.push_back(bytes.size());
  }
  void chunk(ChunkKind kind, const ByteWriter& contents) {
    append_chunk(bytes, kind, number++, contents.bytes(), false);
    ends.push_back(bytes.size());
  }
  void events(const std::vector<Record>& records) {
    EventBlock block;
    block.add(1, records);
    ByteWriter out;
    encode_events(block, out);
    chunk(ChunkKind::events, out);
  }
  void end(std::uint64_t events) {
    ByteWriter out;
    write_end(out, {.events = events, .reason = "finished"});
    chunk(ChunkKind::end, out);
  }
};

PlainFile plain_file() {
  PlainFile file;
  ByteWriter facts;
  write_facts(facts, {{"name", "plain"}});
  file.chunk(ChunkKind::program, facts);
  file.events({StepBeginRecord{.step = 1}, OpRecord{}, StepEndRecord{.step = 1}});
  file.events(
      {StepBeginRecord{.step = 2}, LostRecord{.records = 5}, StepEndRecord{.abandoned = 1, .step = 2}});
  file.end(6);
  return file;
}

std::string text_of(const Examination& found) {
  std::string text = fmt::format("version {}.{}", found.version.major, found.version.minor);
  if (found.header_damaged) text += ", header damaged";
  for (const auto& [kind, of] : found.kinds)
    text += fmt::format(", {} of kind {} ({} bytes)", of.chunks, kind, of.bytes);
  text += fmt::format(", {} events, {} unknown, {} lost, {} steps, {} in the tail", found.events,
                      found.unknown_events, found.lost_events, found.steps, found.tail_chunks);
  std::uint64_t damaged = found.header_damaged ? kFileHeaderSize : 0;
  for (const Examination::Gap& gap : found.gaps) {
    text +=
        fmt::format(", gap at {} {}", gap.at, gap.at_end ? "to the end" : fmt::format("of {}", gap.bytes));
    CHECK((gap.at + gap.bytes == found.bytes) == gap.at_end);
    damaged += gap.bytes;
  }
  CHECK(found.damaged_bytes() == damaged);
  for (const auto& [key, value] : found.facts) text += fmt::format(", {}={}", key, value);
  if (found.end)
    text += fmt::format(", ended with {} events, {} lost, '{}'", found.end->events, found.end->lost_events,
                        found.end->reason);
  return text + (found.whole() ? ", whole" : ", not whole");
}

// The places where each text was found, as runs: "16-40".
std::string by_text(const std::vector<std::string>& texts) {
  std::string all;
  for (std::size_t i = 0, begin = 0; i < texts.size(); ++i) {
    if (i + 1 < texts.size() && texts[i + 1] == texts[begin]) continue;
    all += fmt::format("{}-{}: {}\n", begin, i, texts[begin]);
    begin = i + 1;
  }
  return all;
}

class ExaminedFolder {
 public:
  std::string look(std::span<const std::uint8_t> bytes) const {
    write_file(path_, bytes);
    try {
      return text_of(examine(path_));
    } catch (const Error& error) {
      return without_folder(error.what());
    }
  }
  // After it was recovered.
  std::string recovered() const {
    std::filesystem::remove(out_);
    try {
      recover(path_, out_);
      Examination found = examine(out_);
      // Chunks are packed again, by a library whose versions differ.
      found.bytes = 0;
      for (auto& [_, kind] : found.kinds) kind.bytes = 0;
      return text_of(found);
    } catch (const Error& error) {
      return without_folder(error.what());
    }
  }
  std::string path() const { return path_; }
  std::string without_folder(std::string text) const {
    for (std::size_t at; (at = text.find(folder_ / "")) != text.npos;) text.erase(at, (folder_ / "").size());
    return text;
  }

 private:
  TemporaryFolder folder_;
  std::string path_ = folder_ / "x.tape", out_ = folder_ / "y.tape";
};

}  // namespace

TEST_CASE("an examination says what is in a recording that is cut or changed anywhere", "[record]") {
  const PlainFile file = plain_file();
  const ExaminedFolder folder;
  std::string text =
      fmt::format("whole, chunks end at {}\n  {}\n", fmt::join(file.ends, " "), folder.look(file.bytes));
  text += "  recovered: " + folder.recovered() + "\n";
  std::vector<std::string> looks;
  for (std::size_t size = 0; size <= file.bytes.size(); ++size)
    looks.push_back(folder.look(std::span(file.bytes).first(size)));
  text += "cut after so many bytes\n" + by_text(looks);
  looks.clear();
  for (std::size_t at = 0; at < file.bytes.size(); ++at) {
    Bytes changed = file.bytes;
    changed[at] ^= 0x55;
    looks.push_back(folder.look(changed));
  }
  text += "one byte changed\n" + by_text(looks);
  approve("engine/approved/recording/examined.txt", text);
}

TEST_CASE("a recording is recovered to what can be read of it", "[record]") {
  const PlainFile file = plain_file();
  const ExaminedFolder folder;
  std::string text;
  const auto add = [&](const char* what, const Bytes& bytes) {
    text += fmt::format("{}\n  {}\n", what, folder.look(bytes));
    text += "  recovered: " + folder.recovered() + "\n";
  };
  Bytes cut = file.bytes;
  cut.resize(file.ends[3]);
  add("no end", cut);
  Bytes hole = file.bytes;
  std::fill(hole.begin() + static_cast<std::ptrdiff_t>(file.ends[1]) + 3,
            hole.begin() + static_cast<std::ptrdiff_t>(file.ends[2]), 0);
  add("a hole", hole);
  Bytes noise = file.bytes;
  noise.insert(noise.begin() + static_cast<std::ptrdiff_t>(file.ends[2]), 200'000, std::uint8_t{'T'});
  add("many bytes between chunks", noise);
  Bytes header = file.bytes;
  header[9] = 0xff;
  add("a damaged header", header);
  // The tail that a killed program leaves: chunks whose numbers follow, then one of before.
  PlainFile tail;
  tail.number = file.number - 1;
  const std::size_t begin = tail.bytes.size();
  tail.events({StepBeginRecord{.step = 3}, StepEndRecord{.step = 3}});
  tail.events({OpRecord{}});
  tail.number = 1;
  tail.events({OpRecord{}});
  write_file(tail_path(folder.path()), std::span(tail.bytes).subspan(begin));
  add("no end, with a tail", cut);
  add("an end, with a tail", file.bytes);
  text += "onto itself: " + folder.without_folder(error_of([&] { recover(folder.path(), folder.path()); })) +
          "\n";
  text += "not there: " + folder.without_folder(error_of([&] { examine(folder.path() + "x"); })) + "\n";
  approve("engine/approved/recording/recovered.txt", text);
}
