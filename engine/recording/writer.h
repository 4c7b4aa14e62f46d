// Writes a recording: chunks to a file or a pipe. One thread at a time.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "engine/recording/columns.h"
#include "engine/recording/container.h"
#include "engine/recording/contents.h"
#include "engine/recording/digest.h"
#include "engine/recording/tail.h"

namespace tapescope::record {

// Byte sink; reports its first error, then ignores writes.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // All or nothing; the sentence of what went wrong, empty when nothing did.
  virtual std::string write(std::span<const std::uint8_t> bytes) = 0;
  // In a child that was forked: closes what is the parent's.
  virtual void leave_to_parent() {}
  // From now on write() waits a second at most for a reader that takes nothing. Any thread, any signal
  // handler.
  virtual void hurry() {}
  // The file that is written; empty where it is none, or none that stays.
  virtual std::string file() const { return {}; }
};

// A new file, or standard output for "-". A file that another program is recording to is left alone: this one
// is then FILE-2, which is reported on standard error. Throws Error (surroundings) when it cannot be made,
// and for a pipe without a reader.
std::unique_ptr<ByteSink> open_sink(const std::string& path);

class RecordingWriter {
 public:
  // Writes the header, the facts and the clock at once. A file of a rank of a job gets digests.
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
  // Keeps what is held back in a file beside the recording (tail.h), at less cost than a flush: with it, a
  // killed program loses what came since the last call of either.
  void save_tail();
  // The last chunk. Nothing can be added after it.
  void finish(const std::string& reason, std::uint64_t lost_events, std::uint64_t lost_statistics);
  // In a child that was forked: closes what is the parent's. Nothing can be added afterwards.
  void leave_to_parent();
  void hurry() { sink_->hurry(); }

  // What ended the writing early, one sentence; empty while all is well.
  const std::string& failure() const { return failure_; }
  std::uint64_t events() const { return events_; }    // taken
  std::uint64_t dropped() const { return dropped_; }  // of them not written, after a failure
  std::uint64_t bytes() const { return bytes_; }      // written
  std::string file() const { return sink_->file(); }  // empty where it is none, or none that stays

 private:
  void emit(ChunkKind kind, const Bytes& payload);
  void define();
  void note_held();
  void hold(std::uint32_t thread, std::span<const Record> records);
  void end_group();
  void write_block();
  void write_statistics_held();

  // Definitions are repeated after so much: a reader that begins in the middle passes over no more than that.
  static constexpr std::uint64_t kKeyFrameBytes = 16u << 20;

  std::unique_ptr<ByteSink> sink_;
  Definer definer_;
  EventBlock block_;
  std::optional<DigestMaker> digests_;
  StatisticsDigestMaker statistics_digests_;
  std::vector<StatsEntry> statistics_;
  ByteWriter payload_;
  Bytes chunk_;
  EndSummary end_;
  std::string failure_;
  std::uint64_t events_ = 0, dropped_ = 0, bytes_ = 0, chunks_ = 0, key_frame_at_ = 0;
  bool finished_ = false;
  // Of what is held back: known to the definer, in the tail.
  std::size_t noted_records_ = 0, noted_statistics_ = 0, tail_records_ = 0, tail_statistics_ = 0;
  std::uint64_t tail_chunks_ = 0;
  std::unique_ptr<TailFile> tail_;  // null until it is asked for, and where there can be none
  bool wants_tail_ = true;
};

}  // namespace tapescope::record
