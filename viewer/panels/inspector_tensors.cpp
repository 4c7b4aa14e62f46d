// The tensors of the inspector: pictures, slices, the element looked at, and what was added to it.
#include <fmt/format.h>
#include <algorithm>

#include "viewer/export/files.h"
#include "viewer/model/value_figures.h"
#include "viewer/panels/inspector.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

constexpr std::int64_t kSmall = 64;  // elements up to which a tensor is shown as numbers beside its colours
constexpr std::size_t kMostParts = 64;  // of a gradient that are listed

std::vector<std::pair<const char*, std::string>> figures(const TensorPicture& picture) {
  const TensorStats& stats = picture.stats;
  const double zeros =
      stats.count > 0 ? static_cast<double>(stats.zeros) / static_cast<double>(stats.count) : 0;
  const ValueFigures of = figures_of(stats);
  return {{"norm", of.norm},
          {"mean", of.mean},
          {"min", of.min},
          {"max", of.max},
          {"zeros", format_percent(zeros)}};
}

bool single(const TensorPicture& picture) { return picture.matrix_rows * picture.matrix_columns == 1; }

}  // namespace

void InspectorPanel::picture_again(InspectedTensor& tensor) {
  if (!tensor.value || tensor.value.raw() == nullptr) return;
  const auto slice = slices_.find(tensor.heading);
  const bool sliced = tensor.value.rank() > 2 && slice != slices_.end();
  tensor.leading = sliced ? slice->second : std::vector<std::int64_t>();
  tensor.leading.resize(sliced ? static_cast<std::size_t>(tensor.value.rank() - 2) : 0, 0);
  tensor.shown = sliced ? slice_of(tensor.value, tensor.leading) : tensor.value;
  tensor.first = sliced ? slice_begin(tensor.value, tensor.leading) : 0;
  tensor.picture = make_tensor_picture(tensor.shown, range_);
}

// How values become colours, for all tensors shown.
void InspectorPanel::draw_choices(PanelContext& c) {
  const bool any = std::any_of(
      inspection_.tensors.begin(), inspection_.tensors.end(),
      [](const InspectedTensor& tensor) { return !tensor.picture.absent && !single(tensor.picture); });
  if (!any) return;
  static constexpr const char* kHelp[] = {
      "The largest element has the full colour", "99 % of the elements are below the full colour",
      "Six decades below the largest element; bars by the logarithm of their count"};
  for (int i = 0; i < static_cast<int>(ValueRange::count_); ++i) {
    const auto range = static_cast<ValueRange>(i);
    if (i > 0) ImGui::SameLine();
    if (text_button(c, fmt::format("inspector/range/{}", name_of(range)), name_of(range), kHelp[i], {}, true,
                    range == range_)) {
      range_ = range;
      for (InspectedTensor& tensor : inspection_.tensors) picture_again(tensor);
    }
  }
  ImGui::Dummy({1, c.m().px(4)});
}

