// The graph as a drawing in Scalable Vector Graphics, laid out as in the window.
#include <fmt/format.h>

#include "viewer/app/export_files.h"
#include "viewer/panels/graph_model.h"

namespace tapescope {
namespace {

// Of the light theme, so that it prints.
constexpr std::string_view kWireColours[] = {"#5b6b7c", "#b4532a", "#9aa5b1", "#b4532a"};
constexpr std::string_view kLaneColours[] = {"#eef1f4", "#e3edf9", "#fbe9df", "#f6efe0"};

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (static_cast<unsigned char>(c) >= ' ') out += c;
    }
  }
  return out;
}

struct Label {
  std::string title, below;
};

Label label_of(const ui::GraphModel& model, const StepView& view, const layout::Box& box) {
  if (box.kind == layout::BoxKind::Scope || box.kind == layout::BoxKind::Series) {
    const std::string name = box.scope < model.scope_names.size() ? model.scope_names[box.scope] : std::string();
    return {box.members > 0 ? fmt::format("{} × {}", name, box.members) : name, fmt::format("{} ops", box.count)};
  }
  if (box.first_op >= model.nodes.size()) return {};
  const ui::GraphNode& node = model.nodes[box.first_op];
  if (node.a == kNoOp) return {node.source, box.kind == layout::BoxKind::Gradient ? "gradient" : ""};
  const OpRow& row = view.ops[node.a];
  if (box.kind == layout::BoxKind::Variable || box.kind == layout::BoxKind::Gradient) {
    const std::string name(row.tensor_name.empty() ? std::string_view(row.name) : row.tensor_name);
    return {box.kind == layout::BoxKind::Gradient ? "∂ " + name : name, std::string(row.output_type)};
  }
  return {box.count > 1 ? fmt::format("{} × {}", row.op, box.count) : std::string(row.op), std::string(row.types)};
}

}  // namespace

std::string graph_svg(const StepView& view) {
  const ui::GraphModel model = ui::build_graph(view);
  // What fits a page; folded scopes say what they hold.
  constexpr std::uint32_t kMostBoxes = 400;
  layout::Options options;
  options.collapsed = layout::default_collapsed(model.graph, kMostBoxes);
  const layout::Layout picture = layout::compute(model.graph, options);
  constexpr float kMargin = 12;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"{2:.1f} {3:.1f} {0:.0f} {1:.0f}\" "
      "font-family=\"Inter, sans-serif\" font-size=\"12\">\n<rect x=\"{2:.1f}\" y=\"{3:.1f}\" width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      picture.width + 2 * kMargin, picture.height + 2 * kMargin, picture.left - kMargin, picture.top - kMargin);
  for (const layout::Wire& wire : picture.wires) {
    out += "<polyline fill=\"none\" stroke=\"" + std::string(kWireColours[static_cast<int>(wire.kind)]) + "\" points=\"";
    for (const layout::Point& point : picture.points_of(wire)) out += fmt::format("{:.1f},{:.1f} ", point.x, point.y);
    out += "\"/>\n";
  }
  for (const layout::Box& box : picture.boxes) {
    if (box.kind == layout::BoxKind::Pass) {
      out += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\" stroke=\"{3}\"/>\n", box.x + box.w / 2, box.y,
                         box.y + box.h, kWireColours[1]);
      continue;
    }
    const Label label = label_of(model, view, box);
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"5\" fill=\"{}\" stroke=\"#8895a3\"/>\n",
                       box.x, box.y, box.w, box.h, kLaneColours[static_cast<int>(box.lane)]);
    const bool two = !label.below.empty();
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", box.x + 8, box.y + box.h / 2 + (two ? -2.F : 4.F), escaped(label.title));
    if (two) out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"10\" fill=\"#5b6b7c\">{}</text>\n", box.x + 8, box.y + box.h / 2 + 12, escaped(label.below));
  }
  return out + "</svg>\n";
}

}  // namespace tapescope
