// Builds and draws the flame graph of a step.
#include "viewer/panels/flame.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

struct Node {
  std::string label;
  std::uint32_t parent = kNoOp, calls = 0, op = kNoOp;
  double us = 0, own = 0;
  bool leaf = false;
  std::vector<std::uint32_t> children;
};

class Tree {
 public:
  Tree() { nodes_.push_back({}); }

  void add(std::uint32_t phase, const OpRow& op, std::uint32_t index, double us) {
    std::uint32_t at = phase;
    for (std::string_view rest = op.scope; !rest.empty();) {
      const std::size_t end = std::min(rest.find('/'), rest.size());
      at = child(at, rest.substr(0, end), false);
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    at = child(at, op.op, true);
    nodes_[at].own += us;
    for (; at != kNoOp; at = nodes_[at].parent) {
      nodes_[at].us += us;
      ++nodes_[at].calls;
      if (nodes_[at].op == kNoOp) nodes_[at].op = index;
    }
  }
  std::uint32_t child(std::uint32_t of, std::string_view label, bool leaf) {
    const auto [known, fresh] =
        index_.try_emplace({of, leaf, std::string(label)}, static_cast<std::uint32_t>(nodes_.size()));
    if (fresh) {
      nodes_.push_back({std::string(label), of, 0, kNoOp, 0, 0, leaf, {}});
      nodes_[of].children.push_back(known->second);
    }
    return known->second;
  }
  void write(std::uint32_t at, int depth, double start, Direction direction, std::uint32_t parent,
             std::vector<FlameBox>& to) {
    Node& node = nodes_[at];
    const auto self = static_cast<std::uint32_t>(to.size());
    to.push_back(
        {node.label, depth, start, node.us, node.own, node.calls, node.op, parent, direction, node.leaf});
    std::stable_sort(node.children.begin(), node.children.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return nodes_[a].us > nodes_[b].us; });
    for (const std::uint32_t c : node.children) {
      write(c, depth + 1, start, direction, self, to);
      start += nodes_[c].us;
    }
  }
  double us(std::uint32_t at) const { return nodes_[at].us; }

 private:
  std::vector<Node> nodes_;
  std::map<std::tuple<std::uint32_t, bool, std::string>, std::uint32_t> index_;
};

std::string path_of(const std::vector<FlameBox>& boxes, std::uint32_t at) {
  std::string path;
  for (; at != kNoOp; at = boxes[at].parent) path = boxes[at].label + "/" + path;
  return path;
}

Color color_of(Direction direction) {
  switch (direction) {
    case Direction::forward: return Color::forward;
    case Direction::backward: return Color::cursor;
    case Direction::update: return Color::gradient;
    default: return Color::faint;
  }
}

}  // namespace

std::vector<FlameBox> make_flame(const StepView& view, const OpMedians& medians) {
  constexpr Direction kPhases[] = {Direction::other, Direction::forward, Direction::backward,
                                   Direction::update};
  Tree tree;
  std::uint32_t phases[4];
  for (const Direction phase : kPhases)
    phases[static_cast<int>(phase)] = tree.child(0, name_of(phase), false);
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& op = view.ops[i];
    const double us = medians.own_us[i];
    if (us > 0) tree.add(phases[static_cast<int>(op.direction)], op, i, us);
  }
  std::vector<FlameBox> boxes;
  double start = 0;
  for (const Direction phase : kPhases) {
    const std::uint32_t node = phases[static_cast<int>(phase)];
    if (tree.us(node) <= 0) continue;
    tree.write(node, 0, start, phase, kNoOp, boxes);
    start += tree.us(node);
  }
  return boxes;
}

void FlamePanel::tooltip(PanelContext& c, const FlameBox& box) const {
  double all = 0;
  for (const FlameBox& b : boxes_) all += b.depth == 0 ? b.us : 0;
  ImGui::BeginTooltip();
  ImGui::PushFont(c.fonts.mono);
  ImGui::TextUnformatted(
      fmt::format("{}, {}\ntotal  {:.3f} µs  {} of the ops' time\nself   {:.3f} µs\nops    {}\n{}", box.label,
                  name_of(box.direction), box.us, format_percent(all > 0 ? box.us / all : 0), box.self,
                  box.calls,
                  steps_ > 1 ? fmt::format("median of {} steps", steps_) : std::string("of one step"))
          .c_str());
  ImGui::PopFont();
  ImGui::EndTooltip();
}