// Which slice is shown, where there are more axes than two.
void InspectorPanel::draw_slices(PanelContext& c, std::size_t index) {
  InspectedTensor& tensor = inspection_.tensors[index];
  if (tensor.value.rank() < 3) return;
  const std::string id = fmt::format("inspector/tensor/{}/", index);
  const bool whole = tensor.leading.empty();
  const auto show = [&](std::vector<std::int64_t> leading) {
    slices_[tensor.heading] = std::move(leading);
    chosen_ = -1;
    picture_again(tensor);
  };
  if (text_button(c, id + "whole", "all", "All slices, one under the other", {}, true, whole)) {
    slices_.erase(tensor.heading);
    chosen_ = -1;
    picture_again(tensor);
  }
  std::vector<std::int64_t> at = tensor.leading;
  at.resize(static_cast<std::size_t>(tensor.value.rank() - 2), 0);
  for (std::size_t axis = 0; axis < at.size(); ++axis) {
    const std::int64_t size = tensor.value.dim(static_cast<int>(axis));
    for (const int by : {-1, 1}) {
      ImGui::SameLine();
      const std::string name = fmt::format("{}axis/{}/{}", id, axis, by < 0 ? "previous" : "next");
      // The first press shows the slice that stands there.
      const std::int64_t to = whole ? at[axis] : std::clamp<std::int64_t>(at[axis] + by, 0, size - 1);
      if (text_button(c, name, by < 0 ? "‹" : "›",
                      fmt::format("Axis {}: the slice {}", axis, by < 0 ? "before" : "after"), {},
                      whole || to != at[axis])) {
        at[axis] = to;
        show(at);
        return;
      }
      if (by > 0) continue;
      ImGui::SameLine();
      const ImVec2 where = ImGui::GetCursorScreenPos();
      const std::string text = whole ? fmt::format(": of {}", size) : fmt::format("{} of {}", at[axis], size);
      draw_text(ImGui::GetWindowDrawList(), c.fonts.mono,
                {where.x, centred(c.fonts.mono, where.y, c.m().px(26))}, c.color(Color::text), text);
      ImGui::Dummy({text_width(c.fonts.mono, text), c.m().px(26)});
    }
  }
  ImGui::Dummy({1, c.m().px(2)});
}

// The heat map with the figures beside it.
void InspectorPanel::draw_map(PanelContext& c, const std::string& id, const InspectedTensor& tensor,
                              float room) {
  const TensorPicture& picture = tensor.picture;
  const float line = c.m().px(17);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = std::min(room * 0.48f, c.m().px(200)), height = line * 5;
  draw_heat_map(c, id, tensor.shown, picture, {side, height - c.m().px(22)}, chosen_);
  ImGui::SetCursorScreenPos({at.x, at.y + height - c.m().px(18)});
  draw_heat_scale(c, id, picture, {side, c.m().px(18)});
  ImDrawList* list = ImGui::GetWindowDrawList();
  float y = at.y;
  for (const auto& [label, figure] : figures(picture)) {
    draw_text(list, c.fonts.small, {at.x + side + c.m().px(16), centred(c.fonts.small, y, line)},
              c.color(Color::dim), label);
    draw_text(list, c.fonts.mono, {at.x + room, centred(c.fonts.mono, y, line)}, c.color(Color::text), figure,
              Align::right);
    y += line;
  }
}

void InspectorPanel::draw_tensor(PanelContext& c, std::size_t index, bool brief) {
  const InspectedTensor& tensor = inspection_.tensors[index];
  const TensorPicture& picture = tensor.picture;
  const std::string id = fmt::format("inspector/tensor/{}", index);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  c.map.rect(fmt::format("words/tensor/{}", index), tensor.heading, top,
             {top.x + ImGui::GetContentRegionAvail().x, top.y + c.m().px(20)});
  if (picture.absent) {
    subheading(c, tensor.heading, tensor.name);
    // Where nothing flows back to an input none was asked for; that none came in is what cuts a path.
    const bool out = tensor.heading.starts_with("cotangent out");
    paragraph(c, out ? "∅ None: no gradient flows to this input" : "∅ None: no cotangent arrived here",
              out ? Color::dim : Color::broken_text);
    ImGui::Dummy({1, c.m().px(8)});
    return;
  }
  subheading(c, tensor.heading,
             fmt::format("{}{}{}  {}", tensor.name, tensor.name.empty() ? "" : "  ",
                         shape_text(tensor.value.shape()), picture.dtype));
  if (single(picture) && tensor.value.rank() < 3) {
    key_value(c, "value", fmt::format("{:.9g}", element_value(tensor.shown, 0)));
    draw_pin(c, index);
    return;
  }
  draw_slices(c, index);
  const float room = ImGui::GetContentRegionAvail().x;
  if (!brief) draw_map(c, id, tensor, room);
  if (const std::string broken = nonfinite_text(picture.stats); !broken.empty())
    paragraph(c, "✗ " + broken, Color::broken_text);
  ImGui::Dummy({1, c.m().px(4)});
  if (tensor.shown.numel() <= kSmall) {
    const std::int64_t rows = picture.matrix_rows;
    const bool sideways = static_cast<float>(picture.matrix_columns) * c.m().px(76) > room;
    const float wanted =
        c.m().px(17) * static_cast<float>(std::min<std::int64_t>(rows, 6)) + (sideways ? c.m().px(14) : 0);
    draw_values(c, id + "/values", tensor.shown, {room, wanted});
  } else if (!picture.bins.empty()) {
    draw_histogram(c, id + "/histogram", picture, {room, c.m().px(38)});
  }
  if (text_button(c, id + "/csv", "Copy CSV", "Copies every element, a line a row"))
    ImGui::SetClipboardText(tensor_csv(tensor.value).c_str());
  ImGui::SameLine();
  if (text_button(c, id + "/save", "Save…", "Writes it as .npy or .csv", "save-tensor")) {
    std::size_t number = 0;  // None is no tensor to be saved
    for (std::size_t i = 0; i < index; ++i) number += !inspection_.tensors[i].picture.absent;
    c.commands.post(fmt::format("palette save-tensor {} tensor.npy", number));
  }
  ImGui::SameLine();
  draw_pin(c, index);
  ImGui::Dummy({1, c.m().px(8)});
}

