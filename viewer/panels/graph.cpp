// Keeps the picture up to date, draws the panes and handles the mouse.
#include "viewer/panels/graph.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "viewer/ui/widgets.h"

namespace tapescope::ui {

using layout::kNone;

namespace {
constexpr std::size_t kOpsAtOnce = 800;   // laid out within a frame, in about a millisecond; more on a thread
constexpr double kBetweenPictures = 0.1;  // seconds between pictures while steps fly by
constexpr std::size_t kMostItems = 600;   // named in the UI map
constexpr float kZoomPerNotch = 1.18f;    // of the wheel: four notches double
}  // namespace

void GraphPanel::take(PanelContext& c, std::shared_ptr<const GraphPicture> picture) {
  if (picture == nullptr) return;
  if (anchor_node_ != kNone && picture_ != nullptr) {
    const std::uint32_t before = picture_->layout.box_of(anchor_node_),
                        after = picture->layout.box_of(anchor_node_);
    if (before != kNone && after != kNone) {
      camera_.taken_over();
      GraphCamera::keep_in_place(c.state, picture_->layout.boxes[before], picture->layout.boxes[after]);
    }
  }
  anchor_node_ = kNone;
  picture_ = std::move(picture);
  keys_ = {};  // another picture may lie where the former one did
  hovered_ = menu_box_ = kNone;
}

void GraphPanel::refresh(PanelContext& c) {
  if (c.generations() != generations_) {
    generations_ = c.generations();
    picture_ = nullptr;
    job_ = nullptr;
    camera_.forget();
  }
  steps_[0] = step_at_cursor(c.a, c.state.cursor, c.status);
  steps_[1] = c.comparing() ? step_at_cursor(c.b, c.cursor_of(1), c.status_of(1)) : StepAtCursor{};
  const auto &a = steps_[0].view, &b = steps_[1].view;
  if (a == nullptr || (c.comparing() && b == nullptr)) return;
  if (job_ != nullptr && job_->done.load()) {
    take(c, job_->picture);
    job_ = nullptr;
  }
  const bool grows = !a->complete || (a->unmarked && c.status.mode != RunMode::finished);
  const bool same = picture_ != nullptr && picture_->a == a && picture_->b == b && picture_->grows == grows &&
                    folds_version_ == c.state.folds_version();
  if (same || job_ != nullptr) {
    c.wants_frame = c.wants_frame || job_ != nullptr;
    return;
  }
  const bool only_steps = picture_ != nullptr && folds_version_ == c.state.folds_version() &&
                          picture_->comparing() == c.comparing();
  const bool runs = c.status.mode == RunMode::running || c.status_of(1).mode == RunMode::running;
  if (only_steps && runs && c.time < made_at_ + kBetweenPictures) {
    c.wants_frame = true;
    return;
  }
  made_at_ = c.time;
  folds_version_ = c.state.folds_version();
  const Folds& folds = c.state.view().folds;
  const std::array<Steps, 2> recent{c.a != nullptr ? c.a->recent : Steps{},
                                    c.b != nullptr ? c.b->recent : Steps{}};
  // A growing tape keeps what stands; a fold or another program is laid out again around the kept places.
  const auto previous = picture_ != nullptr && picture_->comparing() == c.comparing() ? picture_ : nullptr;
  if (a->ops.size() + (b ? b->ops.size() : 0) <= kOpsAtOnce) {
    take(c, make_picture(a, b, recent, folds, previous.get(), grows));
    return;
  }
  job_ = std::make_unique<Job>();
  Job* job = job_.get();
  job->thread = std::jthread([job, a, b, recent, folds, previous, grows](std::stop_token stop) {
    job->picture = make_picture(a, b, recent, folds, previous.get(), grows, stop);
    job->done.store(true);
  });
  c.wants_frame = true;
}

void GraphPanel::refresh_scene(PanelContext& c, int program) {
  const auto p = static_cast<std::size_t>(program);
  const Snapshot* snapshot = program == 0 ? c.a : c.b;
  // While a picture is on its way the old one is drawn, with its own step.
  StepAtCursor step = steps_[p];
  const auto& drawn = program == 0 ? picture_->a : picture_->b;
  if (step.view != drawn) step = {drawn, drawn, static_cast<std::uint32_t>(drawn->ops.size()), false, 0};
  const FrameView* frame = c.status_of(program).frame.get();
  SceneKey key{picture_.get(),
               snapshot ? snapshot->version : 0,
               c.cursor_of(program).position,
               frame ? frame->hash : 0,
               step.done,
               c.state.graph_colour,
               step.paused,
               c.state.filter()};
  if (key == keys_[p]) return;
  keys_[p] = std::move(key);
  SceneInput in;
  in.picture = picture_.get();
  in.program = program;
  in.snapshot = snapshot;
  in.step = &step;
  // Inside a node the cursor stands on that one, though it has not been executed yet.
  const bool inside = step.paused && !step.expanded && frame != nullptr && frame->frame.inner > 0;
  in.now_op = inside ? step.view->op_at_node(static_cast<std::int64_t>(step.position), &in.now_backward_step)
                     : focus_[p].at_cursor(step, &in.now_backward_step);
  in.frame = frame;
  in.colour = static_cast<GraphColour>(c.state.graph_colour % static_cast<int>(GraphColour::count_));
  in.filter = c.state.filter();
  scenes_[p] = make_scene(in);
}

std::uint32_t GraphPanel::box_of_source(int program, std::string_view name) const {
  const auto& boxes = picture_->layout.boxes;
  for (std::uint32_t i = 0; i < boxes.size(); ++i) {
    if (boxes[i].lane != layout::Lane::Variables || boxes[i].kind == layout::BoxKind::Portal) continue;
    if (picture_->texts[static_cast<std::size_t>(program)][i].title == name) return i;
  }
  return kNone;
}

std::uint32_t GraphPanel::selected_box(const PanelContext& c, int program) const {
  const Selection& selection = c.state.selection();
  if (selection.kind == Selection::Kind::op) {
    return selection.program == program
               ? picture_->box_of(program, static_cast<std::uint32_t>(selection.index))
               : kNone;
  }
  if (selection.kind == Selection::Kind::source) return box_of_source(program, selection.name);
  if (selection.kind == Selection::Kind::alert && program == 0 && c.a != nullptr &&
      selection.index < c.a->alerts.size()) {
    const AlertRow& alert = c.a->alerts[selection.index];
    for (const CutMark& cut : scenes_[0].cuts) {
      if (cut.source == alert.subject) return cut.edge_box;
    }
    return alert.op_index != kNoOp ? picture_->box_of(0, alert.op_index) : box_of_source(0, alert.subject);
  }
  return kNone;
}

void GraphPanel::draw(PanelContext& c) {
  refresh(c);
  if (picture_ == nullptr || picture_->comparing() != c.comparing()) {
    const bool busy = job_ != nullptr || (c.comparing() && c.status.mode == RunMode::running);
    constexpr std::string_view what =
        "The op graph of a training step: variables at the left, forward ops downwards, their backward ops "
        "beside them, gradients at the right.";
    return busy ? empty_state(c, "The graph is being laid out.") : awaits_op(c, what);
  }
  const ImVec2 min = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const ImVec2 max{min.x + size.x, min.y + size.y};
  if (!c.comparing()) {
    draw_pane(c, 0, min, max);
    return;
  }
  const float middle = std::round((min.x + max.x) / 2), gap = std::round(c.m().gap / 2),
              head = c.m().header_height;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled({middle - gap, min.y}, {middle + gap, max.y}, c.color(Color::window));
  for (int p = 0; p < 2; ++p) {
    const float left = p == 0 ? min.x : middle + gap, right = p == 0 ? middle - gap : max.x;
    draw_pane_header(c, p, {left, min.y}, {right, min.y + head});
    draw_pane(c, p, {left, min.y + head}, {right, max.y});
  }
}

void GraphPanel::draw_pane(PanelContext& c, int program, ImVec2 min, ImVec2 max) {
  if (max.x - min.x < 8 || max.y - min.y < 8) return;
  refresh_scene(c, program);
  const auto p = static_cast<std::size_t>(program);
  const std::uint32_t selected = selected_box(c, program);
  if (program == 0) {
    const bool moves = camera_.update(c.state, *picture_, {max.x - min.x, max.y - min.y}, c.m().scale, c.time,
                                      selected, scenes_[0].now_box);
    c.wants_frame = c.wants_frame || moves;
  }
  ImGui::SetCursorScreenPos(min);
  ImGui::PushID(program);
  ImGui::InvisibleButton("canvas", {max.x - min.x, max.y - min.y},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  c.map.item(program == 0 ? "graph/canvas" : "graph/b/canvas", program == 0 ? "graph" : "graph of B");
  ImGui::PopID();
  CanvasView view{min, max, c.state.camera.x, c.state.camera.y, c.state.camera.zoom};
  handle_input(c, program, view);
  view.x = c.state.camera.x, view.y = c.state.camera.y, view.zoom = c.state.camera.zoom;

  GraphCanvas canvas(c, *picture_, scenes_[p], program, view);
  canvas.draw(selected, hovered_program_ == program ? hovered_ : kNone);
  canvas.draw_headings(c.m().px(26));
  draw_minimap(c, program, view);
  name_items(c, program, canvas, view);
  if (hovered_program_ == program && hovered_ != kNone && !dragging_) tooltip(c, program, hovered_);
  if (program == 0) draw_menu(c);
}

void GraphPanel::handle_input(PanelContext& c, int program, const CanvasView& view) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool over = ImGui::IsItemHovered(), held = ImGui::IsItemActive();
  Camera& camera = c.state.camera;
  if (over && io.MouseWheel != 0) {
    if (io.KeyShift) {
      camera.x -= io.MouseWheel * 80 * c.m().scale / camera.zoom;
    } else {
      // The canvas point under the pointer stays there.
      const layout::Point at = view.to_canvas(io.MousePos);
      const float fine = io.KeyCtrl ? 0.3f : 1;
      const float zoom = std::clamp(camera.zoom * std::pow(kZoomPerNotch, io.MouseWheel * fine),
                                    0.004f * c.m().scale, 4 * kFullZoom * c.m().scale);
      camera.x = at.x + (camera.x - at.x) * camera.zoom / zoom;
      camera.y = at.y + (camera.y - at.y) * camera.zoom / zoom;
      camera.zoom = zoom;
    }
    camera_.taken_over();
  }
  if (held && !in_minimap_) {
    const bool left = ImGui::IsMouseDragging(0, 4 * c.m().scale),
               right = ImGui::IsMouseDragging(1, 4 * c.m().scale);
    if (left || right) {
      dragging_ = true;
      camera.x -= io.MouseDelta.x / camera.zoom;
      camera.y -= io.MouseDelta.y / camera.zoom;
      camera_.taken_over();
    }
  }
  if (over || held) {
    hovered_program_ = program;
    const layout::Point at = view.to_canvas(io.MousePos);
    hovered_ = over && !dragging_ && !in_minimap_ ? picture_->layout.box_at(at.x, at.y) : kNone;
    if (hovered_ != kNone && picture_->layout.boxes[hovered_].kind == layout::BoxKind::Pass) hovered_ = kNone;
  } else if (hovered_program_ == program) {
    hovered_ = kNone;
  }
  if (over && ImGui::IsMouseDoubleClicked(0) && !in_minimap_) click(c, program, hovered_, true);
  else if (ImGui::IsItemDeactivated() && !dragging_ && !in_minimap_ && over && ImGui::IsMouseReleased(0))
    click(c, program, hovered_, false);
  // The right button moves the graph where it is dragged, else it asks what may be done here.
  if (over && ImGui::IsMouseReleased(1) && !dragging_ && !in_minimap_) {
    if (hovered_ != kNone) click(c, program, hovered_, false);
    menu_box_ = hovered_;
    menu_asked_ = true;
  }
  if (!ImGui::IsMouseDown(0) && !ImGui::IsMouseDown(1)) dragging_ = false;
}

void GraphPanel::draw_menu(PanelContext& c) {
  constexpr const char* kMenu = "graph-menu";
  if (std::exchange(menu_asked_, false)) ImGui::OpenPopup(kMenu);
  if (!ImGui::BeginPopup(kMenu)) return;
  const auto entry = [&](const char* label, const char* command) {
    if (ImGui::MenuItem(label, c.commands.keys(command).c_str())) c.commands.post(command);
    c.map.item(std::string("graph/menu/") + command, label);
    c.map.has_tooltip(std::string("graph/menu/") + command);
  };
  if (menu_box_ != kNone && menu_box_ < picture_->layout.boxes.size()) {
    const bool of_op = c.state.selection().kind == Selection::Kind::op;
    if (of_op) {
      entry("Run to this op", "run-to-selection");
      entry("Stop at this op", "toggle-breakpoint");
      entry("Stop at ops of this type", "toggle-type-breakpoint");
      entry("Read the values of all ops", "read-values");
      entry("Next op of this type", "next-same");
    }
    const layout::BoxKind kind = picture_->layout.boxes[menu_box_].kind;
    const bool pile = kind == layout::BoxKind::Scope || kind == layout::BoxKind::Series;
    if (ImGui::MenuItem(pile ? "Open it" : "Fold its scope", "double-click")) fold(c, menu_box_);
    c.map.item("graph/menu/fold", pile ? "Open it" : "Fold its scope");
    c.map.has_tooltip("graph/menu/fold");
    entry("Focus", "focus");
    entry("Copy the inspector", "copy inspector");
  } else {
    entry("Fit the graph", "fit");
    entry("Undo", "undo");
    entry("Copy the graph as text", "copy graph");
  }
  ImGui::EndPopup();
}

void GraphPanel::click(PanelContext& c, int program, std::uint32_t box, bool twice) {
  if (box == kNone) {
    if (!twice) c.state.select({});
    return;
  }
  if (twice) {
    fold(c, box);
    return;
  }
  const layout::Box& at = picture_->layout.boxes[box];
  const std::vector<std::uint32_t> ops = picture_->ops_of(program, box);
  const std::string& title = picture_->texts[static_cast<std::size_t>(program)][box].title;
  if (at.kind == layout::BoxKind::Gradient || ops.empty()) {
    if (at.kind == layout::BoxKind::Portal && at.source_box != kNone) {
      const auto real = picture_->ops_of(program, at.source_box);
      if (!real.empty()) c.state.select({Selection::Kind::op, real.front(), {}, program});
      c.state.camera.wish = Camera::Wish::focus_selection;
      return;
    }
    const std::string name =
        at.kind == layout::BoxKind::Gradient && title.starts_with("d ") ? title.substr(2) : title;
    const auto& rows = (program == 0 ? c.a : c.b)->gradients;
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const GradientRow& r) { return r.source == name; });
    if (row != rows.end())
      c.state.select(
          {Selection::Kind::source, static_cast<std::uint64_t>(row - rows.begin()), name, program});
    return;
  }
  // Of several ops in one box the click chooses the longest; a second click the next one.
  const StepView& view = picture_->view(program);
  const Selection& selection = c.state.selection();
  const auto chosen = std::find(ops.begin(), ops.end(), static_cast<std::uint32_t>(selection.index));
  std::uint32_t op = *std::max_element(ops.begin(), ops.end(), [&](std::uint32_t x, std::uint32_t y) {
    return view.ops[x].duration_us < view.ops[y].duration_us;
  });
  if (selection.kind == Selection::Kind::op && chosen != ops.end())
    op = chosen + 1 == ops.end() ? ops.front() : chosen[1];
  c.state.select({Selection::Kind::op, op, {}, program});
}

