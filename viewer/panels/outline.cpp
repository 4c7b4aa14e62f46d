// Builds and draws the scope tree.
#include "viewer/panels/outline.h"

#include <fmt/format.h>
#include <algorithm>
#include <map>

#include "viewer/model/graph_model.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

struct Node {
  ScopeId scope = 0;
  std::string name;
  std::vector<std::pair<bool, std::uint32_t>> children;  // true: a scope's node, false: an op
  std::uint32_t ops = 0, first = kNoOp;
  double us = 0, backward_us = 0;
};

class Tree {
 public:
  Tree(const StepView& view, const OpMedians& medians) : view_(view), medians_(medians) {
    nodes_.push_back({});
    backward_us_.resize(view.ops.size());
    for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
      const OpRow& row = view.ops[i];
      for (std::uint32_t at = node_of(row.scope_id);; at = parent_[at]) {
        Node& node = nodes_[at];
        ++node.ops;
        if (node.first == kNoOp) node.first = i;
        node.us += medians.own_us[i];
        if (row.direction == Direction::backward) node.backward_us += medians.own_us[i];
        if (at == 0) break;
      }
      // Backward ops belong to their forward op's row.
      if (row.direction != Direction::backward || row.partner == kNoOp)
        nodes_[node_of(row.scope_id)].children.push_back({false, i});
      else backward_us_[row.partner] += medians.own_us[i];
    }
  }

  void write(std::uint32_t at, int depth, std::vector<OutlineRow>& rows) const {
    for (const auto& [is_scope, child] : nodes_[at].children) {
      const std::size_t self = rows.size();
      OutlineRow row;
      row.depth = depth;
      if (is_scope) {
        const Node& node = nodes_[child];
        row.name = node.name;
        row.key = scope_key(node.scope);
        row.op = node.first;
        row.ops = node.ops;
        row.us = node.us - node.backward_us;
        row.backward_us = node.backward_us;
        row.has_children = true;
        rows.push_back(std::move(row));
        write(child, depth + 1, rows);
      } else {
        const OpRow& op = view_.ops[child];
        row.name = op.tensor_name.empty() ? std::string(op.op) : fmt::format("{}  {}", op.op, op.tensor_name);
        row.op = child;
        row.ops = 1;
        // A backward op that no tape walked has its own row.
        const bool backward = op.direction == Direction::backward;
        (backward ? row.backward_us : row.us) = medians_.own_us[child];
        // What its ops take, as in the sums above it: the walk from one to the next is no op's.
        if (!backward) row.backward_us = backward_us_[child];
        rows.push_back(std::move(row));
      }
      rows[self].next = static_cast<std::uint32_t>(rows.size());
    }
  }

 private:
  std::uint32_t node_of(ScopeId scope) {
    if (scope == 0) return 0;
    if (const auto known = index_.find(scope); known != index_.end()) return known->second;
    const std::uint32_t parent = node_of(scope_parent(scope));
    const auto index = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({scope, std::string(name_text(scope_name(scope))), {}, 0, kNoOp, 0, 0});
    parent_.resize(nodes_.size(), 0);
    parent_[index] = parent;
    nodes_[parent].children.push_back({true, index});
    index_[scope] = index;
    return index;
  }

  const StepView& view_;
  const OpMedians& medians_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> parent_{0};
  std::vector<double> backward_us_;  // by forward op: its backward ops
  std::map<ScopeId, std::uint32_t> index_;
};

}  // namespace

std::vector<OutlineRow> make_outline(const StepView& view, const OpMedians& medians) {
  std::vector<OutlineRow> rows;
  Tree(view, medians).write(0, 0, rows);
  return rows;
}

