// Draws functions, their retraces and graphs.
#include "viewer/panels/functions.h"

#include <algorithm>

#include <fmt/format.h>

#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

std::string change(const std::string& before, const std::string& after) {
  return before == after ? after : before + " → " + after;
}

std::string figures(const GraphFigures& before, const GraphFigures& after) {
  return fmt::format("{} nodes   {}   {} FLOP",
                     change(fmt::format("{}", before.nodes), fmt::format("{}", after.nodes)),
                     change(format_bytes(before.bytes), format_bytes(after.bytes)),
                     change(format_count(before.flops), format_count(after.flops)));
}

Color color_of(RewriteKind kind) {
  switch (kind) {
    case RewriteKind::bit_exact: return Color::good_text;
    case RewriteKind::reassociating: return Color::caution_text;
    case RewriteKind::nan_discarding: return Color::broken_text;
  }
  return Color::dim;
}

const char* words_of(RewriteKind kind) {
  switch (kind) {
    case RewriteKind::bit_exact: return "bit-exact";
    case RewriteKind::reassociating: return "re-associating";
    case RewriteKind::nan_discarding: return "NaN-discarding";
  }
  return "unknown";
}

// The room of a line: left edge after `depth` steps, width, and the y of a font's line.
struct Room {
  Room(const PanelContext& c, int depth) : at(ImGui::GetCursorScreenPos()), height(c.m().row_height) {
    const float pad = c.m().px(20);
    left = at.x + pad + static_cast<float>(depth) * c.m().px(18);
    right = at.x + ImGui::GetContentRegionAvail().x - pad;
  }
  float width() const { return right - left; }
  float y(const ImFont* font) const { return centred(font, at.y, height); }
  // The x at a share of the width.
  float x(float share) const { return left + share * width(); }

  ImVec2 at;
  float left, right, height;
};

}  // namespace

std::string FunctionsPanel::badge(const PanelContext& c) const {
  std::size_t retraces = 0;
  if (c.a != nullptr) {
    for (const FunctionRow& row : c.a->functions) retraces += row.retraces.size();
  }
  return retraces > 0 ? fmt::format("{}", retraces) : std::string();
}

void FunctionsPanel::refresh(const PanelContext& c) {
  const std::uint64_t version = c.a != nullptr ? c.a->version : 0, other = c.b != nullptr ? c.b->version : 0;
  if (!stale_ && version == version_ && other == other_version_ && filter_ == c.state.filter()) return;
  stale_ = false;
  version_ = version;
  other_version_ = other;
  filter_ = c.state.filter();
  rows_.clear();
  if (c.a != nullptr) rows_ = c.a->functions;
  of_b_ = rows_.size();
  if (c.b != nullptr) rows_.insert(rows_.end(), c.b->functions.begin(), c.b->functions.end());
  lines_ = functions_lines(rows_, open_, filter_);
}

void FunctionsPanel::draw_function(PanelContext& c, const FunctionRow& f, const FunctionsLine& line) {
  const Room room(c, 0);
  ImDrawList* list = ImGui::GetWindowDrawList();
  float x = room.left;
  if (line.function > 0)
    list->AddLine({x, room.at.y}, {room.right, room.at.y}, c.color(Color::line), c.m().line);
  if (c.comparing())
    x += draw_text(list, c.fonts.mono, {x, room.y(c.fonts.mono)}, c.color(Color::dim),
                   line.function < of_b_ ? "A" : "B") +
         c.m().px(10);
  x += draw_text(list, c.fonts.bold, {x, room.y(c.fonts.bold)}, c.color(Color::text), f.name) + c.m().px(24);
  std::string text = fmt::format("{} call{}   {} trace{}   {} tracing", f.calls, f.calls == 1 ? "" : "s",
                                 f.traces, f.traces == 1 ? "" : "s", format_us(f.trace_us));
  if (f.runs > 0)
    text +=
        fmt::format("   {} a run of {} nodes", format_us(f.run_us / static_cast<double>(f.runs)), f.nodes);
  if (f.machine_loops > 0)
    text += fmt::format("   {} of {} fused loops are machine code, made in {}", f.machine_loops,
                        f.fused_loops, format_us(f.compile_us));
  if (f.dropped_graphs > 0)
    text += fmt::format("   the last {} of {} graphs", f.graphs.size(), f.graphs.size() + f.dropped_graphs);
  if (f.library) text += "   of a library";
  for (const RetraceWarning& w : f.warnings)
    text += fmt::format("   TensorFlow warns at call {}: {} of {}", w.call, w.traced, w.calls);
  draw_elided(c, c.fonts.mono, {x, room.y(c.fonts.mono)}, room.right - x,
              c.color(f.would_warn ? Color::cursor_text : Color::dim), text);
  c.map.rect(fmt::format("functions/row/{}", f.name), f.name, room.at, {room.right, room.at.y + room.height});
  ImGui::Dummy({1, room.height});
}

