// Finds the frames of ops, and gathers those of a step.
#include "viewer/debugger/kept_frames.h"

#include <algorithm>
#include <map>

namespace tapescope {
namespace {

// Tape nodes that have run when the op runs, and whether it is the next one.
std::vector<std::int64_t> nodes_before(const StepView& view) {
  std::vector<std::int64_t> before(view.ops.size(), 0);
  std::int64_t done = 0;
  for (std::size_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& row = view.ops[i];
    if (row.direction == Direction::backward && row.backward_step < view.backward_steps.size()) {
      const std::int64_t node = view.backward_steps[row.backward_step].node;
      before[i] = std::max<std::int64_t>(node, 0);
      done = std::max(done, node + 1);
    } else if (row.node >= 0) {
      before[i] = row.node;
      done = std::max<std::int64_t>(done, row.node + 1);
    } else {
      // The call of a function is a node, and is counted behind what it runs.
      const bool called = row.call < view.ops.size() && view.ops[row.call].node >= 0;
      before[i] = called ? view.ops[row.call].node : done;
    }
  }
  return before;
}

bool same_op(const FrameView& frame, const OpRow& row) { return op_name_text(frame.frame.op) == row.op; }

}  // namespace

std::vector<OpFrames> frames_of_ops(const StepView& view, const KeptFrames& kept) {
  std::vector<OpFrames> found(view.ops.size());
  if (view.ops.empty()) return found;
  std::map<std::int64_t, std::uint32_t> nodes;                 // frames of nodes
  std::map<std::int64_t, std::vector<std::uint32_t>> between;  // those of ops inside, by nodes before them
  for (std::uint32_t i = 0; i < kept.frames.size(); ++i) {
    const Frame& frame = kept.frames[i]->frame;
    const auto cursor = static_cast<std::int64_t>(frame.cursor);
    if (frame.inner == 0) nodes[cursor - 1] = i;
    else between[cursor].push_back(i);
  }
  const auto frame_of = [&](std::int64_t node) {
    const auto place = nodes.find(node);
    return place == nodes.end() ? kNoFrame : place->second;
  };
  const std::vector<std::int64_t> before = nodes_before(view);
  const std::uint32_t home = view.ops.front().thread;
  std::map<std::int64_t, std::size_t> taken;  // frames of `between` that are some op's
  for (std::size_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& row = view.ops[i];
    const bool walked =
        row.direction == Direction::backward && row.backward_step < view.backward_steps.size();
    if (walked) found[i].walk = frame_of(view.backward_steps[row.backward_step].node);
    if (!walked && row.node >= 0) {
      const std::uint32_t frame = frame_of(row.node);
      if (frame != kNoFrame && same_op(*kept.frames[frame], row)) found[i].run = frame;
      continue;
    }
    const auto inside = between.find(before[i]);
    if (inside == between.end() || row.thread != home) continue;
    std::size_t& next = taken[before[i]];
    // An op that was not looked at takes none; a frame whose op is not in the view is passed by.
    for (std::size_t at = next; at < inside->second.size(); ++at) {
      if (!same_op(*kept.frames[inside->second[at]], row)) continue;
      found[i].run = inside->second[at];
      next = at + 1;
      break;
    }
  }
  return found;
}

std::shared_ptr<const KeptFrames> with_place(const KeptFrames* former,
                                             const std::shared_ptr<const FrameView>& place) {
  constexpr std::size_t kMost = 1u << 12;  // stops by hand in one step
  const auto where = [](const FrameView& view) { return TapePlace(view.frame.cursor, view.frame.inner); };
  auto kept = std::make_shared<KeptFrames>();
  kept->step = place->step;
  if (former != nullptr && former->step == place->step && former->frames.size() < kMost)
    kept->frames = former->frames;
  const auto at =
      std::lower_bound(kept->frames.begin(), kept->frames.end(), where(*place),
                       [&](const auto& known, const TapePlace& wanted) { return where(*known) < wanted; });
  if (at != kept->frames.end() && where(**at) == where(*place)) *at = place;
  else kept->frames.insert(at, place);
  return kept;
}

void FrameReader::begin_step(std::uint64_t step) {
  kept_->step = step;
  kept_->all_ops = true;
}

void FrameReader::visit(const Frame& frame) {
  std::uint64_t bytes = 0;
  for (const auto* list : {&frame.inputs, &frame.outputs, &frame.cotangents_in, &frame.cotangents_out}) {
    for (const FrameTensor& item : *list) {
      if (item.value && item.value.raw() != nullptr && counted_.insert(item.value.impl()).second)
        bytes += static_cast<std::uint64_t>(item.value.bytes());
    }
  }
  if (bytes > left_ || kept_->left_out > 0) {
    ++kept_->left_out;
    return;
  }
  left_ -= bytes;
  auto view = std::make_shared<FrameView>();
  view->frame = frame;
  view->frame.accumulated.clear();  // sums of whole sources at each node: no op's own
  view->reason = StopReason::target;
  view->step = kept_->step;
  view->cursor = frame.cursor;
  frames_.push_back(std::move(view));
}

void FrameReader::end_step(std::uint64_t nodes, std::uint64_t forward_nodes) {
  for (const auto& frame : frames_) {
    frame->cursor_count = nodes;
    frame->forward_count = forward_nodes;
    kept_->frames.push_back(frame);
  }
  frames_.clear();
  counted_.clear();
  const std::lock_guard lock(mutex_);
  done_ = std::move(kept_);
}

std::shared_ptr<const KeptFrames> FrameReader::take() const {
  const std::lock_guard lock(mutex_);
  return done_;
}

}  // namespace tapescope
