// Writes a recording: chunks to a file or a pipe. One thread at a time.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "engine/recording/columns.h"
#include "engine/recording/contents.h"
#include "engine/recording/frame.h"

namespace tapescope::record {

// Byte sink; reports its first error, then ignores writes.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // All or nothing; the sentence of what went wrong, empty when nothing did.
  virtual std::string write(std::span<const std::uint8_t> bytes) = 0;
  // In a child that was forked: closes what is the parent's.
  virtual void leave_to_parent() {}
};

// A new file, or standard output for "-". Throws Error (surroundings) when it cannot be made.
std::unique_ptr<ByteSink> open_sink(const std::string& path);

class RecordingWriter {
 public:
  // Writes the header, the facts and the clock at once.
  RecordingWriter(std::unique_ptr<ByteSink> sink, ProgramFacts facts);
  ~RecordingWriter();

  // Take copies; a chunk is written when enough came together, statistics after the records they came with.
  void add(std::uint32_t thread, std::span<const Record> records);
  void add_statistics(std::span<const StatsEntry> entries);
  void add_results(const ProgramResults& results);
  // The payload of a chunk of values, as a ValueKeeper gives it.
  void add_values(const Bytes& payload);
  void add_facts(const ProgramFacts& facts);
  // Writes what is held back. Call it some times a second: that is what a killed program loses.
  void flush();
  // The last chunk. Nothing can be added after it.
  void finish(const std::string& reason, std::uint64_t lost_events, std::uint64_t lost_statistics);
  // In a child that was forked: closes what is the parent's. Nothing can be added afterwards.
  void leave_to_parent();

  // What ended the writing early, one sentence; empty while all is well.
  const std::string& failure() const { return failure_; }
  std::uint64_t events() const { return events_; }    // taken
  std::uint64_t dropped() const { return dropped_; }  // of them not written, after a failure
  std::uint64_t bytes() const { return bytes_; }      // written

 private:
  void emit(ChunkKind kind, const Bytes& payload);
  void define();
  void write_block();
  void write_statistics_held();

  // Definitions are repeated after so much: a reader that begins in the middle passes over no more than that.
  static constexpr std::uint64_t kKeyFrameBytes = 16u << 20;

  std::unique_ptr<ByteSink> sink_;
  Definer definer_;
  EventBlock block_;
  std::vector<StatsEntry> statistics_;
  ByteWriter payload_;
  Bytes chunk_;
  EndSummary end_;
  std::string failure_;
  std::uint64_t events_ = 0, dropped_ = 0, bytes_ = 0, chunks_ = 0, key_frame_at_ = 0;
  bool finished_ = false;
};

}  // namespace tapescope::record
