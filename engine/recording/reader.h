// Reads a recording from a file, from one that still grows, or from standard input.
//
// By read(), not by a map: a mapped file that another process cuts short kills its reader. Whatever
// is wrong with the bytes, reading ends at the last good chunk and loss() says why; memory stays in
// proportion to what was read.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/recording/columns.h"
#include "engine/recording/container.h"
#include "engine/recording/contents.h"
#include "engine/recording/definitions.h"
#include "engine/recording/ending.h"
#include "engine/recording/older.h"
#include "engine/recording/step_values.h"
#include "engine/recording/unpack_budget.h"

namespace tapescope::record {

struct ReaderOptions {
  bool follow = false;    // the end of a file is where it waits for more, until the last chunk came
  bool translate = true;  // ids become this process's; else they stay the file's
  // Where a file has digests they stand for all steps but the first and the last 64 (16 of a rank among
  // many), whose events are read. What they stand for is not looked at: whether it is damaged remains
  // unknown.
  bool digests = false;
  bool tail = true;  // where a file has no last chunk it goes on in its tail (tail.h)
};

class RecordingReader {
 public:
  // What next() found; the member of that name holds it.
  enum class Item : std::uint8_t {
    facts,
    events,
    statistics,
    results,
    values,
    finished,  // `finished`: the last chunk, summary() is complete
    other,     // a chunk of a newer minor version
    waiting,   // nothing more for now
    end,       // nothing more ever: loss() says whether that is all
  };

  // "-" is standard input. Throws Error (surroundings) when it cannot be opened, is no recording, or is of a
  // newer major version.
  static RecordingReader open(const std::string& path, ReaderOptions options = {});
  // Owns the descriptor. `name` is for sentences. A descriptor that does not block waits instead of ending.
  RecordingReader(int descriptor, std::string name, ReaderOptions options);
  ~RecordingReader();
  RecordingReader(RecordingReader&& other) noexcept;  // before the first next() alone
  RecordingReader& operator=(RecordingReader&&) = delete;

  // Throws Error (surroundings) for what is no recording or of a newer major version.
  Item next();
  // Does what next() does first; false while there are too few bytes.
  bool check_header();

  const ProgramFacts& facts() const { return facts_; }  // so far
  EventBlock& events() { return block_; }
  const std::vector<StatsEntry>& statistics() const { return statistics_; }
  const ProgramResults& results() const { return results_; }
  StepFrames& values() { return values_; }
  const EndSummary& summary() const { return summary_; }
  // How the program ended, where what was read so far says so.
  const std::optional<Ending>& ending() const { return ending_; }

  // One sentence when not everything could be read; empty when it could.
  const std::string& loss() const { return loss_; }
  // What loss() would be if nothing more came.
  std::string loss_if_over() const;
  bool whole() const { return finished_ && loss_.empty(); }
  // Whether bytes are wrong; what follows them is not read.
  bool damaged() const { return damaged_; }
  // Whether the last chunk was read: nothing is missing that the program left.
  bool has_end() const { return finished_; }
  std::uint64_t position() const { return position_; }  // bytes of whole chunks so far
  // Of them, those that the recording's tail holds.
  std::uint64_t position_in_tail() const { return in_tail_ ? position_ - tail_begins_ : 0; }
  std::uint64_t events_read() const { return events_read_; }
  std::uint64_t chunks_read() const { return next_number_; }

 private:
  enum class Fetch : std::uint8_t { there, waiting, end };
  Fetch fetch(std::size_t size);
  std::span<const std::uint8_t> fetched(std::size_t size) const { return {buffer_.data() + begin_, size}; }
  Item take();
  Item stop(std::string why);
  Item stop_at_damage();
  bool is_too_large() const;
  bool define();
  void find_ending();
  Item cut_off();
  bool go_on_in_tail();
  void look_for_digests();
  bool is_digested() const;
  void pass_over();
  void end_chunk();
  void fit_ticks();
  void scale_ticks();

  int descriptor_ = -1;
  std::string name_;
  ReaderOptions options_;
  Bytes buffer_;
  std::size_t begin_ = 0, end_ = 0;  // of the bytes in it that were not taken yet
  bool in_tail_ = false;
  std::uint64_t tail_begins_ = 0;
  bool looked_for_digests_ = false;
  bool have_header_ = false, have_chunk_ = false, finished_ = false, ended_ = false, damaged_ = false;
  FileVersion version_;
  ChunkHeader header_;
  std::uint64_t position_ = 0, next_number_ = 0, events_read_ = 0, unknown_ = 0;
  Bytes raw_;
  UnpackBudget budget_;
  OlderRecords older_;
  Translator translator_;
  double tick_scale_ = 1;
  std::uint64_t first_ticks_ = 0;
  std::vector<bool> digested_;  // by number of a chunk (digested.h)
  ProgramFacts facts_;
  EventBlock block_;
  std::vector<StatsEntry> statistics_;
  ProgramResults results_;
  StepFrames values_;
  EndSummary summary_;
  std::optional<Ending> ending_;
  std::string loss_;
};

}  // namespace tapescope::record