void OutlinePanel::draw(PanelContext& c) {
  const auto view = c.a != nullptr ? (c.a->complete ? c.a->complete : c.a->current) : nullptr;
  if (view == nullptr) {
    return awaits_op(c, "The program's scopes with what they cost.");
  }
  if (view_.lock() != view) {
    rows_ = make_outline(*view, op_medians(*view, c.a->recent));
    view_ = view;
  }
  const auto& folds = c.state.view().folds;
  open_.clear();
  for (std::uint32_t i = 0; i < rows_.size();) {
    open_.push_back(i);
    const auto fold = rows_[i].key != 0 ? folds.find(rows_[i].key) : folds.end();
    i = fold != folds.end() && fold->second ? rows_[i].next : i + 1;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  double most = 0;
  for (const OutlineRow& row : rows_) most = std::max(most, row.us + row.backward_us);
  const Selection& selection = c.state.selection();
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(open_.size()), c.m().row_height);
  while (clipper.Step()) {
    for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
      const std::uint32_t index = open_[static_cast<std::size_t>(k)];
      const OutlineRow& r = rows_[index];
      const bool selected = selection.kind == Selection::Kind::op && r.key == 0 && selection.index == r.op;
      const Row row =
          selectable_row(c, fmt::format("outline/row/{}", index), r.name, c.m().row_height, selected);
      if (!row.visible) continue;
      ImDrawList* list = ImGui::GetWindowDrawList();
      const float height = c.m().row_height, middle = row.min.y + height / 2, width = row.max.x - row.min.x;
      const float x = row.min.x + c.m().px(28) + c.m().px(16) * static_cast<float>(r.depth);
      if (r.has_children) {
        const auto fold = folds.find(r.key);
        const bool closed = fold != folds.end() && fold->second;
        draw_arrow_head(
            list, closed ? ImVec2{x - c.m().px(4), middle} : ImVec2{x - c.m().px(6), middle + c.m().px(3)},
            closed ? ImVec2{1, 0} : ImVec2{0, 1}, c.m().px(7), c.color(Color::dim));
        if (row.clicked) c.state.set_fold(r.key, !closed);
      } else if (row.clicked) {
        c.commands.post(fmt::format("select op {}", r.op));
      }
      const float bar = row.min.x + width * 0.5f, figures = c.m().px(150);
      draw_elided(c, r.has_children ? c.fonts.bold : c.fonts.text,
                  {x, centred(c.fonts.text, row.min.y, height)}, bar - x - c.m().px(70), c.color(Color::text),
                  r.name);
      if (r.has_children)
        draw_text(list, c.fonts.small, {bar - c.m().px(10), centred(c.fonts.small, row.min.y, height)},
                  c.color(Color::dim), fmt::format("{} op{}", r.ops, r.ops == 1 ? "" : "s"), Align::right);
      const float end = row.max.x - figures;
      if (end > bar + c.m().px(20)) {
        const float share = most > 0 ? static_cast<float>(r.us / most) : 0,
                    back = most > 0 ? static_cast<float>(r.backward_us / most) : 0;
        const ImVec2 a{bar, row.min.y + height * 0.3f}, b{end, row.max.y - height * 0.3f};
        draw_bar(c, a, b, share, c.color(Color::forward));
        if (back > 0)
          list->AddRectFilled({a.x + (b.x - a.x) * share, a.y},
                              {a.x + (b.x - a.x) * std::min(1.0f, share + back), b.y},
                              c.color(Color::cursor));
      }
      if (r.us > 0 || r.backward_us == 0)
        draw_text(list, c.fonts.mono, {row.max.x - c.m().px(84), centred(c.fonts.mono, row.min.y, height)},
                  c.color(Color::text), format_us(r.us), Align::right);
      if (r.backward_us > 0)
        draw_text(list, c.fonts.mono, {row.max.x - c.m().px(14), centred(c.fonts.mono, row.min.y, height)},
                  c.color(Color::cursor_text), format_us(r.backward_us), Align::right);
    }
  }
  clipper.End();
  ImGui::PopStyleVar();
}

std::string OutlinePanel::text(const PanelContext&) const {
  std::string text;
  for (const OutlineRow& row : rows_) {
    text += fmt::format("{}{}\t{}\t{}\n", std::string(static_cast<std::size_t>(row.depth) * 2, ' '), row.name,
                        format_us(row.us), format_us(row.backward_us));
  }
  return text;
}

}  // namespace tapescope::ui
