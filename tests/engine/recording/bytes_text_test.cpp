// The bytes of what a recording holds, as they are on disk, and what is made of them when one of them is
// another: approved texts, since files of today are read by later versions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/events/records/digests.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/replicas.h"
#include "engine/events/records/steps.h"
#include "engine/recording/columns.h"
#include "engine/recording/container.h"
#include "engine/recording/contents.h"
#include "engine/recording/definitions.h"
#include "engine/recording/digest_codec.h"
#include "engine/recording/frame_codec.h"
#include "tests/support/approval.h"
#include "tests/support/record_text.h"

using namespace tapescope;
using namespace tapescope::record;
using namespace tapescope::test;

namespace {

std::string hex_of(std::span<const std::uint8_t> bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    text += fmt::format("{}{:02x}", i == 0 ? "  " : i % 32 == 0 ? "\n  " : " ", bytes[i]);
  return text + "\n";
}

// The parts of a reading, ended by ';', that are not those of the sound one.
std::string difference(const std::string& said, const std::string& sound) {
  if (said == "refused") return said;
  std::string text;
  std::size_t at = 0, of_sound = 0;
  while (at < said.size()) {
    const auto part = [](const std::string& from, std::size_t& begin) {
      const std::size_t end = std::min(from.find(';', begin), from.size());
      return from.substr(std::exchange(begin, end + 1), end - begin);
    };
    const std::string one = part(said, at), other = of_sound < sound.size() ? part(sound, of_sound) : "";
    if (one != other) text += (text.empty() ? "" : "; ") + one;
  }
  return text.empty() ? "as it was" : text;
}

// Its bytes, and what `read` says to each of them changed: the bit of 1, of 4 and the highest.
template <class Read>
std::string bytes_text(const char* what, const ByteWriter& out, Read read) {
  std::string text = fmt::format("{}\n{}", what, hex_of(out.bytes()));
  const std::string sound = read(out.bytes());
  text += fmt::format("  read: {}\n", sound);
  std::string before;
  for (std::size_t at = 0; at < out.bytes().size(); ++at) {
    std::string said;
    for (const int bit : {1, 4, 0x80}) {
      Bytes changed = out.bytes();
      changed[at] = static_cast<std::uint8_t>(changed[at] ^ bit);
      said += fmt::format("{}{}", said.empty() ? "" : " | ", difference(read(changed), sound));
    }
    text += fmt::format("  {}: {}\n", at, said == before ? "the same" : said);
    before = said;
  }
  for (std::size_t size = 0; size < out.bytes().size(); ++size)
    CHECK(read(std::span(out.bytes()).first(size)) == "refused");
  return text;
}

std::string results_text(const ProgramResults& r) {
  std::string text = fmt::format("program {};loss {};times {}", r.program, r.loss, r.step_us);
  for (const auto& [name, value] : r.metrics) text += fmt::format(";{}={}", name, value);
  for (const auto* list : {&r.outputs, &r.gradients})
    for (const auto& [name, value] : *list)
      text += fmt::format(";{}:{} {}", name, value.type ? value.type->text() : "None", value.bytes);
  for (const auto* list : {&r.errors, &r.notes})
    for (const auto& [name, value] : *list) text += fmt::format(";{}/{}", name, value);
  return text;
}

// Texts may hold any byte.
std::string only_ascii(std::string text) {
  for (char& letter : text)
    if (static_cast<unsigned char>(letter) < 0x20 || static_cast<unsigned char>(letter) > 0x7e) letter = '?';
  return text;
}

std::string block_text(const EventBlock& block, std::uint64_t unknown) {
  std::string text = fmt::format("{} unknown", unknown);
  for (const auto& batch : block.batches) text += fmt::format(";{} of {}", batch.count, batch.thread);
  for (const Record& record : block.records) text += ";" + record_text(record);
  return text;
}

EventBlock some_events() {
  EventBlock block;
  const Record first[] = {StepBeginRecord{.step = 3, .ticks = 1000},
                          OpRecord{.site = 5, .ticks = 1010, .output = 70, .duration = 8},
                          OpRecord{.flags = 1, .site = 5, .ticks = 1030, .output = 72, .duration = 6}};
  const Record second[] = {StepEndRecord{.step = 3, .ticks = 900}};
  block.add(1, first);
  block.add(300, second);
  block.add(300, {});
  block.add(300, second);
  return block;
}

}  // namespace

