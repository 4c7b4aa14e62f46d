// Names buffers by what they hold, not by who reads them.
#include "viewer/model/held_buffers.h"

#include <fmt/format.h>

#include <algorithm>

#include "viewer/store/step_texts.h"

namespace tapescope {
namespace {

HeldBuffer held_buffer(const StepView& view, const BufferLife& life) {
  HeldBuffer buffer{.bytes = life.bytes, .saved_by = life.saved_by, .from = life.from, .to = life.to};
  if (life.type) buffer.type = fmt::format("{} {}", shape_text(life.type->shape), name_of(life.type->dtype));
  if (const VariableRow* variable = view.variable(life.tensor)) {
    buffer.name = variable->name;
  } else if (life.outside) {
    buffer.name = life.name != 0 ? std::string(name_text(life.name)) : "an input";
  } else {
    buffer.maker = life.from;
    const OpRow& row = view.ops[life.from];
    buffer.name =
        row.tensor_name.empty() || row.output != life.tensor ? row.name : std::string(row.tensor_name);
    if (row.output != life.tensor) buffer.name += fmt::format(", output {}", life.tensor - row.output + 1);
  }
  return buffer;
}

}  // namespace

std::string maker_text(const StepView& view, const HeldBuffer& buffer) {
  if (buffer.maker != kNoOp) return view.ops[buffer.maker].name;
  const bool variable = std::any_of(view.variables.begin(), view.variables.end(),
                                    [&](const VariableRow& row) { return row.name == buffer.name; });
  return variable ? "a variable" : "made before the step";
}

std::vector<HeldBuffer> buffers_at_peak(const StepView& view) {
  std::vector<HeldBuffer> buffers;
  if (view.peak_op == kNoOp) return buffers;
  for (const BufferLife& life : view.buffers) {
    if (life.from <= view.peak_op && life.to >= view.peak_op && life.bytes > 0 && life.from < view.ops.size())
      buffers.push_back(held_buffer(view, life));
  }
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const HeldBuffer& a, const HeldBuffer& b) { return a.bytes > b.bytes; });
  return buffers;
}

bool any_saver(const std::vector<HeldBuffer>& buffers) {
  return std::any_of(buffers.begin(), buffers.end(),
                     [](const HeldBuffer& buffer) { return buffer.saved_by != kNoOp; });
}

}  // namespace tapescope