void FunctionsPanel::draw_retrace(PanelContext& c, std::string_view function, const Retrace& r) {
  const Room room(c, 1);
  const std::string what =
      fmt::format("call {}   {}   {}: {} → {}", r.call, r.kind, r.argument, r.from, r.to);
  draw_elided(c, c.fonts.mono, {room.left, room.y(c.fonts.mono)}, room.width() * 0.5f, c.color(Color::text),
              what);
  draw_elided(c, c.fonts.mono, {room.x(0.52f), room.y(c.fonts.mono)}, room.width() * 0.16f,
              c.color(Color::value_text), r.location);
  draw_elided(c, c.fonts.small, {room.x(0.69f), room.y(c.fonts.small)}, room.width() * 0.31f,
              c.color(Color::good_text), r.fix);
  c.map.rect(fmt::format("functions/retrace/{}/{}", function, r.call),
             fmt::format("{}   {}", what, r.location), room.at, {room.right, room.at.y + room.height});
  ImGui::Dummy({1, room.height});
}

void FunctionsPanel::draw_loop(PanelContext& c, const UnrolledLoopRow& loop) {
  const Room room(c, 1);
  const std::string what = fmt::format("trace {}   unrolled loop   {} rounds from {} on   {} of {} nodes",
                                       loop.trace, loop.rounds, loop.op, loop.nodes, loop.trace_nodes);
  draw_elided(c, c.fonts.mono, {room.left, room.y(c.fonts.mono)}, room.width() * 0.5f, c.color(Color::text),
              what);
  draw_elided(c, c.fonts.mono, {room.x(0.52f), room.y(c.fonts.mono)}, room.width() * 0.16f,
              c.color(Color::value_text), loop.location);
  draw_elided(c, c.fonts.small, {room.x(0.69f), room.y(c.fonts.small)}, room.width() * 0.31f,
              c.color(Color::good_text), "give the op a whole batch, or write while_loop, map_fn or scan");
  ImGui::Dummy({1, room.height});
}

void FunctionsPanel::draw_graph(PanelContext& c, const FunctionRow& f, const FunctionsLine& line) {
  const GraphAccount& graph = *f.graphs[line.graph];
  const std::string key = graph_key(f, line.graph);
  const bool open = open_.contains(key);
  const Room room(c, 1);
  const Row row = selectable_row(c, "functions/graph/" + key, graph.name, room.height, false);
  if (row.clicked) {
    if (open) open_.erase(key);
    else open_.insert(key);
    stale_ = true;
  }
  if (!row.visible) return;
  const float middle = room.at.y + room.height / 2, tip = open ? c.m().px(3) : c.m().px(4);
  draw_arrow_head(
      ImGui::GetWindowDrawList(),
      open ? ImVec2{room.left + c.m().px(4), middle + tip} : ImVec2{room.left + c.m().px(4) + tip, middle},
      open ? ImVec2{0, 1} : ImVec2{1, 0}, c.m().px(7), c.color(Color::dim));
  const float x = room.left + c.m().px(16);
  draw_elided(c, c.fonts.mono, {x, room.y(c.fonts.mono)}, room.x(0.38f) - x, c.color(Color::text),
              fmt::format("{}   trace {}", graph.name, graph.trace));
  std::string text = figures(graph.before(), graph.after());
  if (!graph.rewrites.empty())
    text += fmt::format("   {} rewrite{}", graph.rewrites.size(), graph.rewrites.size() == 1 ? "" : "s");
  draw_elided(c, c.fonts.mono, {room.x(0.4f), room.y(c.fonts.mono)}, room.width() * 0.6f, c.color(Color::dim),
              text);
}

void FunctionsPanel::draw_fused(PanelContext& c, const FusedLoopAccount& loop) {
  const Room room(c, 3);
  draw_elided(c, c.fonts.text, {room.left, room.y(c.fonts.text)}, room.width() * 0.31f,
              c.color(loop.code == LoopCode::machine_code ? Color::good_text : Color::text),
              code_words(loop));
  draw_elided(c, c.fonts.mono, {room.x(0.33f), room.y(c.fonts.mono)}, room.width() * 0.5f,
              c.color(Color::dim), members_words(loop) + "   (each alone)");
  draw_elided(c, c.fonts.mono, {room.right, room.y(c.fonts.mono)}, room.width() * 0.16f,
              c.color(Color::value_text), location_text(site_with_id(loop.site)), Align::right);
  ImGui::Dummy({1, room.height});
}

void FunctionsPanel::draw_pass(PanelContext& c, const PassAccount& pass) {
  const Room room(c, 3);
  draw_elided(c, c.fonts.text, {room.left, room.y(c.fonts.text)}, room.width() * 0.35f, c.color(Color::text),
              fmt::format("{}, round {}", pass.pass, pass.round));
  draw_elided(c, c.fonts.mono, {room.x(0.37f), room.y(c.fonts.mono)}, room.width() * 0.6f,
              c.color(Color::dim), pass.off ? "switched off" : figures(pass.before, pass.after));
  ImGui::Dummy({1, room.height});
}

