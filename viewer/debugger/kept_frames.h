// The values of a step's ops, as far as they are kept: read by running the step once more, taken from a
// recording, or seen where a program stood.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "viewer/debugger/keep_frames.h"
#include "viewer/debugger/run_control.h"

namespace tapescope {

struct KeptFrames {
  std::uint64_t step = 0;
  std::vector<std::shared_ptr<const FrameView>> frames;  // in the order of their places
  std::uint64_t left_out = 0;                            // places that there was no room for
  bool all_ops = false;  // ops that no tape recorded were looked at too, those of backward steps included
};

inline constexpr std::uint32_t kNoFrame = 0xffffffffu;

// Why an op has none where a program that cannot go back stands behind it.
inline constexpr std::string_view kRanBefore =
    "it ran before the program was stopped in this step; stop earlier in the next one";

// Which of the frames show an op: indices, or kNoFrame.
struct OpFrames {
  std::uint32_t run = kNoFrame;   // its inputs and outputs
  std::uint32_t walk = kNoFrame;  // of a backward op: the cotangents of the step that ran it
};

// One for each op of the view, which may be of another run of the same step: an op is found by its place, and
// between two tape nodes by its type and order.
std::vector<OpFrames> frames_of_ops(const StepView& view, const KeptFrames& kept);

// Those of `former`, where it is of the same step, and one more; what stood at its place before goes.
std::shared_ptr<const KeptFrames> with_place(const KeptFrames* former,
                                             const std::shared_ptr<const FrameView>& place);

// Gathers the frames of one step in memory. Tensors are shared with the program, and copied only where it
// writes into them later.
class FrameReader final : public StepVisitor {
 public:
  // `most_bytes` of tensors; what comes later is left out.
  explicit FrameReader(std::uint64_t most_bytes) : left_(most_bytes) {}
  void begin_step(std::uint64_t step) override;
  void visit(const Frame& frame) override;
  void end_step(std::uint64_t nodes, std::uint64_t forward_nodes) override;
  // Null until the step has ended. Any thread.
  std::shared_ptr<const KeptFrames> take() const;

 private:
  std::uint64_t left_;
  std::vector<std::shared_ptr<FrameView>> frames_;
  std::shared_ptr<KeptFrames> kept_ = std::make_shared<KeptFrames>();
  std::unordered_set<const TensorImpl*> counted_;
  mutable std::mutex mutex_;
  std::shared_ptr<const KeptFrames> done_;
};

}  // namespace tapescope
