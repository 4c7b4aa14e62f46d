// Joins what a frame holds to the rows of the sources.
#include "viewer/debugger/arrived.h"

#include <algorithm>

namespace tapescope {
namespace {

// Which gradient call of the step the frame is in; kNoOp where that cannot be known.
std::uint32_t call_of(const Frame& frame, const StepView* view) {
  if (view == nullptr || !frame.backward || frame.cursor == 0) return kNoOp;
  std::uint32_t walk = kNoOp;
  view->op_at_node(static_cast<std::int64_t>(frame.cursor) - 1, &walk);
  return walk == kNoOp ? kNoOp : view->backward_steps[walk].call;
}

}  // namespace

std::vector<Arrived> arrived_at_sources(const Frame& frame) {
  std::vector<Arrived> all;
  for (std::uint32_t i = 0; i < frame.accumulated.size(); ++i) {
    const FrameTensor& item = frame.accumulated[i];
    auto at = std::find_if(all.rbegin(), all.rend(), [&](const Arrived& one) {
      return one.name == item.name && one.source == item.source && one.index == item.source_index;
    });
    if (at == all.rend()) {
      all.push_back({.name = item.name, .source = item.source, .index = item.source_index});
      at = all.rbegin();
    }
    at->items.push_back(i);
    if (item.value) at->parts.push_back(i);
  }
  for (Arrived& arrived : all) {
    RunningSum sum;
    bool adds = !arrived.parts.empty();
    for (const std::uint32_t part : arrived.parts) adds = adds && sum.add(frame.accumulated[part].value);
    if (adds) arrived.sum = sum.stats();
    else if (!arrived.parts.empty()) arrived.sum = tensor_stats(frame.accumulated[arrived.parts[0]].value);
  }
  return all;
}

const Arrived* arrived_at(std::span<const Arrived> all, const Frame& frame, const GradientRow& row,
                          const StepView* view) {
  const auto by_id = std::find_if(all.begin(), all.end(), [&](const Arrived& one) {
    return one.source != 0 && one.source == row.source_id;
  });
  if (by_id != all.end()) return &*by_id;
  const std::uint32_t call = call_of(frame, view);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Arrived& one) {
    if (one.name != row.name) return false;
    if (one.source == 0) return true;
    const bool known = view != nullptr && view->variable(one.source) != nullptr;
    return !known && one.index == row.index && (call == kNoOp || row.call == kNoOp || call == row.call);
  });
  return found == all.end() ? nullptr : &*found;
}

std::size_t place_among_namesakes(std::span<const SampleOutput> all, const SampleOutput& one) {
  std::vector<TensorId> earlier;
  for (const SampleOutput& other : all) {
    if (other.name == one.name && other.source < one.source) earlier.push_back(other.source);
  }
  std::sort(earlier.begin(), earlier.end());
  return static_cast<std::size_t>(std::unique(earlier.begin(), earlier.end()) - earlier.begin());
}

const SampleOutput* output_of(std::span<const SampleOutput> all, const GradientRow& row) {
  for (const SampleOutput& one : all) {
    if (one.source != 0 && one.source == row.source_id) return &one;
  }
  for (const SampleOutput& one : all) {
    if (one.name == row.source) return &one;
    if (one.name == row.name && numbered_name(one.name, place_among_namesakes(all, one)) == row.source)
      return &one;
  }
  return nullptr;
}

}  // namespace tapescope