TEST_CASE("facts, results, statistics and ends have their approved bytes", "[record]") {
  std::string text;
  ByteWriter facts;
  write_facts(facts, {{"name", "a"}, {"rank", "12"}});
  text += bytes_text("facts", facts, [](std::span<const std::uint8_t> bytes) -> std::string {
    ProgramFacts read;
    if (!read_facts(bytes, read)) return "refused";
    return only_ascii(fmt::format("{}", fmt::join(read, ", ")));
  });
  ByteWriter end;
  write_end(end, {.events = 300,
                  .lost_events = 2,
                  .lost_statistics = 1,
                  .reason = "ok",
                  .key_frames = {{200, 7}, {500, 9}}});
  text += bytes_text("end", end, [](std::span<const std::uint8_t> bytes) -> std::string {
    EndSummary read;
    if (!read_end(bytes, read)) return "refused";
    return only_ascii(fmt::format("{} {} {} {} {}", read.events, read.lost_events, read.lost_statistics,
                                  read.reason, read.key_frames));
  });
  ByteWriter results;
  write_results(results, {.program = 1,
                          .loss = {0.5},
                          .step_us = {2},
                          .metrics = {{"m", 1}},
                          .outputs = {{"y", {intern_type(DType::f32, {2}), Bytes(8, 1)}}, {"n", {}}},
                          .gradients = {{"g", {intern_type(DType::i64, {}), Bytes(8, 2)}}},
                          .errors = {{"e", "x"}},
                          .notes = {{"k", "v"}}});
  text += bytes_text("results", results, [](std::span<const std::uint8_t> bytes) -> std::string {
    ProgramResults read;
    if (!read_results(bytes, read)) return "refused";
    return only_ascii(results_text(read));
  });
  ByteWriter digest;
  write_statistics_digest(digest, {.steps = 200, .sources = 0x123456789abcdef});
  text += bytes_text("statistics of steps", digest, [](std::span<const std::uint8_t> bytes) -> std::string {
    StatisticsDigest read;
    if (!read_statistics_digest(bytes, read)) return "refused";
    return fmt::format("{} {:x}", read.steps, read.sources);
  });
  approve("engine/approved/recording/bytes_of_contents.txt", text);
}

TEST_CASE("events and digests have their approved bytes", "[record]") {
  std::string text;
  ByteWriter events;
  encode_events(some_events(), events);
  text += bytes_text("events", events, [](std::span<const std::uint8_t> bytes) -> std::string {
    EventBlock read;
    std::uint64_t unknown = 0;
    return decode_events(bytes, read, unknown) ? block_text(read, unknown) : "refused";
  });
  for (std::size_t from = 0; from <= 5; ++from)
    text += fmt::format("from {}: {}\n", from, block_text(some_events().from(from), 0));
  EventBlock block;
  std::vector<Record> records;
  for (std::uint64_t step = 1; step <= 3; ++step) {
    records.push_back(StepBeginRecord{.step = step, .ticks = 100 * step});
    for (std::uint16_t source = 0; source < step; ++source)
      records.push_back(
          ReplicaRecord{.value = 2, .index = source, .name = 3, .hash = (source + step) << (20 * source)});
    records.push_back(StepCountsRecord{.executed = 4});
    records.push_back(StepTimesRecord{.left_out = 9});
    records.push_back(StepEndRecord{.step = step, .ticks = 100 * step + 50});
  }
  block.add(2, records);
  ByteWriter digest;
  encode_digest(block, digest);
  text += bytes_text("digest", digest, [](std::span<const std::uint8_t> bytes) -> std::string {
    EventBlock read;
    std::uint64_t unknown = 0;
    return decode_digest(bytes, read, unknown) ? block_text(read, unknown) : "refused";
  });
  approve("engine/approved/recording/bytes_of_events.txt", text);
}

TEST_CASE("headers have their approved bytes, and say no to what cannot be", "[record]") {
  std::string text = "file header\n" + hex_of(file_header());
  const auto header = file_header();
  for (std::size_t at = 0; at < header.size(); ++at) {
    auto changed = header;
    changed[at] ^= 2;
    FileVersion version;
    text += fmt::format("  {}: state {}\n", at, static_cast<int>(check_file_header(changed, version)));
  }
  Bytes chunk;
  const std::uint8_t payload[] = {1, 2, 3, 4, 5};
  append_chunk(chunk, ChunkKind::events, 258, payload, false);
  text += "chunk\n" + hex_of(chunk);
  for (std::size_t at = 0; at < chunk.size(); ++at) {
    Bytes changed = chunk;
    changed[at] ^= 2;
    const auto found = parse_chunk_header(std::span(changed).first(kChunkHeaderSize));
    Bytes raw;
    text += fmt::format("  {}: ", at);
    if (!found) text += "no header\n";
    else
      text +=
          unpack_chunk(*found, std::span(changed).subspan(kChunkHeaderSize), raw) ? "read\n" : "damaged\n";
  }
  const auto sound = parse_chunk_header(std::span(chunk).first(kChunkHeaderSize));
  REQUIRE(sound);
  text += fmt::format("kind {}, {} bytes stored, {} unpacked, number {}\n", sound->kind, sound->stored_size,
                      sound->raw_size, sound->number);
  // What is packed is smaller, or it is stored.
  for (const std::size_t size : {0u, 1u, 30u, 100u, 5000u}) {
    Bytes packed, alike;
    append_chunk(packed, ChunkKind::events, 0, Bytes(size, 7));
    Bytes noise(size);
    for (std::size_t i = 0; i < size; ++i) noise[i] = static_cast<std::uint8_t>(i * i * 31 + i / 7 * 13);
    append_chunk(alike, ChunkKind::events, 0, noise);
    const auto one = parse_chunk_header(std::span(packed).first(kChunkHeaderSize)),
               other = parse_chunk_header(std::span(alike).first(kChunkHeaderSize));
    REQUIRE((one && other));
    CHECK(one->raw_size == size);
    CHECK(other->stored_size <= size);
    CHECK((one->encoding == Encoding::zstd) == (size >= 100 || one->stored_size < size));
    Bytes raw;
    CHECK(unpack_chunk(*one, std::span(packed).subspan(kChunkHeaderSize), raw));
    CHECK(raw == Bytes(size, 7));
    CHECK(unpack_chunk(*other, std::span(alike).subspan(kChunkHeaderSize), raw));
    CHECK(raw == noise);
  }
  approve("engine/approved/recording/bytes_of_headers.txt", text);
}