// A variable's value and its gradient, element beside element, with their figures in two columns.
void InspectorPanel::draw_pair(PanelContext& c) {
  const InspectedTensor* const pair[] = {&inspection_.tensors[0], &inspection_.tensors[1]};
  const float room = ImGui::GetContentRegionAvail().x, gap = c.m().px(12), side = (room - gap) / 2,
              height = c.m().px(85), line = c.m().px(17);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int i = 0; i < 2; ++i) {
    const float x = at.x + (side + gap) * static_cast<float>(i);
    const float word = draw_text(list, c.fonts.bold, {x, at.y}, c.color(Color::text), pair[i]->heading);
    draw_elided(c, c.fonts.mono_small, {x + word + c.m().px(8), at.y + c.m().px(1)},
                side - word - c.m().px(8), c.color(Color::dim),
                fmt::format("{}  {}", pair[i]->picture.shape, pair[i]->picture.dtype));
    ImGui::SetCursorScreenPos({x, at.y + c.m().px(20)});
    const std::string id = fmt::format("inspector/pair/{}", i);
    draw_heat_map(c, id, pair[i]->shown, pair[i]->picture, {side, height - c.m().px(22)}, chosen_);
    ImGui::SetCursorScreenPos({x, at.y + c.m().px(20) + height - c.m().px(18)});
    draw_heat_scale(c, id, pair[i]->picture, {side, c.m().px(18)});
    float y = at.y + height + c.m().px(24);
    for (const auto& [label, figure] : figures(pair[i]->picture)) {
      draw_text(list, c.fonts.small, {x, centred(c.fonts.small, y, line)}, c.color(Color::dim), label);
      draw_text(list, c.fonts.mono, {x + side, centred(c.fonts.mono, y, line)}, c.color(Color::text), figure,
                Align::right);
      y += line;
    }
  }
  ImGui::SetCursorScreenPos({at.x, at.y + height + c.m().px(28) + 5 * line});
  ImGui::Dummy({1, 1});
}

// The element that was clicked, in every tensor of that shape.
void InspectorPanel::draw_element(PanelContext& c) {
  if (chosen_ < 0) return;
  bool headed = false;
  for (const InspectedTensor& tensor : inspection_.tensors) {
    if (tensor.picture.absent || chosen_ >= tensor.shown.numel()) continue;
    if (!headed) subheading(c, "element", index_text(tensor.shown.shape(), chosen_));
    headed = true;
    key_value(c, tensor.heading, fmt::format("{:.9g}", element_value(tensor.shown, chosen_)));
  }
  if (headed) ImGui::Dummy({1, c.m().px(6)});
}

