// Gathers what the inspector says.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "viewer/model/contributions.h"
#include "viewer/model/machine_roof.h"
#include "viewer/model/value_figures.h"
#include "viewer/panels/inspector.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

using List = record::PlacedDigest::List;

void add_tensors(Inspection& inspection, const char* heading, const FrameView& view, List list,
                 const std::vector<FrameTensor>& tensors) {
  constexpr std::size_t kMost = 8;  // an op with more of them is looked at one by one
  for (std::size_t i = 0; i < std::min(tensors.size(), kMost); ++i) {
    if (tensors[i].value && tensors[i].value.dtype() == DType::resource)
      continue;  // a variable's handle has no elements
    if (const record::TensorDigest* digest = record::digest_of(view.digests, list, i);
        digest && digest->stats.type) {
      // What a recording or a program elsewhere had no room for in full.
      const TensorStats& s = digest->stats;
      const ValueFigures of = figures_of(s);
      inspection.facts.emplace_back(
          heading, fmt::format("{} {}, not kept whole: norm {}, mean {}, {} to {}", shape_text(s.type->shape),
                               name_of(s.type->dtype), of.norm, of.mean, of.min, of.max));
      continue;
    }
    inspection.tensors.push_back({tensors.size() > 1 ? fmt::format("{} {}", heading, i + 1) : heading,
                                  tensors[i].name, tensors[i].value, make_tensor_picture(tensors[i].value)});
  }
}

// Type and id of what the op read; a null type for None.
std::pair<const Type*, TensorId> input_of(const FrameView& view, std::size_t index) {
  const Tensor& value = view.frame.inputs[index].value;
  if (value) return {&value.type(), value.id()};
  const record::TensorDigest* digest = record::digest_of(view.digests, List::inputs, index);
  return digest ? std::pair(digest->stats.type, digest->stats.tensor) : std::pair<const Type*, TensorId>();
}

// a + sign b, of equal shapes; a where they differ.
Tensor combined(const Tensor& a, const Tensor& b, double sign) {
  if (a.shape() != b.shape()) return a;
  std::vector<double> sum = element_values(a);
  for (std::int64_t i = 0; i < b.numel(); ++i) sum[static_cast<std::size_t>(i)] += sign * element_value(b, i);
  return make_tensor(sum, a.shape(), a.dtype());
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

// Cotangents first; of a backward step of several ops also what this one of them read and made.
void add_op_tensors(Inspection& inspection, const StepView& view, const OpRow& row, const FrameView* run,
                    const FrameView* walk) {
  const bool alone =
      row.backward_step >= view.backward_steps.size() || view.backward_steps[row.backward_step].ops == 1;
  if (walk != nullptr) {
    add_tensors(inspection, "cotangent in", *walk, List::cotangents_in, walk->frame.cotangents_in);
    add_tensors(inspection, "cotangent out", *walk, List::cotangents_out, walk->frame.cotangents_out);
  }
  if (run != nullptr && (walk == nullptr || !alone)) {
    add_tensors(inspection, "output", *run, List::outputs, run->frame.outputs);
    add_tensors(inspection, "input", *run, List::inputs, run->frame.inputs);
  } else if (walk != nullptr) {
    add_tensors(inspection, "saved", *walk, List::inputs, walk->frame.inputs);
  }
  inspection.values = values_of_frames(run, walk);
  if (!inspection.values.empty()) return;
  for (std::uint32_t slot = 0; slot < row.inputs; ++slot)
    inspection.values.push_back({"input", name_of_input(view, row, slot), shape_of_input(row, slot), {}, {}});
  inspection.values.push_back({"output", row.name, std::string(row.output_type), std::string(row.dtype), {}});
}

}  // namespace

