// Builds and draws the flame graph of a step.
#include "viewer/panels/flame.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "viewer/model/units.h"
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

// The last step that ended, else the one under way.
std::shared_ptr<const StepView> whole_step(const Snapshot* snapshot) {
  if (snapshot == nullptr) return nullptr;
  return snapshot->complete ? snapshot->complete : snapshot->current;
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

double FlamePanel::Program::us() const {
  double us = 0;
  for (const FlameBox& box : boxes) us += box.depth == 0 ? box.us : 0;
  return us;
}

const FlameBox* FlamePanel::Program::at(const std::string& path) const {
  const auto found = by_path.find(path);
  return found != by_path.end() ? &boxes[found->second] : nullptr;
}

void FlamePanel::refresh(const PanelContext& c, int program) {
  Program& p = programs_[static_cast<std::size_t>(program)];
  const Snapshot* snapshot = program == 0 ? c.a : c.b;
  const auto view = whole_step(snapshot);
  if (view == nullptr) p = {};
  if (view == nullptr || p.view.lock() == view) return;
  const OpMedians medians = op_medians(*view, snapshot->recent);
  p = {.boxes = make_flame(*view, medians), .paths = {}, .by_path = {}, .steps = medians.steps, .view = view};
  for (std::uint32_t i = 0; i < p.boxes.size(); ++i) {
    p.paths.push_back(path_of(p.boxes, i));
    p.by_path.emplace(p.paths.back(), i);
  }
}

void FlamePanel::tooltip(PanelContext& c, int program, std::uint32_t index) const {
  const Program& p = programs_[static_cast<std::size_t>(program)];
  const FlameBox& box = p.boxes[index];
  std::string text = fmt::format(
      "{}, {}\ntotal  {:.3f} µs  {} of the ops' time\nself   {:.3f} µs\nops    {}\n{}", box.label,
      name_of(box.direction), box.us, format_percent(p.us() > 0 ? box.us / p.us() : 0), box.self, box.calls,
      p.steps > 1 ? fmt::format("median of {} steps", p.steps) : std::string("of one step"));
  if (c.comparing()) {
    const FlameBox* other = programs_[static_cast<std::size_t>(1 - program)].at(p.paths[index]);
    text += fmt::format("\nin {}   {}", program == 0 ? "B" : "A",
                        other != nullptr ? fmt::format("{:.3f} µs", other->us) : std::string("absent"));
  }
  ImGui::BeginTooltip();
  ImGui::PushFont(c.fonts.mono);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopFont();
  ImGui::EndTooltip();
}

void FlamePanel::draw_program(PanelContext& c, int program, double width_us) {
  const Program& p = programs_[static_cast<std::size_t>(program)];
  const Program& other = programs_[static_cast<std::size_t>(1 - program)];
  const auto view = whole_step(program == 0 ? c.a : c.b);
  const FlameBox* zoomed = p.at(zoom_);
  const double from = zoomed != nullptr ? zoomed->start : 0;
  const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
  const float left = at.x + c.m().px(20), width = room.x - c.m().px(40), height = c.m().px(22);
  float top = at.y + c.m().px(10);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (c.comparing()) {
    const std::string_view name = program == 0 ? c.name_a : c.name_b;
    draw_elided(c, c.fonts.small, {left, at.y + c.m().px(4)}, width,
                c.color(program == 0 ? Color::cursor_text : Color::value_text),
                fmt::format("{}{}{}  {}", program == 0 ? "A" : "B", name.empty() ? "" : ", ", name,
                            format_us(p.us())));
    top += c.fonts.small->FontSize;
  }
  int deepest = 0;
  for (const FlameBox& box : p.boxes) deepest = std::max(deepest, box.depth);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = ImGui::IsWindowHovered();
  std::string zoom = zoom_;
  for (std::uint32_t i = 0; i < p.boxes.size(); ++i) {
    const FlameBox& box = p.boxes[i];
    const double x0 = (box.start - from) / width_us, x1 = (box.start + box.us - from) / width_us;
    if (x1 <= 0 || x0 >= 1) continue;
    const ImVec2 min{left + width * static_cast<float>(std::max(x0, 0.0)),
                     top + height * static_cast<float>(box.depth)};
    const ImVec2 max{left + width * static_cast<float>(std::min(x1, 1.0)) - c.m().line,
                     min.y + height - c.m().line};
    if (max.x - min.x < 0.5f) continue;  // folded: the box above includes it
    const bool hovered = over && mouse.x >= min.x && mouse.x < max.x && mouse.y >= min.y && mouse.y < max.y;
    const Selection& selection = c.state.selection();
    const bool selected = box.leaf && selection.kind == Selection::Kind::op && selection.program == program &&
                          selection.index < view->ops.size() && view->ops[selection.index].op == box.label;
    list->AddRectFilled(min, max,
                        c.color(color_of(box.direction), box.leaf ? 0.34f : 0.2f + (hovered ? 0.1f : 0.0f)),
                        c.m().px(2));
    if (hovered || selected)
      list->AddRect(min, max, c.color(hovered ? Color::text : Color::cursor), c.m().px(2), 0,
                    c.m().strong_line);
    if (max.x - min.x > c.m().px(30)) {
      const float inset = c.m().px(6);
      const FlameBox* same = c.comparing() && program == 1 ? other.at(p.paths[i]) : nullptr;
      const std::string us = format_us_beside(box.us, same != nullptr ? same->us : NAN);
      const float figure = text_width(c.fonts.mono_small, us);
      const bool figured = max.x - min.x > figure + c.m().px(70);
      draw_text(list, c.fonts.text, {min.x + inset, centred(c.fonts.text, min.y, height)},
                c.color(Color::text),
                elide(c.fonts.text, box.label, max.x - min.x - 2 * inset - (figured ? figure + inset : 0)));
      if (figured)
        draw_text(list, c.fonts.mono_small, {max.x - inset, centred(c.fonts.mono_small, min.y, height)},
                  c.color(Color::text), us, Align::right);
      c.map.rect(fmt::format("flame/{}{}", program == 0 ? "" : "b/", p.paths[i]),
                 fmt::format("{} {}", box.label, us), min, max);
    }
    if (!hovered) continue;
    tooltip(c, program, i);
    if (ImGui::IsMouseClicked(0)) {
      if (box.leaf) c.state.select({Selection::Kind::op, box.op, {}, program});
      else zoom = p.paths[i] == zoom_ ? std::string() : p.paths[i];
    }
  }
  zoom_ = std::move(zoom);
  ImGui::Dummy({1, top - at.y + c.m().px(4) + height * static_cast<float>(deepest + 1)});
}

void FlamePanel::draw(PanelContext& c) {
  const auto view = whole_step(c.a);
  if (view == nullptr || view->ops.empty()) {
    return awaits_op(c, "Where a step's time went: phases, scopes and ops, as wide as their time.");
  }
  refresh(c, 0);
  refresh(c, 1);
  const Program &a = programs_[0], &b = programs_[1];
  if (a.boxes.empty() && b.boxes.empty()) {
    empty_state(c, "No op of this step took time that was measured.");
    return;
  }
  if (a.at(zoom_) == nullptr && b.at(zoom_) == nullptr) zoom_.clear();
  // Both on one scale: what fills the width in one of them shows how much shorter it is in the other.
  double width_us = 0;
  for (const Program& p : programs_) {
    const FlameBox* zoomed = p.at(zoom_);
    width_us = std::max(width_us, zoomed != nullptr ? zoomed->us : zoom_.empty() ? p.us() : 0);
  }
  draw_program(c, 0, width_us);
  if (c.comparing() && !b.boxes.empty()) draw_program(c, 1, width_us);
  if (!zoom_.empty()) {
    ImGui::Dummy({c.m().px(20), 1});
    ImGui::SameLine();
    if (text_button(c, "flame/all", "Show the whole step",
                    "click a box to fill the width with it, again to go back"))
      zoom_.clear();
  }
}

std::string FlamePanel::text(const PanelContext& c) const {
  const Program &a = programs_[0], &b = programs_[1];
  if (a.boxes.empty()) return {};
  const bool both = c.comparing();
  std::string text = both ? "scope\ta_us\tb_us\tself_us\tcalls\n" : "scope\tus\tself_us\tcalls\n";
  const auto line = [&](const FlameBox& box, double a_us, double b_us) {
    text += fmt::format("{}{}\t{:.3f}\t{}{:.3f}\t{}\n",
                        std::string(2 * static_cast<std::size_t>(box.depth), ' '), box.label, a_us,
                        both ? fmt::format("{:.3f}\t", b_us) : std::string(), box.self, box.calls);
  };
  for (std::size_t i = 0; i < a.boxes.size(); ++i) {
    const FlameBox* other = both ? b.at(a.paths[i]) : nullptr;
    line(a.boxes[i], a.boxes[i].us, other != nullptr ? other->us : 0);
  }
  for (std::size_t i = 0; both && i < b.boxes.size(); ++i) {
    if (a.at(b.paths[i]) == nullptr) line(b.boxes[i], 0, b.boxes[i].us);
  }
  return text;
}

}  // namespace tapescope::ui
