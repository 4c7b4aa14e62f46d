// Which op made the first value of a step that is not finite.
#include "viewer/debugger/nonfinite_origin.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/debug/gate.h"
#include "engine/gate/state.h"
#include "viewer/debugger/program.h"
#include "viewer/store/step_data.h"

namespace tapescope {
namespace {

// NaN first: where both were made at once it is what spreads.
std::string nonfinite_value(const Frame& frame) {
  std::string found;
  for (const FrameTensor& item : frame.backward ? frame.cotangents_out : frame.outputs) {
    if (!item.value || !is_floating(item.value.dtype())) continue;
    for (std::int64_t i = 0; i < item.value.numel(); ++i) {
      const double value = element(item.value, i);
      if (std::isfinite(value)) continue;
      if (std::isnan(value)) return "nan";
      if (found.empty()) found = value > 0 ? "inf" : "-inf";
    }
  }
  return found;
}

// The view of that step, else of the last one: steps of a program mostly look alike.
std::shared_ptr<const StepView> view_of_step(const Snapshot& snapshot, std::uint64_t step) {
  for (const auto& data : snapshot.held) {
    if (data->step == step) return make_step_view(*data);
  }
  return snapshot.complete;
}

void name_op(NonFiniteOrigin& origin, const StepView& view) {
  const std::uint32_t at_node = view.op_at_node(origin.node);
  if (at_node == kNoOp || view.ops[at_node].op != origin.op_type) return;
  const OpRow& op = view.ops[op_at(origin, view)];
  origin.op = op.name;
  origin.op_type = op.op;
}

}  // namespace

std::optional<NonFiniteOrigin> locate_nonfinite(const RunRequest& request, const std::string& variant,
                                                const Snapshot& snapshot, const std::stop_token& stop) {
  std::optional<std::uint64_t> step;
  for (const AlertRow& alert : snapshot.alerts) {
    if (alert.kind == "nonfinite" && (!step || alert.step < *step)) step = alert.step;
  }
  if (!step) return std::nullopt;
  const SampleInfo& info = find_sample(request.sample);
  SampleOptions options = request.options;
  options.variant = variant;
  Mute mute;
  Program program(info, checked_options(info, options), 0);
  program.go_to(*step, stop);
  if (stop.stop_requested()) return std::nullopt;

  std::optional<NonFiniteOrigin> found;
  DebugGate gate;
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    if (!found) {
      found.emplace();
      found->step = *step;
      found->node = static_cast<std::int64_t>(frame.cursor) - 1;
      found->backward = frame.backward;
      found->value = nonfinite_value(frame);
      found->op = found->op_type = op_name_text(frame.op);
      found->location = location_text(site_with_id(frame.site));
    }
    return DebugGate::Move{DebugGate::Move::Kind::abandon, 0};
  });
  gate.breakpoints().set({{.kind = Breakpoint::Kind::nonfinite}});
  gate.bind();
  gate.begin_step(DebugGate::kNever);
  try {
    program.run_step();
  } catch (const StepAbandoned&) {
  } catch (const Error&) {  // the run ended with it too
  }
  gate.unbind();
  if (!found) return std::nullopt;
  if (const auto view = view_of_step(snapshot, *step)) name_op(*found, *view);
  return found;
}

}  // namespace tapescope