void FunctionsPanel::draw_rewrite(PanelContext& c, const FunctionsLine& line, const RewriteAccount& rewrite) {
  const Room room(c, 3);
  const std::string where = location_text(site_with_id(rewrite.site));
  const Row row =
      selectable_row(c, fmt::format("functions/rewrite/{}/{}/{}", line.function, line.graph, line.item),
                     rewrite.rule, room.height, false);
  if (!row.visible) return;
  if (row.clicked) {
    // An op of the step that came from that line.
    if (const auto view = c.a != nullptr ? c.a->shown() : nullptr) {
      const auto op = std::find_if(view->ops.begin(), view->ops.end(),
                                   [&](const OpRow& r) { return r.location == where; });
      if (op != view->ops.end()) c.commands.post(fmt::format("select op {}", op - view->ops.begin()));
    }
  }
  draw_elided(c, c.fonts.text, {room.left, room.y(c.fonts.text)}, room.width() * 0.2f, c.color(Color::text),
              rewrite.rule);
  draw_elided(c, c.fonts.small, {room.x(0.21f), room.y(c.fonts.small)}, room.width() * 0.11f,
              c.color(color_of(rewrite.kind)), words_of(rewrite.kind));
  const std::string what = rewrite.after.empty() ? std::string(rewrite.before)
                                                 : fmt::format("{} → {}", rewrite.before, rewrite.after);
  draw_elided(c, c.fonts.mono, {room.x(0.33f), room.y(c.fonts.mono)}, room.width() * 0.5f,
              c.color(Color::dim), what);
  draw_elided(c, c.fonts.mono, {room.right, room.y(c.fonts.mono)}, room.width() * 0.16f,
              c.color(Color::value_text), where, Align::right);
}

void FunctionsPanel::draw_line(PanelContext& c, const FunctionsLine& line) {
  using Kind = FunctionsLine::Kind;
  const FunctionRow& f = rows_[line.function];
  switch (line.kind) {
    case Kind::function: draw_function(c, f, line); break;
    case Kind::retrace: draw_retrace(c, f.name, f.retraces[line.item]); break;
    case Kind::loop: draw_loop(c, f.loops[line.item]); break;
    case Kind::graph: draw_graph(c, f, line); break;
    case Kind::fused: draw_fused(c, f.graphs[line.graph]->loops[line.item]); break;
    case Kind::pass: draw_pass(c, f.graphs[line.graph]->passes[line.item]); break;
    case Kind::rewrite: draw_rewrite(c, line, f.graphs[line.graph]->rewrites[line.item]); break;
    case Kind::hint: {
      const RecomputeAccount& hint = f.graphs[line.graph]->hints[line.item];
      const Room room(c, 3);
      draw_elided(c, c.fonts.text, {room.left, room.y(c.fonts.text)}, room.width() * 0.8f,
                  c.color(Color::good_text),
                  fmt::format("{} keeps {} for the backward pass that {} FLOP would compute again: "
                              "recompute_grad trades them",
                              hint.op, format_bytes(hint.bytes), format_count(hint.flops)));
      draw_elided(c, c.fonts.mono, {room.right, room.y(c.fonts.mono)}, room.width() * 0.16f,
                  c.color(Color::value_text), location_text(site_with_id(hint.site)), Align::right);
      ImGui::Dummy({1, room.height});
      break;
    }
    case Kind::note: {
      const Room room(c, 3);
      draw_elided(c, c.fonts.text, {room.left, room.y(c.fonts.text)}, room.width(), c.color(Color::dim),
                  filter_.empty() ? std::string("No pass changed this graph.")
                                  : fmt::format("Nothing here matches `{}`.", filter_));
      ImGui::Dummy({1, room.height});
      break;
    }
  }
}

void FunctionsPanel::draw(PanelContext& c) {
  refresh(c);
  if (rows_.empty()) {
    const bool ran = c.a != nullptr && !c.a->steps.empty();
    constexpr std::string_view what =
        "Traced functions: calls, traces, why each was traced again, and what the optimizer did to their "
        "graphs.";
    return ran ? empty_state(c, what, "This program calls no traced function.") : awaits_step(c, what);
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(lines_.size()), c.m().row_height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_line(c, lines_[static_cast<std::size_t>(i)]);
  }
  clipper.End();
  ImGui::PopStyleVar();
}

std::string FunctionsPanel::text(const PanelContext& c) const {
  std::string text;
  if (c.a != nullptr) text = functions_plain(c.a->functions);
  if (c.b != nullptr) text += functions_plain(c.b->functions);
  return text;
}

}  // namespace tapescope::ui
