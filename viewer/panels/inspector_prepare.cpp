// Gathers what the inspector says.
#include <algorithm>
#include <fmt/format.h>

#include "viewer/app/widgets.h"
#include "viewer/panels/inspector.h"

namespace tapescope::ui {
namespace {

void add_tensors(Inspection& inspection, const char* heading, const std::vector<FrameTensor>& tensors) {
  constexpr std::size_t kMost = 8;  // an op with more of them is looked at one by one
  for (std::size_t i = 0; i < std::min(tensors.size(), kMost); ++i) {
    if (tensors[i].value && tensors[i].value.dtype() == DType::resource) continue;  // a variable's handle has no elements
    InspectedTensor shown{tensors.size() > 1 ? fmt::format("{} {}", heading, i + 1) : heading, tensors[i].name,
                          tensors[i].value, make_tensor_picture(tensors[i].value)};
    inspection.tensors.push_back(std::move(shown));
  }
}

std::string name_of_input(const StepView& view, const OpRow& row, std::uint32_t slot) {
  const std::uint32_t producer = view.producers[row.first_input + slot];
  if (producer != kNoOp) {
    const OpRow& made_by = view.ops[producer];
    return made_by.tensor_name.empty() ? made_by.name : std::string(made_by.tensor_name);
  }
  const VariableRow* variable = view.variable(view.inputs[row.first_input + slot]);
  return variable != nullptr ? std::string(variable->name) : fmt::format("input {}", slot + 1);
}

std::string shape_of_input(const OpRow& row, std::uint32_t slot) {
  std::string_view types = row.types;
  for (std::uint32_t i = 0; i < slot; ++i) {
    const std::size_t next = types.find(" · ");
    if (next == std::string_view::npos) return {};
    types.remove_prefix(next + std::string_view(" · ").size());
  }
  return std::string(types.substr(0, types.find(" · ")));
}

}  // namespace

Inspection inspect_op(const StepAtCursor& step, std::uint32_t op, const FrameView* frame) {
  Inspection inspection;
  if (step.view == nullptr || op >= step.view->ops.size()) return inspection;
  const StepView& view = *step.view;
  const OpRow& row = step.row(op);
  inspection.kind = Inspection::Kind::op;
  inspection.op = op;
  const bool backward = row.direction == Direction::backward || (frame != nullptr && frame->frame.backward);
  inspection.title = std::string(row.op);
  double us = row.duration_us, flops = row.flops;
  if (frame != nullptr && frame->frame.backward && row.direction != Direction::backward) {
    inspection.subtitle = "backward of " + row.name;
    if (row.backward_step != kNoOp) {
      const BackwardStep& walk = view.backward_steps[row.backward_step];
      us = walk.duration_us;
      flops = 0;
      for (std::uint32_t i = walk.first_op; i < walk.first_op + walk.ops; ++i) flops += view.ops[i].flops;
    }
  } else if (row.partner != kNoOp) {
    inspection.subtitle = "backward of " + view.ops[row.partner].name;
  } else {
    inspection.subtitle = row.name;
  }
  if (inspection.subtitle == inspection.title) inspection.subtitle.clear();  // a name that says nothing more
  inspection.location = std::string(row.location);
  inspection.chips.emplace_back("time", format_us(us));
  inspection.chips.emplace_back("FLOP", flops > 0 ? format_count(flops) : "–");
  inspection.chips.emplace_back("GFLOP/s", flops > 0 && us > 0 ? fmt::format("{:.3g}", flops / us / 1e3) : "–");
  inspection.chips.emplace_back("of step", view.step_us > 0 ? format_percent(us / view.step_us) : "–");

  if (frame != nullptr) {
    if (frame->frame.backward) {
      add_tensors(inspection, "cotangent in", frame->frame.cotangents_in);
      add_tensors(inspection, "cotangent out", frame->frame.cotangents_out);
    } else {
      add_tensors(inspection, "output", frame->frame.outputs);
    }
  }
  // What it reads: of a backward op what its forward op saved.
  const bool from_frame = frame != nullptr;
  inspection.inputs_heading = backward ? "used from the forward pass" : "inputs";
  if (from_frame) {
    for (const FrameTensor& tensor : frame->frame.inputs) {
      InspectedInput input{tensor.name.empty() ? "unnamed" : tensor.name, {}, {}};
      if (tensor.value) {
        input.shape = shape_text(tensor.value.shape());
        const auto made_by = view.op_of_tensor(tensor.value.id());
        if (tensor.name.empty() && made_by != kNoOp) input.name = view.ops[made_by].name;
        input.note = made_by != kNoOp ? fmt::format("op {}, {}", made_by, format_bytes(static_cast<double>(tensor.value.bytes())))
                                      : format_bytes(static_cast<double>(tensor.value.bytes()));
      }
      inspection.inputs.push_back(std::move(input));
    }
  } else {
    for (std::uint32_t slot = 0; slot < row.inputs; ++slot) {
      const std::uint32_t producer = view.producers[row.first_input + slot];
      InspectedInput input{name_of_input(view, row, slot), shape_of_input(row, slot), {}};
      if (producer != kNoOp) {
        const OpRow& made_by = view.ops[producer];
        input.note = fmt::format("op {}, {}", producer, format_bytes(static_cast<double>(made_by.output_bytes)));
        if (row.direction == Direction::backward && made_by.direction == Direction::forward) input.note = "saved, " + input.note;
      }
      inspection.inputs.push_back(std::move(input));
    }
    if (row.direction == Direction::backward) inspection.inputs_heading = "inputs";
  }
  const auto fact = [&](const char* key, std::string value) {
    if (!value.empty()) inspection.facts.emplace_back(key, std::move(value));
  };
  fact("output", fmt::format("{} {}", row.output_type, row.dtype));
  fact("scope", std::string(row.scope));
  fact("runs", std::string(name_of(row.direction)));
  if (row.direction == Direction::forward) fact("recorded", row.recorded ? "yes" : "no");
  if (!row.recorded) fact("because", std::string(row.not_recorded));
  if (row.saved_bytes > 0) fact("saved for backward", format_bytes(static_cast<double>(row.saved_bytes)));
  if (row.bytes > 0) fact("bytes moved", format_bytes(row.bytes));
  if (row.direction == Direction::forward && row.backward_step != kNoOp && row.backward_step < view.backward_steps.size()) {
    const double back = view.backward_steps[row.backward_step].duration_us;
    fact("backward", format_us(back));
    if (row.duration_us > 0) fact("backward / forward", fmt::format("{:.2f}", back / row.duration_us));
  }
  fact("thread", fmt::format("{}", row.thread));
  return inspection;
}

Inspection inspect_inside(const FrameView& view) {
  const Frame& frame = view.frame;
  Inspection inspection;
  inspection.kind = Inspection::Kind::op;
  inspection.title = std::string(op_name_text(frame.op));
  inspection.subtitle = fmt::format("op {} inside op {}", frame.inner, frame.cursor + 1);
  inspection.location = location_text(site_with_id(frame.site));
  add_tensors(inspection, "output", frame.outputs);
  inspection.inputs_heading = "inputs";
  for (const FrameTensor& tensor : frame.inputs) {
    InspectedInput input{tensor.name.empty() ? "unnamed" : tensor.name, {}, {}};
    if (tensor.value) {
      input.shape = shape_text(tensor.value.shape());
      input.note = format_bytes(static_cast<double>(tensor.value.bytes()));
    }
    inspection.inputs.push_back(std::move(input));
  }
  return inspection;
}

Inspection inspect_source(const GradientRow& row, const Tensor& gradient) {
  Inspection inspection;
  inspection.kind = Inspection::Kind::source;
  inspection.title = "d " + row.source;
  inspection.subtitle = row.target.empty() ? "gradient" : "gradient of " + row.target;
  inspection.location = row.location;
  inspection.message = row.message;
  inspection.fix = row.fix;
  inspection.norms = row.norms;
  const bool has_value = row.status != GradientStatus::none;
  inspection.chips.emplace_back("status", row.status == GradientStatus::none ? "∅ None" : std::string(name_of(row.status)));
  if (row.has_stats && has_value) {
    inspection.chips.emplace_back("norm", format_value(row.norm));
    inspection.chips.emplace_back("zeros", format_percent(row.zero_share));
    inspection.chips.emplace_back("step", fmt::format("{}", row.step));
    inspection.facts.emplace_back("mean", format_value(row.mean));
    inspection.facts.emplace_back("min", format_value(row.min));
    inspection.facts.emplace_back("max", format_value(row.max));
    inspection.facts.emplace_back("not finite", fmt::format("{}", row.nonfinite));
  }
  if (gradient) {
    inspection.tensors.push_back({"gradient", "d " + row.source, gradient, make_tensor_picture(gradient)});
    inspection.facts.clear();  // the picture tells them
  }
  if (!row.reason.empty()) inspection.facts.emplace_back("reason", row.reason);
  for (const PathItem& item : row.path) inspection.inputs.push_back({item.name, item.op, item.location});
  if (!inspection.inputs.empty()) inspection.inputs_heading = "the way from the target";
  return inspection;
}

}  // namespace tapescope::ui
