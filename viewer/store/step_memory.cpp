// Which buffers a step holds from when to when, worked out from ops alone: a buffer lives from the op that
// made it to its last reader, and what a recorded op saves lives until its backward step.
#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "engine/gate/op.h"
#include "viewer/store/step_parser.h"

namespace tapescope {
namespace {

struct Holder {
  StepView& view;
  std::unordered_map<TensorId, TensorId> base;         // of views, one hop
  std::unordered_map<TensorId, std::uint32_t> buffer;  // by base: into view.buffers

  TensorId base_of(TensorId tensor) const {
    const auto found = base.find(tensor);
    return found == base.end() ? tensor : found->second;
  }
  void hold(TensorId tensor, std::uint32_t until) {
    const auto found = buffer.find(base_of(tensor));
    if (found != buffer.end())
      view.buffers[found->second].to = std::max(view.buffers[found->second].to, until);
  }
};

std::int64_t bytes_of(const OpRow& row, std::uint32_t output) {
  return output == 0 && row.type ? row.type->bytes
         : row.outputs > 1       ? row.output_bytes / row.outputs
                                 : row.output_bytes;
}

// What is held from op to op, both included.
class Curve {
 public:
  explicit Curve(std::size_t ops) : change_(ops + 1, 0) {}
  void add(std::uint32_t from, std::uint32_t to, std::int64_t bytes) {
    change_[from] += bytes, change_[to + 1] -= bytes;
  }
  std::vector<std::int64_t> held() const {
    std::vector<std::int64_t> at(change_.size() - 1);
    std::int64_t now = 0;
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = now += change_[i];
    return at;
  }

 private:
  std::vector<std::int64_t> change_;
};

// The last op before which the recording that saved it is still there.
std::uint32_t end_of_saving(const StepView& view, const OpRow& row) {
  if (row.backward_step == kNoOp) return static_cast<std::uint32_t>(view.ops.size() - 1);
  const BackwardStep& step = view.backward_steps[row.backward_step];
  const std::uint32_t end = step.first_op + std::max(step.ops, 1u) - 1;
  return std::min(end, static_cast<std::uint32_t>(view.ops.size() - 1));
}

}  // namespace

void StepParser::memory() {
  StepView& view = view_;
  if (view.ops.empty()) return;
  Holder holder{view, {}, {}};
  std::unordered_map<OpNameId, const OpDef*> defs;
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    OpRow& row = view.ops[i];
    const auto [found, added] = defs.try_emplace(row.op_id, nullptr);
    if (added) found->second = find_op(row.op);
    const OpDef* def = found->second;
    for (TensorId input : view.inputs_of(row)) holder.hold(input, i);
    // A variable's read shares the variable's own elements.
    if (((def && (def->flags & OpDef::kView)) || (row.flags & OpRecord::kHandle)) && row.inputs > 0) {
      holder.base[row.output] = holder.base_of(view.inputs[row.first_input]);
    } else {
      for (std::uint32_t k = 0; k < row.outputs; ++k) {
        holder.buffer[row.output + k] = static_cast<std::uint32_t>(view.buffers.size());
        view.buffers.push_back(
            {row.output + k, bytes_of(row, k), i, i, kNoOp, false, type_of(row.output + k)});
      }
    }
  }
  struct Saving {
    std::uint32_t from, to;
    std::int64_t bytes;
  };
  std::unordered_map<TensorId, Saving> saved;
  const auto save = [&](TensorId base, std::uint32_t by, std::uint32_t until, std::int64_t bytes) {
    const auto found = saved.try_emplace(base, Saving{by, until, bytes}).first;
    found->second.to = std::max(found->second.to, until);
  };
  const auto keep = [&](OpRow& row, std::uint32_t by, TensorId tensor, std::uint32_t until) {
    const TensorId base = holder.base_of(tensor);
    const auto found = holder.buffer.find(base);
    if (found == holder.buffer.end()) {  // made outside of the step: the program holds it anyway
      // Of a variable from before anything was recorded only what was read of it is known.
      const Type* type = type_of(base);
      if (!type) type = type_of(tensor);
      if (!type) return;
      row.saved_bytes += type->bytes;
      save(base, by, until, type->bytes);
      holder.buffer[base] = static_cast<std::uint32_t>(view.buffers.size());
      view.buffers.push_back({base, type->bytes, by, until, by, true, type, name_given(base)});
      return;
    }
    BufferLife& life = view.buffers[found->second];
    // A buffer that an op before it keeps is counted there.
    (life.saved_by == kNoOp ? row.saved_bytes : row.shared_bytes) += life.bytes;
    life.to = std::max(life.to, until);
    if (life.saved_by == kNoOp) life.saved_by = by;
    save(base, by, until, life.bytes);
  };
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    OpRow& row = view.ops[i];
    const OpDef* def = defs[row.op_id];
    if (!row.recorded || !def || def->saves == 0) continue;
    const std::uint32_t until = end_of_saving(view, row);
    const auto inputs = view.inputs_of(row);
    for (std::uint32_t k = 0; k < inputs.size(); ++k) {
      if (def->saves & OpDef::in_bit(static_cast<int>(std::min(k, 15u)))) keep(row, i, inputs[k], until);
    }
    for (std::uint32_t k = 0; k < row.outputs; ++k) {
      if (def->saves & OpDef::out_bit(static_cast<int>(std::min(k, 15u))))
        keep(row, i, row.output + k, until);
    }
  }
  Curve live(view.ops.size()), held(view.ops.size());
  for (const BufferLife& life : view.buffers) live.add(life.from, life.to, life.bytes);
  for (const auto& [base, saving] : saved) held.add(saving.from, saving.to, saving.bytes);
  view.live_bytes = live.held();
  const auto peak = std::max_element(view.live_bytes.begin(), view.live_bytes.end());
  view.counts.peak_bytes = *peak;
  if (*peak > 0) view.peak_op = static_cast<std::uint32_t>(peak - view.live_bytes.begin());
  // What is computed again is saved once more when the rest is gone: together it is never there.
  const std::vector<std::int64_t> of_tapes = held.held();
  view.counts.saved_bytes = *std::max_element(of_tapes.begin(), of_tapes.end());
}

}  // namespace tapescope
