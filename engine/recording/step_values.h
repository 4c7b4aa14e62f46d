// The values of a step's places in a recording: which steps keep theirs, how much of them, and their chunks.
#pragma once
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/recording/container.h"
#include "engine/recording/frame_codec.h"

namespace tapescope::record {

// Which steps keep their values: a list with commas of `first`, `last`, `every:N` and numbers of steps from
// 1; or `none`. With `only:PART` in it tensors and variables are kept whole that have PART in their name; of
// others there are statistics and a sample.
struct ValueRule {
  bool last = false;
  std::uint64_t every = 0;        // the first of every so many; 0: none
  std::set<std::uint64_t> steps;  // from 0
  std::vector<std::string> only;

  // Throws Error (value) that says what is expected.
  static ValueRule parse(std::string_view text);
  bool wants(std::uint64_t step) const { return steps.contains(step) || (every > 0 && step % every == 0); }
  bool empty() const { return !last && every == 0 && steps.empty(); }
  // In order, of a run of `count` steps.
  std::vector<std::uint64_t> steps_of(std::uint64_t count) const;
};

inline constexpr double kDefaultMegabytes = 1;  // of values, by default: a recording stays a small file

struct ValueOptions {
  ValueRule rule;
  std::uint64_t budget = 64u << 20;  // bytes of all values of a recording, before they are packed
  FrameLimits limits;

  // A tensor takes at most a sixteenth of the budget whole: what is larger would crowd out the step it stands
  // in.
  static ValueOptions of(ValueRule rule, double megabytes);
};

// The head of a chunk of values; frames follow. The chunks of a step are in order, and the last of them knows
// it whole.
struct StepValues {
  std::uint32_t program = 0;  // as in step_begin
  std::uint64_t step = 0;
  std::uint64_t nodes = 0;          // tape nodes of the step, forward and backward
  std::uint64_t forward_nodes = 0;  // of them
  std::uint64_t left_out = 0;       // places whose frames the budget had no room for
};

void write_step_values(ByteWriter& out, const StepValues& head);
bool read_step_values(ByteReader& in, StepValues& head);

// A chunk as it was read: it stays packed until its frames are shown.
struct StepFrames {
  StepValues head;
  ChunkHeader chunk;
  Bytes stored;

  // False where they are damaged.
  bool read(std::vector<KeptFrame>& frames) const;
};

// Gathers the frames of steps, up to a budget, into payloads of chunks.
class ValueKeeper {
 public:
  explicit ValueKeeper(const ValueOptions& options) : left_(options.budget), packer_(options.limits) {}
  void begin_step(std::uint32_t program, std::uint64_t step);
  void add(const Frame& frame);
  void end_step(std::uint64_t nodes, std::uint64_t forward_nodes);
  // Payloads of the steps that ended since the last call.
  std::vector<Bytes> take();
  std::uint64_t left_out() const { return all_left_out_; }

 private:
  void close_pack();

  std::uint64_t left_;
  FramePacker packer_;
  StepValues head_;
  std::vector<Bytes> packs_;  // of the step under way
  std::vector<Bytes> payloads_;
  std::uint64_t all_left_out_ = 0;
};

}  // namespace tapescope::record
