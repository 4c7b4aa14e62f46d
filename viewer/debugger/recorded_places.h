// Walks through the values of a recording as one steps through a program: the same moves, the same frames.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/recording/step_values.h"
#include "viewer/debugger/kept_frames.h"

namespace tapescope {

class RecordedPlaces {
 public:
  using Chunks = std::vector<std::shared_ptr<const record::StepFrames>>;

  // What was read so far; grows while a recording is followed. Those of program A are shown.
  void update(const Chunks& chunks);
  bool empty() const { return steps_.empty(); }
  // Where one stands; null at rest.
  const std::shared_ptr<const FrameView>& frame() const { return frame_; }
  void leave() { frame_.reset(); }

  // The values of that step's ops; null where it has none.
  std::shared_ptr<const KeptFrames> kept(std::uint64_t step);
  // Why there are none of that step, or not of each op.
  std::string why_not(std::uint64_t step) const;

  // The moves of RunControl. Each returns why it could not be made, empty when it was; one stays where one
  // was then. From rest those that go on begin before the first step that has values; others are in the last
  // one, at its end.
  std::string seek(std::uint64_t node);
  std::string step_nodes(std::int64_t nodes);
  std::string step_into();
  std::string step_training(std::uint64_t steps);
  std::string run_to_op(std::string_view op);  // the next place of such an op
  std::string go_to(std::uint64_t step, TapePlace place);

 private:
  struct Step {
    record::StepValues head;
    Chunks chunks;
  };
  const Step* find(std::uint64_t step) const;
  std::shared_ptr<FrameView> view_of(const record::KeptFrame& kept) const;
  // Unpacks the step's frames; what is wrong with them.
  std::string open(std::uint64_t step);
  // The first frame at the place or after it; null behind the last.
  const record::KeptFrame* at(TapePlace place) const;
  std::string show(std::uint64_t step, TapePlace place);
  // There are steps.
  const Step& first() const { return frame_ ? *find(frame_->step) : steps_.front(); }
  const Step& last() const { return frame_ ? *find(frame_->step) : steps_.back(); }

  std::size_t read_ = 0;  // chunks
  std::vector<Step> steps_;
  std::uint64_t opened_step_ = 0;
  std::size_t opened_chunks_ = 0;
  std::vector<record::KeptFrame> frames_;  // of the opened step
  std::shared_ptr<const FrameView> frame_;
  std::shared_ptr<const KeptFrames> kept_;  // of the opened step; null until it was asked for
};

}  // namespace tapescope
