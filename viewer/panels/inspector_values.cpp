// The values of ops at which the program does not stand: which are known, how to get them, and as a list for
// scripts.
#include <fmt/format.h>
#include <algorithm>

#include "viewer/model/statistics.h"
#include "viewer/panels/inspector.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

using List = record::PlacedDigest::List;

// A list of a frame: what is whole, and what was too large to be kept.
void add_values(std::vector<OpValue>& values, const char* role, const FrameView& view, List list,
                const std::vector<FrameTensor>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& tensor = tensors[i].value;
    if (tensor && tensor.dtype() == DType::resource) continue;  // a variable's handle has no elements
    OpValue value{role, tensors[i].name, {}, {}, {}, !tensor};
    if (tensor) {
      value.shape = shape_text(tensor.shape());
      value.dtype = std::string(name_of(tensor.dtype()));
      if (tensor.raw() != nullptr) value.stats = tensor_stats(tensor);
    } else if (const record::TensorDigest* digest = record::digest_of(view.digests, list, i);
               digest && digest->stats.type) {
      value.none = false;
      value.shape = shape_text(digest->stats.type->shape);
      value.dtype = std::string(name_of(digest->stats.type->dtype));
      value.stats = digest->stats;
    }
    values.push_back(std::move(value));
  }
}

}  // namespace

std::vector<OpValue> values_of_frames(const FrameView* run, const FrameView* walk) {
  std::vector<OpValue> values;
  for (const FrameView* view : {walk, run}) {
    if (view == nullptr) continue;
    const Frame& frame = view->frame;
    add_values(values, "cotangent_in", *view, List::cotangents_in, frame.cotangents_in);
    add_values(values, "cotangent_out", *view, List::cotangents_out, frame.cotangents_out);
    add_values(values, "input", *view, List::inputs, frame.inputs);
    add_values(values, "output", *view, List::outputs, frame.outputs);
  }
  return values;
}

KnownValues InspectorPanel::known_of(const std::shared_ptr<const StepView>& view, std::uint32_t op) {
  const auto& kept = key_.kept;
  if (framed_view_.lock() != view || framed_kept_.lock() != kept) {
    framed_ = frames_of_ops(*view, *kept);
    framed_view_ = view;
    framed_kept_ = kept;
  }
  const auto frame = [&](std::uint32_t index) {
    return index == kNoFrame ? nullptr : kept->frames[index].get();
  };
  return op < framed_.size() ? KnownValues{frame(framed_[op].run), frame(framed_[op].walk)} : KnownValues{};
}

// The op has no tensors: what would give it some, or why nothing does.
void InspectorPanel::explain_unread(const StepView& view, std::uint32_t op) {
  const OpRow& row = view.ops[op];
  const bool walked = row.direction == Direction::backward && row.backward_step < view.backward_steps.size();
  inspection_.go_to = walked ? view.backward_steps[row.backward_step].node : row.node;
  if (inspection_.go_to >= 0 && inspection_.go_to < key_.read_from) {
    inspection_.unread = kRanBefore;
  } else if (key_.kept == nullptr) {
    inspection_.unread = key_.unread;
    inspection_.can_read = key_.unread.empty();
  } else if (key_.kept->left_out > 0) {
    inspection_.unread = "the step's tensors take more memory than is set aside for them";
  } else if (key_.kept->all_ops) {
    // The rest of an update in place, and the call around a function's ops.
    inspection_.unread =
        "it updates a variable in place or calls a function, which is not looked at; what it reads is what "
        "the "
        "ops before it made";
  } else if (inspection_.go_to < 0) {
    inspection_.unread = "no tape recorded it, and only recorded ops have their values kept";
  } else {
    inspection_.unread = key_.unread;
    inspection_.can_read = key_.unread.empty();
  }
}

void InspectorPanel::draw_unread(PanelContext& c) {
  if (!inspection_.can_read && inspection_.unread.empty()) return;
  subheading(c, "values");
  if (inspection_.can_read) {
    if (text_button(c, "inspector/read", "Read them",
                    "Keeps the values of the step's ops: of a sample it runs once more, an attached program "
                    "goes on to "
                    "its end and the cursor comes back",
                    "read-values"))
      c.commands.post("read-values");
  } else {
    paragraph(c, "Not known: " + inspection_.unread, Color::dim);
  }
  const bool there = c.state.cursor.position == static_cast<std::uint64_t>(inspection_.go_to) + 1;
  if (inspection_.go_to >= 0 && c.state.cursor.live && !there) {
    if (inspection_.can_read) ImGui::SameLine();
    if (text_button(c, "inspector/go", "Go there", "Moves the cursor behind this op"))
      c.commands.post(fmt::format("seek {}", inspection_.go_to + 1));
  }
  ImGui::Dummy({1, c.m().px(8)});
}

// What ops of this type took over the last steps: how they are spread, and the slowest step one click away.
void InspectorPanel::draw_times(PanelContext& c) {
  if (inspection_.type.empty() || c.a == nullptr) return;
  const auto kind = std::ranges::find(c.a->op_kinds, inspection_.type, &OpKindRow::op);
  if (kind == c.a->op_kinds.end()) return;
  const Recent& series = inspection_.backward ? kind->backward_series : kind->forward_series;
  // Of a step of the past the times are those up to it.
  std::size_t steps = c.a->steps.size();
  if (const auto shown = c.a->shown()) {
    while (steps > 0 && c.a->steps[steps - 1].step > shown->step) --steps;
  }
  if (series.size() < 2 || series.size() > steps) return;
  const TimeSpread spread = spread_of(series);
  if (spread.bins.empty()) return;
  subheading(c, "times", fmt::format("all {} of a step, last {} steps", inspection_.type, series.size()));
  const float room = ImGui::GetContentRegionAvail().x, height = c.m().px(34);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float each = room / static_cast<float>(spread.bins.size());
  const auto most = static_cast<float>(*std::ranges::max_element(spread.bins));
  for (std::size_t i = 0; i < spread.bins.size(); ++i) {
    if (spread.bins[i] == 0) continue;
    const float x = at.x + each * static_cast<float>(i);
    ImGui::GetWindowDrawList()->AddRectFilled(
        {x, at.y + height - std::max(1.0f, height * static_cast<float>(spread.bins[i]) / most)},
        {x + std::max(1.0f, each - c.m().line), at.y + height},
        c.color(inspection_.backward ? Color::cursor : Color::forward));
  }
  c.map.rect("inspector/times", "times", at, {at.x + room, at.y + height});
  ImGui::Dummy({1, height + c.m().px(2)});
  key_value(
      c, "p10 · median · p90",
      fmt::format("{} · {} · {}", format_us(spread.p10), format_us(spread.median), format_us(spread.p90)));
  const StepSummary& slowest = c.a->steps[steps - series.size() + spread.slowest];
  if (text_button(
          c, "inspector/slowest",
          fmt::format("slowest: step {}, {}", c.step_shown(slowest.step), format_us(series[spread.slowest])),
          "Goes to that step in the strip of the run and in the timeline"))
    c.commands.post(fmt::format("go-step {}", c.step_shown(slowest.step)));
  ImGui::Dummy({1, c.m().px(8)});
}

}  // namespace tapescope::ui
