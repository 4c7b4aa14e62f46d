// From a layout to what there is to draw.
#include "viewer/export/graph_drawing.h"

#include <fmt/format.h>

#include "viewer/model/graph_model.h"

namespace tapescope {
namespace {

constexpr std::uint32_t kWireColours[] = {0x5b6b7c, 0xb4532a, 0x9aa5b1, 0xb4532a};
constexpr std::uint32_t kLaneColours[] = {0xeef1f4, 0xe3edf9, 0xfbe9df, 0xf6efe0};
constexpr std::uint32_t kText = 0x000000, kDim = 0x5b6b7c;

struct Label {
  std::string title, below;
};

Label label_of(const ui::GraphModel& model, const StepView& view, const layout::Box& box) {
  if (box.kind == layout::BoxKind::Scope || box.kind == layout::BoxKind::Series) {
    const std::string name =
        box.scope < model.scope_names.size() ? model.scope_names[box.scope] : std::string();
    return {box.members > 0 ? fmt::format("{} × {}", name, box.members) : name,
            fmt::format("{} ops", box.count)};
  }
  if (box.first_op >= model.nodes.size()) return {};
  const ui::ModelNode& node = model.nodes[box.first_op];
  if (node.a == kNoOp) return {node.source, box.kind == layout::BoxKind::Gradient ? "gradient" : ""};
  const OpRow& row = view.ops[node.a];
  if (box.kind == layout::BoxKind::Variable || box.kind == layout::BoxKind::Gradient) {
    const std::string name(row.tensor_name.empty() ? std::string_view(row.name) : row.tensor_name);
    return {box.kind == layout::BoxKind::Gradient ? "∂ " + name : name, std::string(row.output_type)};
  }
  return {box.count > 1 ? fmt::format("{} × {}", row.op, box.count) : std::string(row.op),
          std::string(row.types)};
}

}  // namespace

GraphDrawing draw_graph(const StepView& view) {
  const ui::GraphModel model = ui::build_graph(view);
  constexpr std::uint32_t kMostBoxes = 400;  // what fits a page
  layout::Options options;
  options.collapsed = layout::default_collapsed(model.graph, kMostBoxes);
  const layout::Layout picture = layout::compute(model.graph, options);
  constexpr float kMargin = 12;
  GraphDrawing drawing;
  drawing.left = picture.left - kMargin;
  drawing.top = picture.top - kMargin;
  drawing.width = picture.width + 2 * kMargin;
  drawing.height = picture.height + 2 * kMargin;
  for (const layout::Wire& wire : picture.wires) {
    const auto points = picture.points_of(wire);
    drawing.lines.push_back({{points.begin(), points.end()}, kWireColours[static_cast<int>(wire.kind)]});
  }
  for (const layout::Box& box : picture.boxes) {
    if (box.kind == layout::BoxKind::Pass) {
      const float x = box.x + box.w / 2;
      drawing.lines.push_back({{{x, box.y}, {x, box.y + box.h}}, kWireColours[1]});
      continue;
    }
    drawing.boxes.push_back({box.x, box.y, box.w, box.h, kLaneColours[static_cast<int>(box.lane)]});
    Label label = label_of(model, view, box);
    const float room = box.w - 2 * 8;
    const bool two = !label.below.empty();
    drawing.words.push_back(
        {box.x + 8, box.y + box.h / 2 + (two ? -2.F : 4.F), room, 12, kText, std::move(label.title)});
    if (two)
      drawing.words.push_back({box.x + 8, box.y + box.h / 2 + 12, room, 10, kDim, std::move(label.below)});
  }
  return drawing;
}

}  // namespace tapescope