Inspection inspect_op(const StepAtCursor& step, std::uint32_t op, const FrameView* frame,
                      const MachineRoof* roof, const KnownValues& known) {
  Inspection inspection;
  if (step.view == nullptr || op >= step.view->ops.size()) return inspection;
  const StepView& view = *step.view;
  const OpRow& row = step.row(op);
  inspection.kind = Inspection::Kind::op;
  inspection.op = op;
  if (number_of_op(view, op) > 0) inspection.number = text_of_op(view, op);
  const bool backward = row.direction == Direction::backward || (frame != nullptr && frame->frame.backward);
  inspection.title = std::string(row.op);
  inspection.type = row.op;
  inspection.name = row.name;
  inspection.backward = backward;
  double us = whole_us(row), flops = row.flops, bytes = row.bytes, calls = 1;
  if (frame != nullptr && frame->frame.backward && row.direction != Direction::backward) {
    inspection.subtitle = "backward of " + row.name;
    if (row.backward_step != kNoOp) {
      const BackwardStep& walk = view.backward_steps[row.backward_step];
      us = walk.duration_us;
      flops = bytes = 0;
      calls = walk.ops;
      for (std::uint32_t i = walk.first_op; i < walk.first_op + walk.ops; ++i)
        flops += view.ops[i].flops, bytes += view.ops[i].bytes;
    }
  } else if (row.partner != kNoOp) {
    inspection.subtitle = "backward of " + view.ops[row.partner].name;
  } else {
    inspection.subtitle = row.name;
  }
  if (inspection.subtitle == inspection.title) inspection.subtitle.clear();  // a name that says nothing more
  inspection.location = std::string(row.location);
  // Where a program stands at an op, its time is recorded once it goes on.
  const bool pending = frame != nullptr && us == 0;
  inspection.chips.emplace_back("time", pending ? "pending" : format_us(us));
  inspection.chips.emplace_back("FLOP", flops > 0 ? format_count(flops) : "–");
  const double rate = flops > 0 && us > 0 ? flops / us / 1e3 : NAN;
  inspection.chips.emplace_back("GFLOP/s", !std::isfinite(rate) ? "–"
                                           : rate < 0.05        ? "<0.1"
                                                                : fmt::format("{:.3g}", rate));
  const double most = roof != nullptr ? roof->at(flops, bytes, calls) : NAN;
  inspection.chips.emplace_back("of roof",
                                std::isfinite(most) && us > 0 ? roof_text(flops / us / 1e3 / most) : "–");

  const bool walking = frame != nullptr && frame->frame.backward;
  // Of the forward op at a backward place the place says what is to be seen.
  const FrameView* const run = walking && row.direction != Direction::backward ? nullptr
                               : frame != nullptr && !walking                  ? frame
                                                                               : known.run;
  add_op_tensors(inspection, view, row, run, walking ? frame : known.walk);
  // What it reads: of a backward op what its forward op saved.
  const bool from_frame = frame != nullptr;
  inspection.inputs_heading = backward ? "used from the forward pass" : "inputs";
  if (from_frame) {
    for (std::size_t i = 0; i < frame->frame.inputs.size(); ++i) {
      const FrameTensor& tensor = frame->frame.inputs[i];
      InspectedInput input{tensor.name.empty() ? "unnamed" : tensor.name, {}, {}};
      if (const auto [type, id] = input_of(*frame, i); type) {
        input.shape = shape_text(type->shape);
        const auto made_by = view.op_of_tensor(id);
        if (tensor.name.empty() && made_by != kNoOp) input.name = view.ops[made_by].name;
        input.note = made_by != kNoOp ? fmt::format("{}, {}", text_of_op(view, made_by),
                                                    format_bytes(static_cast<double>(type->bytes)))
                                      : format_bytes(static_cast<double>(type->bytes));
      }
      inspection.inputs.push_back(std::move(input));
    }
  } else {
    for (std::uint32_t slot = 0; slot < row.inputs; ++slot) {
      const std::uint32_t producer = view.producers[row.first_input + slot];
      InspectedInput input{name_of_input(view, row, slot), shape_of_input(row, slot), {}};
      if (producer != kNoOp) {
        const OpRow& made_by = view.ops[producer];
        input.note = fmt::format("{}, {}", text_of_op(view, producer),
                                 format_bytes(static_cast<double>(made_by.output_bytes)));
        if (row.direction == Direction::backward && made_by.direction == Direction::forward &&
            !made_by.in_graph)
          input.note = "saved, " + input.note;
      }
      inspection.inputs.push_back(std::move(input));
    }
    if (row.direction == Direction::backward) inspection.inputs_heading = "inputs";
  }
  const auto fact = [&](const char* key, std::string value) {
    if (!value.empty()) inspection.facts.emplace_back(key, std::move(value));
  };
  if (!row.output_type.empty()) fact("output", fmt::format("{} {}", row.output_type, row.dtype));
  fact("scope", std::string(row.scope));
  fact("runs", std::string(name_of(backward ? Direction::backward : row.direction)));
  if (row.direction == Direction::forward && !row.in_graph) fact("recorded", row.recorded ? "yes" : "no");
  if (!row.recorded) fact("because", std::string(row.not_recorded));
  if (row.saved_bytes > 0) fact("saved for backward", format_bytes(static_cast<double>(row.saved_bytes)));
  if (row.shared_bytes > 0) fact("saved before already", format_bytes(static_cast<double>(row.shared_bytes)));
  if (row.bytes > 0) fact("bytes moved", format_bytes(row.bytes));
  if (row.direction == Direction::forward && row.backward_step != kNoOp &&
      row.backward_step < view.backward_steps.size()) {
    const double back = view.backward_steps[row.backward_step].duration_us;
    const double ratio = whole_us(row) > 0 ? back / whole_us(row) : 0;
    fact("backward", back > 0 ? format_us(back) : "");
    fact("backward / forward", ratio > 0 ? fmt::format("{:.2f}", ratio) : "");
  }
  // A step under way has no share to give yet.
  if (view.step_us > 0 && view.complete && !view.unmarked && !pending)
    fact("of the step", format_percent(us / view.step_us));
  fact("thread", fmt::format("{}", row.thread));
  return inspection;
}