// Who contributed to this gradient, and how much: to the element looked at, else by norm.
void InspectorPanel::draw_parts(PanelContext& c) {
  if (inspection_.parts.empty()) {
    if (inspection_.parts_note.empty()) return;
    subheading(c, "added by");
    paragraph(c, inspection_.parts_note, Color::dim);
    ImGui::Dummy({1, c.m().px(6)});
    return;
  }
  const auto gradient = std::find_if(inspection_.tensors.begin(), inspection_.tensors.end(),
                                     [](const InspectedTensor& t) { return t.heading == "gradient"; });
  const bool element_wise =
      gradient != inspection_.tensors.end() && chosen_ >= 0 && chosen_ < gradient->shown.numel();
  const std::int64_t at = element_wise ? gradient->first + chosen_ : 0;
  subheading(c, "added by",
             fmt::format("{} op{}, {}", inspection_.parts.size(), inspection_.parts.size() == 1 ? "" : "s",
                         element_wise ? "at the element" : "by norm; click an element"));
  double sum = 0;
  const float height = c.m().px(20);
  for (std::size_t i = 0; i < inspection_.parts.size(); ++i) {
    const GradientPart& part = inspection_.parts[i];
    const double figure = element_wise ? element_value(part.value, at) : part.norm;
    sum += figure;
    if (i >= kMostParts) continue;
    const Row row = selectable_row(c, fmt::format("inspector/part/{}", i), part.name, height, false);
    if (row.clicked && part.op != kNoOp) c.commands.post(fmt::format("select op {}", part.op));
    if (!row.visible) continue;
    const float width = row.max.x - row.min.x;
    draw_elided(c, c.fonts.text, {row.min.x, centred(c.fonts.text, row.min.y, height)}, width * 0.27f,
                c.color(Color::text), part.name.empty() ? fmt::format("part {}", i + 1) : part.name);
    draw_elided(c, c.fonts.mono_small,
                {row.min.x + width * 0.29f, centred(c.fonts.mono_small, row.min.y, height)}, width * 0.5f,
                c.color(Color::value_text), part.location);
    draw_text(ImGui::GetWindowDrawList(), c.fonts.mono, {row.max.x, centred(c.fonts.mono, row.min.y, height)},
              c.color(Color::text), format_value(figure), Align::right);
  }
  if (inspection_.parts.size() > kMostParts)
    key_value(c, "more", fmt::format("{}", inspection_.parts.size() - kMostParts));
  if (element_wise) key_value(c, "sum", fmt::format("{:.9g}", sum));
  ImGui::Dummy({1, c.m().px(6)});
}

void InspectorPanel::draw_tensors(PanelContext& c) {
  draw_choices(c);
  const auto& tensors = inspection_.tensors;
  std::size_t from = 0;
  const bool pair = inspection_.kind == Inspection::Kind::source && tensors.size() >= 2 &&
                    tensors[0].value.rank() < 3 && tensors[0].value.shape() == tensors[1].value.shape() &&
                    !single(tensors[0].picture);
  if (pair) {
    draw_pair(c);
    from = 1;  // the gradient's numbers or their distribution come below
  }
  draw_element(c);
  draw_parts(c);
  for (std::size_t i = from; i < tensors.size(); ++i) draw_tensor(c, i, pair && i == 1);
}

std::vector<SampleOutput> InspectorPanel::tensors() const {
  std::vector<SampleOutput> list;
  for (const InspectedTensor& tensor : inspection_.tensors) {
    if (!tensor.picture.absent)
      list.push_back({tensor.name.empty() ? tensor.heading : tensor.name, tensor.value});
  }
  return list;
}

}  // namespace tapescope::ui
