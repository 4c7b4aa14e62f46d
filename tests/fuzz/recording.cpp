// Any bytes as a recording: it ends with a sentence or is read, values and all, and takes memory in
// proportion. What was read can be written, and holds the same when it is read again.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "engine/core/error.h"
#include "engine/recording/examine.h"
#include "engine/recording/reader.h"
#include "engine/recording/writer.h"
#include "tests/fuzz/memory_file.h"

using namespace tapescope;
using namespace tapescope::record;

namespace {

void read_all(int file, ReaderOptions options) {
  RecordingReader reader(dup(file), "fuzz", options);
  try {
    for (auto item = reader.next(); item != RecordingReader::Item::end; item = reader.next()) {
      std::vector<KeptFrame> frames;
      if (item != RecordingReader::Item::values || !reader.values().read(frames)) continue;
      for (const KeptFrame& kept : frames) kept.frame.hash();
    }
    if (reader.loss().find('\n') != std::string::npos) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::surroundings) std::abort();
  }
}

class MemorySink final : public ByteSink {
 public:
  explicit MemorySink(Bytes& bytes) : bytes_(bytes) {}
  std::string write(std::span<const std::uint8_t> more) override {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    return {};
  }

 private:
  Bytes& bytes_;
};

struct Held {
  std::uint64_t events = 0, statistics = 0, results = 0, frames = 0;
  bool operator==(const Held&) const = default;
};

// Counts what a recording holds, and writes it to `writer` if there is one. Frames that no pack takes are
// left out.
Held hold(int file, RecordingWriter* writer, const ValueOptions& options) {
  Held held;
  RecordingReader reader(dup(file), "fuzz", {});
  for (auto item = reader.next(); item != RecordingReader::Item::end; item = reader.next()) {
    if (item == RecordingReader::Item::facts && writer) writer->add_facts(reader.facts());
    if (item == RecordingReader::Item::events) {
      std::size_t at = 0;
      for (const EventBlock::Batch& batch : reader.events().batches) {
        if (writer) writer->add(batch.thread, std::span(reader.events().records).subspan(at, batch.count));
        at += batch.count;
      }
      held.events += at;
    }
    if (item == RecordingReader::Item::statistics) {
      held.statistics += reader.statistics().size();
      if (writer) writer->add_statistics(reader.statistics());
    }
    if (item == RecordingReader::Item::results) {
      ++held.results;
      if (writer) writer->add_results(reader.results());
    }
    std::vector<KeptFrame> frames;
    if (item != RecordingReader::Item::values || !reader.values().read(frames)) continue;
    ValueKeeper keeper(options);
    keeper.begin_step(reader.values().head.program, reader.values().head.step);
    for (const KeptFrame& kept : frames) keeper.add(kept.frame);
    held.frames += frames.size() - keeper.left_out();
    keeper.end_step(reader.values().head.nodes, reader.values().head.forward_nodes);
    for (const Bytes& payload : keeper.take()) {
      if (writer) writer->add_values(payload);
    }
  }
  if (writer) writer->finish("finished", 0, 0);
  return held;
}

void write_again(const MemoryFile& file, bool small) {
  ValueOptions options;
  if (small) options.limits = {.whole_bytes = 8, .sample = 3, .only = {"w", "a"}};
  if (small) options.budget = 1u << 12;
  Bytes copy;
  RecordingWriter writer(std::make_unique<MemorySink>(copy), {});
  file.rewind();
  const Held held = hold(file.descriptor(), &writer, options);
  const MemoryFile again(copy);
  if (hold(again.descriptor(), nullptr, {}) != held) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const MemoryFile file({data, size});
  read_all(file.descriptor(), {.digests = true});
  try {
    // Of one input in sixteen: it takes three times as long.
    if (size % 16 == 0) write_again(file, size % 32 == 0);
    examine(file.path());
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::surroundings) std::abort();
  }
  return 0;
}
