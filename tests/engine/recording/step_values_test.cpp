// Which steps keep their values, how a budget cuts them, and their way through a recording.
#include "engine/recording/step_values.h"
#include "engine/core/error.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::record;
using namespace tapescope::test;

namespace {

Frame frame_at(std::uint64_t cursor, std::int64_t elements) {
  Frame frame;
  frame.cursor = cursor;
  frame.outputs = {{"y", make_full({elements}, static_cast<double>(cursor), DType::f32)}};
  return frame;
}

std::vector<KeptFrame> frames_of(const StepFrames& values) {
  std::vector<KeptFrame> frames;
  REQUIRE(values.read(frames));
  return frames;
}

}  // namespace

TEST_CASE("A rule names the steps whose values are kept", "[record]") {
  using Steps = std::vector<std::uint64_t>;
  CHECK(ValueRule::parse("none").empty());
  CHECK(ValueRule::parse("last").steps_of(7) == Steps{6});
  CHECK(ValueRule::parse("first,last").steps_of(7) == Steps{0, 6});
  CHECK(ValueRule::parse("first,last").steps_of(1) == Steps{0});
  CHECK(ValueRule::parse("every:3,2,99").steps_of(7) == Steps{0, 1, 3, 6});
  CHECK(ValueRule::parse("last").steps_of(0).empty());
  for (const char* text : {"", "lasst", "0", "every:0", "every:", "3,", "last,none", "1-2"}) {
    INFO(text);
    CHECK_THROWS_WITH(ValueRule::parse(text),
                      contains_text("expected none, or a list of first, last, every:N"));
  }
}

TEST_CASE("Values go through a recording, several chunks a step", "[record]") {
  ValueKeeper keeper({.rule = {}});
  keeper.begin_step(0, 41);
  for (std::uint64_t i = 1; i <= 20; ++i) keeper.add(frame_at(i, 1 << 20));  // 80 MiB; the budget is 64
  keeper.end_step(20, 12);
  CHECK(keeper.left_out() > 0);
  const std::uint64_t left_out = keeper.left_out();
  Bytes bytes;
  RecordingWriter writer(std::make_unique<MemorySink>(bytes), {});
  for (const Bytes& payload : keeper.take()) writer.add_values(payload);
  CHECK(keeper.take().empty());
  writer.finish("finished", 0, 0);
  const TemporaryFolder folder;
  write_file(folder / "a.tape", bytes);
  RecordingReader reader = RecordingReader::open(folder / "a.tape");
  using Item = RecordingReader::Item;
  std::uint64_t cursor = 0, chunks = 0;
  for (Item item = reader.next(); item != Item::end; item = reader.next()) {
    if (item != Item::values) continue;
    ++chunks;
    const StepFrames& values = reader.values();
    CHECK(values.head.step == 41);
    CHECK(values.head.nodes == 20);
    CHECK(values.head.forward_nodes == 12);
    CHECK(values.head.left_out == left_out);
    for (const KeptFrame& kept : frames_of(values)) {
      CHECK(kept.frame.cursor == ++cursor);
      CHECK(kept.hash == frame_at(cursor, 1 << 20).hash());
    }
  }
  CHECK(chunks > 1);
  CHECK(cursor + left_out == 20);
  CHECK(reader.whole());
}

TEST_CASE("What the budget left out is counted, also where nothing fits", "[record]") {
  ValueKeeper keeper({.rule = {}, .budget = 0});
  keeper.begin_step(1, 0);
  keeper.add(frame_at(1, 4));
  keeper.add(frame_at(2, 4));
  keeper.end_step(2, 2);
  const std::vector<Bytes> payloads = keeper.take();
  REQUIRE(payloads.size() == 1);
  ByteReader in(payloads[0]);
  StepValues head;
  REQUIRE(read_step_values(in, head));
  CHECK(head.program == 1);
  CHECK(head.left_out == 2);
  std::vector<KeptFrame> frames;
  CHECK(read_frames(in, frames));
  CHECK(frames.empty());
}
