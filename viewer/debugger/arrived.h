// Gradients on their way: what has arrived at each source where a program stands.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/debug/frame.h"
#include "samples/sample.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

struct Arrived {
  std::vector<std::uint32_t> items;  // into Frame::accumulated
  std::vector<std::uint32_t> parts;  // those of them that are there
  std::string name;                  // as the program calls the source
  TensorId source = 0;               // 0: an older recording, which has only the name
  std::uint32_t index = 0;           // which source of the gradient call
  TensorStats sum;                   // of the parts; count 0 where nothing has arrived
};

// One for each source of the frame.
std::vector<Arrived> arrived_at_sources(const Frame& frame);

// What has arrived at the source of that row; null where the frame has nothing of it. `view` is of a step
// that looks like the frame's. Sources are the same where their ids are. A step that is replayed makes its
// tensors again: there the same place in the same gradient call stands for the same source.
const Arrived* arrived_at(std::span<const Arrived> all, const Frame& frame, const GradientRow& row,
                          const StepView* view);

// The value that belongs to the source of that row, by the same rule for those of one name.
const SampleOutput* output_of(std::span<const SampleOutput> all, const GradientRow& row);

// Of those in `all` that share the name of `one`, how many were made before it.
std::size_t place_among_namesakes(std::span<const SampleOutput> all, const SampleOutput& one);

}  // namespace tapescope
