// A tensor pinned beside the one that is selected, and its history over steps.
#include <fmt/format.h>
#include <algorithm>

#include "viewer/panels/inspector.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

constexpr std::size_t kMostPoints = 4096;

void add_point(PinnedTensor& pinned, std::uint64_t step) {
  const Tensor& value = pinned.tensor.value;
  const bool within = pinned.element >= 0 && pinned.element < value.numel();
  const PinnedTensor::Point point{step, tensor_stats(value).norm,
                                  within ? element_value(value, pinned.element) : 0};
  const auto at = std::ranges::lower_bound(pinned.history, step, {}, &PinnedTensor::Point::step);
  if (at != pinned.history.end() && at->step == step) *at = point;
  else pinned.history.insert(at, point);
  if (pinned.history.size() > kMostPoints) pinned.history.erase(pinned.history.begin());
}

}  // namespace

bool update_pinned(PinnedTensor& pinned, const Inspection& inspection, std::uint64_t step,
                   std::string_view step_text) {
  if (inspection.kind != Inspection::Kind::op || inspection.name != pinned.op) return false;
  const auto same = std::ranges::find(inspection.tensors, pinned.heading, &InspectedTensor::heading);
  if (same == inspection.tensors.end() || !same->value || same->value.raw() == nullptr) return false;
  pinned.tensor = *same;
  pinned.tensor.shown = same->value;
  pinned.tensor.leading.clear();
  pinned.tensor.first = 0;
  pinned.tensor.picture = make_tensor_picture(same->value, ValueRange::linear);
  pinned.name = same->name;
  pinned.place =
      fmt::format("{}{}step {}", inspection.number, inspection.number.empty() ? "" : ", ", step_text);
  add_point(pinned, step);
  return true;
}

void InspectorPanel::draw_pin(PanelContext& c, std::size_t index) {
  const Tensor& value = inspection_.tensors[index].value;
  if (inspection_.kind != Inspection::Kind::op || key_.selection.program == 1 || !value ||
      value.raw() == nullptr)
    return;
  if (text_button(c, fmt::format("inspector/tensor/{}/pin", index), "Pin",
                  "Keeps it here while other ops are selected, with its norm over steps and the element that "
                  "was clicked"))
    pin(c, index);
}

void InspectorPanel::pin(const PanelContext& c, std::size_t index) {
  const InspectedTensor& tensor = inspection_.tensors[index];
  pinned_ = PinnedTensor{.op = inspection_.name, .heading = tensor.heading};
  if (chosen_ >= 0 && chosen_ < tensor.shown.numel()) pinned_->element = tensor.first + chosen_;
  pinned_of_ = key_.generations;
  update_pinned(*pinned_, inspection_, shown_step_, fmt::format("{}", c.step_shown(shown_step_)));
}

// Wherever the pinned op's values become known, by a stop or by reading the step.
void InspectorPanel::watch_pinned(PanelContext& c, const StepAtCursor& step, const FrameView* frame,
                                  std::uint32_t at_cursor, std::uint32_t walk) {
  if (!pinned_ || step.view == nullptr) return;
  if (pinned_of_ != key_.generations) {
    pinned_.reset();  // of a program that is not shown any more
    return;
  }
  const StepView& view = *step.view;
  const auto found = std::ranges::find(view.ops, pinned_->op, &OpRow::name);
  if (found == view.ops.end()) return;
  const auto op = static_cast<std::uint32_t>(found - view.ops.begin());
  const bool here = frame != nullptr && (op == at_cursor || (walk != kNoOp && found->backward_step == walk &&
                                                             found->direction == Direction::backward));
  const KnownValues known = here || key_.kept == nullptr ? KnownValues{} : known_of(step.view, op);
  if (!here && known.run == nullptr && known.walk == nullptr) return;
  update_pinned(*pinned_, inspect_op(step, op, here ? frame : nullptr, nullptr, known), shown_step_,
                fmt::format("{}", c.step_shown(shown_step_)));
}

void InspectorPanel::draw_pinned(PanelContext& c) {
  if (!pinned_ || !pinned_->tensor.value) return;
  PinnedTensor& pinned = *pinned_;
  subheading(c, "pinned", fmt::format("{} of {}", pinned.heading, pinned.op));
  c.map.item("inspector/pinned", fmt::format("{}, {}", pinned.op, pinned.place));
  key_value(c, pinned.name.empty() ? "seen" : pinned.name,
            fmt::format("{} · {}", shape_text(pinned.tensor.value.shape()), pinned.place));
  if (pinned.tensor.value.numel() == 1)
    key_value(c, "value", fmt::format("{:.9g}", element_value(pinned.tensor.value, 0)));
  else draw_map(c, "inspector/pinned/map", pinned.tensor, ImGui::GetContentRegionAvail().x);
  ImGui::Dummy({1, c.m().px(4)});
  const auto plot = [&](const char* id, const std::string& what, double PinnedTensor::Point::*figure) {
    std::vector<float> values;
    for (const PinnedTensor::Point& point : pinned.history)
      values.push_back(static_cast<float>(point.*figure));
    key_value(c, fmt::format("{} over {} step{}", what, values.size(), values.size() == 1 ? "" : "s"),
              format_value(pinned.history.back().*figure));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 end{at.x + ImGui::GetContentRegionAvail().x, at.y + c.m().px(30)};
    if (values.size() > 1) draw_sparkline(c, at, end, values, c.color(Color::value));
    c.map.rect(id, fmt::format("{}", values.size()), at, end);
    ImGui::Dummy({1, c.m().px(34)});
  };
  if (!pinned.history.empty()) {
    plot("inspector/pinned/norm", "norm", &PinnedTensor::Point::norm);
    if (pinned.element >= 0)
      plot("inspector/pinned/element", "element " + index_text(pinned.tensor.value.shape(), pinned.element),
           &PinnedTensor::Point::element);
  }
  if (text_button(c, "inspector/unpin", "Unpin", "Lets the tensor and its history go")) pinned_.reset();
  ImGui::Dummy({1, c.m().px(8)});
}

}  // namespace tapescope::ui