Inspection inspect_inside(const FrameView& view) {
  const Frame& frame = view.frame;
  Inspection inspection;
  inspection.kind = Inspection::Kind::op;
  inspection.title = std::string(op_name_text(frame.op));
  inspection.subtitle = fmt::format("op {} inside op {}", frame.inner, frame.cursor + 1);
  if (inspection.title.empty()) {  // as where a backward pass begins
    inspection.title = "between two ops";
    inspection.subtitle = fmt::format("before op {}", frame.cursor + 1);
  }
  inspection.location = location_text(site_with_id(frame.site));
  add_tensors(inspection, "output", view, List::outputs, frame.outputs);
  inspection.inputs_heading = "inputs";
  for (std::size_t i = 0; i < frame.inputs.size(); ++i) {
    const FrameTensor& tensor = frame.inputs[i];
    InspectedInput input{tensor.name.empty() ? "unnamed" : tensor.name, {}, {}};
    if (const Type* type = input_of(view, i).first) {
      input.shape = shape_text(type->shape);
      input.note = format_bytes(static_cast<double>(type->bytes));
    }
    inspection.inputs.push_back(std::move(input));
  }
  return inspection;
}

SourceValues source_values(const GradientRow& row, const FrameView* frame, const ProgramResult* result,
                           const StepView* view) {
  SourceValues values;
  const auto named = [&](const std::vector<SampleOutput>& list) {
    const SampleOutput* const found = output_of(list, row);
    return found ? found->value : Tensor();
  };
  if (frame == nullptr) {
    if (result == nullptr) return values;
    values.value = named(result->values);
    values.gradient = named(result->gradients);
    values.earlier = named(result->earlier_gradients);
    values.parts_note = "pause in a backward pass to see which ops add to it";
    return values;
  }
  values.value = named(frame->values);
  if (result != nullptr) values.earlier = named(result->gradients);  // the step before ended last
  if (!frame->frame.backward) {
    values.parts_note = "the backward pass has not begun";
    return values;
  }
  const Arrived* const arrived = arrived_at(frame->arrived, frame->frame, row, view);
  for (const std::uint32_t i : arrived ? arrived->parts : std::vector<std::uint32_t>{}) {
    const Tensor& part = frame->frame.accumulated[i].value;
    if (part.raw() == nullptr) return values;  // rows of a gather: no elements to add
    values.parts.push_back({kNoOp, {}, {}, part, tensor_stats(part).norm});
  }
  if (values.parts.empty()) {
    values.parts_note = "nothing has arrived yet";
    return values;
  }
  for (const GradientPart& part : values.parts)
    values.gradient = values.gradient ? combined(values.gradient, part.value, 1) : part.value;
  if (view == nullptr) return values;
  // The ops that use the source, those that the walk has come to.
  std::uint32_t walk = kNoOp;
  const std::uint64_t at = frame->cursor;
  if (at > 0) view->op_at_node(static_cast<std::int64_t>(at) - 1, &walk);
  if (walk == kNoOp) return values;
  std::vector<Contributor> by = contributors(*view, row.source_id, view->backward_steps[walk].call);
  std::erase_if(
      by, [&](const Contributor& one) { return one.node < 0 || static_cast<std::uint64_t>(one.node) >= at; });
  if (by.size() != values.parts.size()) return values;
  for (std::size_t i = 0; i < by.size(); ++i) {
    values.parts[i].op = by[i].op;
    values.parts[i].name = view->ops[by[i].op].name;
    values.parts[i].location = std::string(view->ops[by[i].op].location);
  }
  return values;
}