void FlamePanel::draw(PanelContext& c) {
  const auto view = c.a != nullptr ? (c.a->complete ? c.a->complete : c.a->current) : nullptr;
  if (view == nullptr || view->ops.empty()) {
    empty_state(c, "Where a step's time went: phases, scopes and ops, as wide as their time.",
                "A run fills it.", "run", "Run the sample");
    return;
  }
  if (view_.lock() != view) {
    const OpMedians medians = op_medians(*view, c.a->recent);
    boxes_ = make_flame(*view, medians);
    steps_ = medians.steps;
    view_ = view;
  }
  if (boxes_.empty()) {
    empty_state(c, "No op of this step took time that was measured.");
    return;
  }
  double from = 0, width_us = 0;
  for (const FlameBox& box : boxes_) width_us += box.depth == 0 ? box.us : 0;
  bool zoomed = false;
  for (std::uint32_t i = 0; i < boxes_.size() && !zoom_.empty() && !zoomed; ++i) {
    if (path_of(boxes_, i) != zoom_) continue;
    from = boxes_[i].start;
    width_us = boxes_[i].us;
    zoomed = true;
  }
  if (!zoomed) zoom_.clear();
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float left = at.x + c.m().px(20), width = room.x - c.m().px(40), height = c.m().px(22),
              top = at.y + c.m().px(10);
  int deepest = 0;
  for (const FlameBox& box : boxes_) deepest = std::max(deepest, box.depth);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = ImGui::IsWindowHovered();
  for (std::uint32_t i = 0; i < boxes_.size(); ++i) {
    const FlameBox& box = boxes_[i];
    const double x0 = (box.start - from) / width_us, x1 = (box.start + box.us - from) / width_us;
    if (x1 <= 0 || x0 >= 1) continue;
    const ImVec2 min{left + width * static_cast<float>(std::max(x0, 0.0)),
                     top + height * static_cast<float>(box.depth)};
    const ImVec2 max{left + width * static_cast<float>(std::min(x1, 1.0)) - c.m().line,
                     min.y + height - c.m().line};
    if (max.x - min.x < 0.5f) continue;  // folded: the box above includes it
    const bool hovered = over && mouse.x >= min.x && mouse.x < max.x && mouse.y >= min.y && mouse.y < max.y;
    const bool selected = box.leaf && c.state.selection().kind == Selection::Kind::op &&
                          c.state.selection().index < view->ops.size() &&
                          view->ops[c.state.selection().index].op == box.label;
    list->AddRectFilled(min, max,
                        c.color(color_of(box.direction), box.leaf ? 0.34f : 0.2f + (hovered ? 0.1f : 0.0f)),
                        c.m().px(2));
    if (hovered || selected)
      list->AddRect(min, max, c.color(hovered ? Color::text : Color::cursor), c.m().px(2), 0,
                    c.m().strong_line);
    if (max.x - min.x > c.m().px(30)) {
      const float inset = c.m().px(6);
      const std::string us = format_us(box.us);
      const float figure = text_width(c.fonts.mono_small, us);
      const bool figured = max.x - min.x > figure + c.m().px(70);
      draw_text(list, c.fonts.text, {min.x + inset, centred(c.fonts.text, min.y, height)},
                c.color(Color::text),
                elide(c.fonts.text, box.label, max.x - min.x - 2 * inset - (figured ? figure + inset : 0)));
      if (figured)
        draw_text(list, c.fonts.mono_small, {max.x - inset, centred(c.fonts.mono_small, min.y, height)},
                  c.color(Color::text), us, Align::right);
      c.map.rect(fmt::format("flame/{}", path_of(boxes_, i)), box.label, min, max);
    }
    if (!hovered) continue;
    tooltip(c, box);
    if (ImGui::IsMouseClicked(0)) {
      if (box.leaf) c.commands.post(fmt::format("select op {}", box.op));
      const std::string path = path_of(boxes_, i);
      zoom_ = path == zoom_ ? std::string() : box.leaf ? zoom_ : path;
    }
  }
  ImGui::Dummy({1, c.m().px(14) + height * static_cast<float>(deepest + 1)});
  if (!zoom_.empty()) {
    ImGui::Dummy({c.m().px(20), 1});
    ImGui::SameLine();
    if (text_button(c, "flame/all", "Show the whole step",
                    "click a box to fill the width with it, again to go back"))
      zoom_.clear();
  }
}

std::string FlamePanel::text(const PanelContext&) const {
  if (boxes_.empty()) return {};
  std::string text = "scope\tus\tself_us\tcalls\n";
  for (const FlameBox& box : boxes_) {
    text +=
        fmt::format("{}{}\t{:.3f}\t{:.3f}\t{}\n", std::string(2 * static_cast<std::size_t>(box.depth), ' '),
                    box.label, box.us, box.self, box.calls);
  }
  return text;
}

}  // namespace tapescope::ui
