// Finds the frame of a place among those that were kept.
#include "viewer/debugger/recorded_places.h"

#include <fmt/format.h>

#include <algorithm>

namespace tapescope {
namespace {

constexpr const char* kNoValues =
    "the recording holds no values to step through: `tapescope gui --launch -- PROGRAM` stops with values in "
    "the program as it runs; of a sample, `run` runs it again and `tapescope run NAME --record FILE` keeps "
    "those of the last step";

// Of a step's frames, all tensors that they share counted once.
constexpr std::uint64_t kMostStepBytes = std::uint64_t{2} << 30;

std::uint64_t bytes_of(const record::StepFrames& chunk, const std::vector<record::KeptFrame>& frames) {
  std::uint64_t sum = chunk.chunk.raw_size + frames.size() * sizeof(record::KeptFrame);
  for (const record::KeptFrame& kept : frames) {
    sum += kept.digests.size() * sizeof(record::PlacedDigest);
    for (const auto* list : {&kept.frame.inputs, &kept.frame.outputs, &kept.frame.cotangents_in,
                             &kept.frame.cotangents_out, &kept.frame.accumulated}) {
      for (const FrameTensor& item : *list) sum += sizeof item + item.name.size();
    }
  }
  return sum;
}

TapePlace place_of(const Frame& frame) { return {frame.cursor, frame.inner}; }

}  // namespace

void RecordedPlaces::update(const Chunks& chunks) {
  for (; read_ < chunks.size(); ++read_) {
    const record::StepValues& head = chunks[read_]->head;
    if (head.program != 0) continue;
    const auto place =
        std::lower_bound(steps_.begin(), steps_.end(), head.step,
                         [](const Step& step, std::uint64_t wanted) { return step.head.step < wanted; });
    if (place != steps_.end() && place->head.step == head.step) {
      place->head = head;
      place->chunks.push_back(chunks[read_]);
    } else {
      steps_.insert(place, {head, {chunks[read_]}});
    }
  }
}

const RecordedPlaces::Step* RecordedPlaces::find(std::uint64_t step) const {
  for (const Step& known : steps_) {
    if (known.head.step == step) return &known;
  }
  return nullptr;
}

std::string RecordedPlaces::why_not(std::uint64_t step) const {
  if (steps_.empty()) {
    return fmt::format(
        "the recording keeps none; recorded again with --values {} (of a sample --record-values {}) it keeps "
        "those of this step",
        step + 1, step + 1);
  }
  if (const Step* known = find(step)) {
    return known->head.left_out > 0
               ? "the budget for values was used up; record with a larger --record-budget"
               : "";
  }
  std::string others;
  for (const Step& other : steps_)
    others += fmt::format("{}{}", others.empty() ? "" : ", ", other.head.step + 1);
  return fmt::format("the recording holds no values of step {}, but of {}", step + 1, others);
}

std::string RecordedPlaces::open(std::uint64_t step) {
  if (steps_.empty()) return kNoValues;
  const Step* known = find(step);
  if (!known) return why_not(step);
  if (opened_chunks_ > 0 && opened_step_ == step && opened_chunks_ == known->chunks.size()) return {};
  frames_.clear();
  kept_.reset();
  opened_chunks_ = 0;
  std::uint64_t bytes = 0;
  for (const auto& chunk : known->chunks) {
    std::vector<record::KeptFrame> more;
    if (!chunk->read(more))
      return fmt::format("the values of step {} cannot be read: their writer broke off or was wrong",
                         step + 1);
    bytes += bytes_of(*chunk, more);
    if (bytes > kMostStepBytes)
      return fmt::format("the values of step {} take more than 2 GiB; record with a smaller --record-budget",
                         step + 1);
    frames_.insert(frames_.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
  // Others may write them in any order.
  std::stable_sort(frames_.begin(), frames_.end(),
                   [](const record::KeptFrame& a, const record::KeptFrame& b) {
                     return place_of(a.frame) < place_of(b.frame);
                   });
  opened_step_ = step;
  opened_chunks_ = known->chunks.size();
  return {};
}

const record::KeptFrame* RecordedPlaces::at(TapePlace place) const {
  const auto found = std::lower_bound(
      frames_.begin(), frames_.end(), place,
      [](const record::KeptFrame& kept, TapePlace wanted) { return place_of(kept.frame) < wanted; });
  return found == frames_.end() ? nullptr : &*found;
}

// Without what has arrived at sources, and how many places there are.
std::shared_ptr<FrameView> RecordedPlaces::view_of(const record::KeptFrame& kept) const {
  auto view = std::make_shared<FrameView>();
  view->frame = kept.frame;
  view->hash = kept.hash;
  view->digests = kept.digests;
  view->foreign = true;
  view->reason = StopReason::target;
  view->step = opened_step_;
  view->cursor = kept.frame.cursor;
  return view;
}

std::shared_ptr<const KeptFrames> RecordedPlaces::kept(std::uint64_t step) {
  if (find(step) == nullptr || !open(step).empty()) return nullptr;
  if (kept_) return kept_;
  auto kept = std::make_shared<KeptFrames>();
  kept->step = step;
  kept->left_out = find(step)->head.left_out;
  for (const record::KeptFrame& frame : frames_) kept->frames.push_back(view_of(frame));
  kept_ = std::move(kept);
  return kept_;
}

std::string RecordedPlaces::show(std::uint64_t step, TapePlace place) {
  if (std::string wrong = open(step); !wrong.empty()) return wrong;
  const record::StepValues& head = find(step)->head;
  std::shared_ptr<FrameView> view;
  if (place > TapePlace()) {
    const record::KeptFrame* kept = at(place);
    if (!kept) {
      return fmt::format(
          "the recording has no values of op {} of step {}: its budget for them was used up, record with a "
          "larger --record-budget",
          place.node, step + 1);
    }
    view = view_of(*kept);
    view->arrived = arrived_at_sources(view->frame);
  } else {
    view = view_of({});
    view->hash = view->frame.hash();
  }
  view->cursor_count = head.nodes;
  view->forward_count = head.forward_nodes;
  frame_ = std::move(view);
  return {};
}

std::string RecordedPlaces::go_to(std::uint64_t step, TapePlace place) { return show(step, place); }

std::string RecordedPlaces::seek(std::uint64_t node) {
  if (steps_.empty()) return kNoValues;
  const record::StepValues& head = last().head;
  return show(head.step, std::min(node, head.nodes));
}

std::string RecordedPlaces::step_nodes(std::int64_t nodes) {
  if (steps_.empty()) return kNoValues;
  const record::StepValues& head = (nodes < 0 ? last() : first()).head;
  const auto count = static_cast<std::int64_t>(head.nodes);
  // Behind the last place one back shows it.
  std::int64_t here = frame_ ? static_cast<std::int64_t>(frame_->cursor) : nodes < 0 ? count + 1 : 0;
  // Inside a node the way back is first to where the node began.
  if (frame_ && nodes < 0 && frame_->frame.inner > 0) ++here;
  return show(head.step, static_cast<std::uint64_t>(std::clamp<std::int64_t>(here + nodes, 0, count)));
}

std::string RecordedPlaces::step_into() {
  if (steps_.empty()) return kNoValues;
  const record::StepValues& head = first().head;
  const TapePlace here = frame_ ? place_of(frame_->frame) : TapePlace();
  return show(head.step, here.node < head.nodes ? TapePlace(here.node, here.inner + 1) : here);
}

std::string RecordedPlaces::step_training(std::uint64_t steps) {
  if (steps_.empty()) return kNoValues;
  const std::uint64_t to = frame_ ? frame_->step + steps : first().head.step;
  if (std::string wrong = open(to); !wrong.empty()) return wrong;
  return show(to, std::min(frame_ ? frame_->cursor : 1, find(to)->head.nodes));
}

std::string RecordedPlaces::run_to_op(std::string_view op) {
  if (steps_.empty()) return kNoValues;
  const std::uint64_t step = first().head.step;
  if (std::string wrong = open(step); !wrong.empty()) return wrong;
  const TapePlace here = frame_ ? place_of(frame_->frame) : TapePlace();
  for (const record::KeptFrame& kept : frames_) {
    if (place_of(kept.frame) > here && op_name_text(kept.frame.op) == op)
      return show(step, place_of(kept.frame));
  }
  return fmt::format("no {} comes in what the recording keeps of step {}", op, step + 1);
}

}  // namespace tapescope