void GraphPanel::fold(PanelContext& c, std::uint32_t box) {
  const layout::Box& at = picture_->layout.boxes[box];
  const auto& graph = picture_->model.graph;
  const bool pile = at.kind == layout::BoxKind::Scope || at.kind == layout::BoxKind::Series;
  const std::uint32_t scope = pile                             ? at.scope
                              : at.first_op < graph.ops.size() ? graph.ops[at.first_op].scope
                                                               : kNone;
  if (scope == kNone) return;
  anchor_node_ = at.first_op;
  c.state.set_fold(graph.scopes[scope].key, !pile);
}

void GraphPanel::name_items(PanelContext& c, int program, const GraphCanvas& canvas,
                            const CanvasView& view) const {
  std::size_t named = 0;
  const std::string prefix = program == 0 ? "graph/" : "graph/b/";
  const auto& boxes = picture_->layout.boxes;
  for (const std::uint32_t box : canvas.shown()) {
    if (named >= kMostItems) return;
    ImVec2 min = canvas.box_min(box), max = canvas.box_max(box);
    const float x = (min.x + max.x) / 2, y = (min.y + max.y) / 2;
    if (x < view.min.x || x > view.max.x || y < view.min.y || y > view.max.y) continue;
    const std::string& title = picture_->texts[static_cast<std::size_t>(program)][box].title;
    const layout::Box& at = boxes[box];
    if (at.kind == layout::BoxKind::Scope || at.kind == layout::BoxKind::Series) {
      c.map.rect(fmt::format("{}scope/{:x}/{}", prefix, at.key, static_cast<int>(at.lane)), title, min, max);
      ++named;
      continue;
    }
    if (at.kind == layout::BoxKind::Gradient) {
      c.map.rect(fmt::format("{}gradient/{:x}", prefix, at.key), title, min, max);
      ++named;
    }
    for (const std::uint32_t op : picture_->ops_of(program, box)) {
      c.map.rect(fmt::format("{}op/{}", prefix, op), picture_->view(program).ops[op].name, min, max);
      ++named;
    }
  }
}

std::string GraphPanel::text(const PanelContext& c) const {
  std::string text;
  for (int p = 0; p < (c.comparing() ? 2 : 1); ++p) {
    const StepAtCursor step = step_at_cursor(p == 0 ? c.a : c.b, c.cursor_of(p), c.status_of(p));
    if (step.view == nullptr) continue;
    text += fmt::format("step {}{}\n", c.step_shown(step.number(), p),
                        c.comparing() ? (p == 0 ? ", A" : ", B") : "");
    for (std::uint32_t i = 0; i < step.view->ops.size(); ++i) {
      const OpRow& row = step.row(i);
      text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\n", i, name_of(row.direction), row.op, row.name,
                          row.types, format_us(row.duration_us), row.location);
    }
  }
  return text;
}

}  // namespace tapescope::ui
