// Chunks without records: what is written is read, from the smallest content on, and a count of more than the
// bytes hold is refused before room is made for it.
#include "engine/recording/contents.h"

#include "engine/recording/digest_codec.h"
#include "engine/recording/frame_codec.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::record;

namespace {

// A count, then `size` bytes of zeros.
Bytes promise(std::uint64_t count, std::size_t size) {
  ByteWriter out;
  out.number(count);
  Bytes bytes = out.bytes();
  bytes.insert(bytes.end(), size, 0);
  return bytes;
}

}  // namespace

TEST_CASE("the smallest entry of each chunk is read, and one byte less is refused without room for it",
          "[record]") {
  const Translator translator;
  // Five numbers, four floating ones and four counts.
  constexpr std::size_t kStatistics = 5 + 4 * 8 + 4;
  for (const std::size_t count : {1, 2, 50}) {
    std::vector<StatsEntry> entries, none;
    CHECK(read_statistics(promise(count, count * kStatistics), translator, entries));
    CHECK(entries.size() == count);
    CHECK_FALSE(read_statistics(promise(count, count * kStatistics - 1), translator, none));
    CHECK(none.capacity() == 0);
    CHECK_FALSE(read_statistics(promise(count, count * kStatistics + 1), translator, entries));
  }
  ProgramFacts facts;
  CHECK(read_facts(promise(1, 2), facts));
  CHECK(facts == ProgramFacts{{"", ""}});
  CHECK_FALSE(read_facts(promise(2, 3), facts));
  CHECK_FALSE(read_facts(promise(1, 3), facts));
}

TEST_CASE("what a recording's end says is read as it was written, empty and full", "[record]") {
  EndSummary full{.events = 1'000'000, .lost_events = 3, .lost_statistics = 2, .reason = "interrupted"};
  full.key_frames = {{16, 0}, {70'000, 4'096}};
  for (const EndSummary& end : {EndSummary{}, full}) {
    ByteWriter out;
    write_end(out, end);
    EndSummary back;
    REQUIRE(read_end(out.bytes(), back));
    CHECK((back.events == end.events && back.lost_events == end.lost_events));
    CHECK(back.lost_statistics == end.lost_statistics);
    CHECK(back.reason == end.reason);
    CHECK(back.key_frames == end.key_frames);
    for (std::size_t size = 0; size < out.size(); ++size)
      CHECK_FALSE(read_end(std::span(out.bytes()).first(size), back));
  }
  StatisticsDigest digest;
  ByteWriter out;
  write_statistics_digest(out, {.steps = 700, .sources = 0x0123456789abcdef});
  REQUIRE(read_statistics_digest(out.bytes(), digest));
  CHECK((digest.steps == 700 && digest.sources == 0x0123456789abcdef));
  out.u8(0);
  CHECK_FALSE(read_statistics_digest(out.bytes(), digest));
}

TEST_CASE("what a program answered is read as it was written, empty and full", "[record]") {
  const Type* pair = intern_type(DType::i32, {2});
  ProgramResults full{.program = 7, .loss = {3.5, -0.25}, .step_us = {1, 2, 3}};
  full.metrics = {{"accuracy", 0.75}, {"", -1}};
  full.outputs = {{"y", {pair, {1, 0, 0, 0, 2, 0, 0, 0}}}, {"nothing", {}}};
  full.gradients = {{"w", {intern_type(DType::f32, {0}), {}}}};
  full.errors = {{"a.cpp:3", "no"}};
  full.notes = {{"key", "text"}, {"", ""}};
  for (const ProgramResults& results : {ProgramResults{}, full}) {
    ByteWriter out;
    write_results(out, results);
    ProgramResults back;
    REQUIRE(read_results(out.bytes(), back));
    CHECK(back.program == results.program);
    CHECK((back.loss == results.loss && back.step_us == results.step_us));
    CHECK(back.metrics == results.metrics);
    CHECK((back.errors == results.errors && back.notes == results.notes));
    for (const auto& [now, was] :
         {std::pair(&back.outputs, &results.outputs), {&back.gradients, &results.gradients}}) {
      REQUIRE(now->size() == was->size());
      for (std::size_t i = 0; i < now->size(); ++i) {
        CHECK((*now)[i].first == (*was)[i].first);
        CHECK((*now)[i].second.type == (*was)[i].second.type);
        CHECK((*now)[i].second.bytes == (*was)[i].second.bytes);
      }
    }
    for (std::size_t size = 0; size < out.size(); ++size) {
      ProgramResults part;
      CHECK_FALSE(read_results(std::span(out.bytes()).first(size), part));
    }
    out.u8(0);
    CHECK_FALSE(read_results(out.bytes(), back));
  }
  // A value whose bytes are not those of its type.
  full.outputs[0].second.bytes.pop_back();
  ByteWriter out;
  write_results(out, full);
  CHECK_FALSE(read_results(out.bytes(), full));
}