Inspection inspect_source(const GradientRow& row, SourceValues values, std::uint64_t step_base) {
  Inspection inspection;
  inspection.kind = Inspection::Kind::source;
  inspection.title = "d " + row.source;
  inspection.subtitle = row.target.empty() ? "gradient" : "gradient of " + row.target;
  inspection.location = row.location;
  inspection.message = row.message;
  inspection.fix = row.fix;
  inspection.norms = row.norms;
  const bool has_value = row.status != GradientStatus::none;
  inspection.chips.emplace_back("status", row.status == GradientStatus::none ? "∅ None"
                                          : row.status == GradientStatus::nonfinite
                                              ? std::isnan(row.norm) ? "NaN" : "Infinity"
                                              : std::string(name_of(row.status)));
  if (row.has_stats && has_value) {
    inspection.chips.emplace_back("norm", format_value(row.norm));
    inspection.chips.emplace_back("zeros", format_percent(row.zero_share));
    inspection.chips.emplace_back("step", fmt::format("{}", row.step + step_base));
    const auto figure = [&](double value) { return format_value(row.none_finite() ? NAN : value); };
    inspection.facts.emplace_back("mean", figure(row.mean));
    inspection.facts.emplace_back("min", figure(row.min));
    inspection.facts.emplace_back("max", figure(row.max));
    inspection.facts.emplace_back("not finite", fmt::format("{}", row.nonfinite));
  }
  const auto show = [&](const char* heading, std::string name, const Tensor& tensor) {
    if (tensor && tensor.raw() != nullptr)
      inspection.tensors.push_back({heading, std::move(name), tensor, make_tensor_picture(tensor)});
  };
  show("value", row.source, values.value);
  if (values.gradient) {
    show("gradient", "d " + row.source, values.gradient);
    inspection.facts.clear();  // the picture shows them
    if (values.earlier && values.earlier.raw() != nullptr &&
        values.earlier.shape() == values.gradient.shape() && values.gradient.raw() != nullptr) {
      show("change since the step before", "", combined(values.gradient, values.earlier, -1));
    }
  }
  inspection.parts = std::move(values.parts);
  if (has_value) inspection.parts_note = std::move(values.parts_note);
  if (!row.reason.empty()) inspection.facts.emplace_back("reason", row.reason);
  for (const PathItem& item : row.path) inspection.inputs.push_back({item.name, item.op, item.location});
  if (!inspection.inputs.empty()) inspection.inputs_heading = "the way from the target";
  return inspection;
}

}  // namespace tapescope::ui
