// The canvas's boxes: nodes, variables and gradients, the cursor, cuts and what a comparison marks.
#include <algorithm>
#include <cmath>

#include "viewer/panels/graph_canvas.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {

using layout::Box;
using layout::BoxKind;
using layout::kNone;
using layout::Lane;

namespace {
constexpr float kLeastText = 10;                       // pixels at scale 1: an em of the smallest text
constexpr float kLeastKept = 0.66f;                    // of that: boxes that are smaller have no room for it
constexpr float kTitle = 12, kLeastTitleKept = 0.45f;  // names stay, without the line below them
constexpr float kLeastWhole = 30;                      // height of a leaf that has one to itself
constexpr std::string_view kNormWord = "norm ";        // before the figure of a gradient box
}  // namespace

// Nothing is written smaller than can be read: it stays at that size for a while, then it is left out.
float GraphCanvas::text_size(float em) const {
  const float least = kLeastText * c_.m().scale, size = px(em);
  const float kept = em >= kTitle ? kLeastTitleKept : kLeastKept;
  return size >= least ? size : size >= kept * least ? least : 0;
}

float GraphCanvas::label_width(Fonts::Face face, float em, std::string_view text) const {
  const float size = text_size(em);
  const ImFont* font = c_.fonts.nearest(face, size);
  return size <= 0 ? 0
                   : font->CalcTextSizeA(c_.fonts.font_height(font, size), 1e9f, 0, text.data(),
                                         text.data() + text.size())
                         .x;
}

void GraphCanvas::draw_label(Fonts::Face face, float em, ImVec2 at, ImU32 color, std::string_view text,
                             float width, bool right, bool middle) const {
  const float size = text_size(em);
  if (text.empty() || width <= 0 || size <= 0) return;
  const ImFont* font = c_.fonts.nearest(face, size);
  const float height = c_.fonts.font_height(font, size);
  const auto measure = [&](std::string_view t) {
    return font->CalcTextSizeA(height, 1e9f, 0, t.data(), t.data() + t.size()).x;
  };
  float used = measure(text);
  std::string cut;
  if (const float room = width - measure("…"); used > width && is_path(text)) {
    cut = "…" + std::string(end_of_path(text, room, measure));
    text = cut;
    used = measure(text);
  } else if (used > width) {
    // Leaves out the end; the tooltip has the whole text.
    const char* rest = nullptr;
    font->CalcTextSizeA(height, std::max(1.0f, room), 0, text.data(), text.data() + text.size(), &rest);
    if (room <= 0 || rest <= text.data()) return;
    cut.assign(text.data(), rest);
    cut += "…";
    text = cut;
    used = measure(text);
  }
  // `at` is the middle of the line's height.
  const float x = right ? at.x - used : middle ? at.x - used / 2 : at.x;
  list_->AddText(font, height, {std::round(x), std::round(at.y - height / 2)}, color, text.data(),
                 text.data() + text.size());
}

ImU32 GraphCanvas::bar_color(std::uint32_t box) const {
  const float value = scene_.value[box];
  if (!std::isfinite(value)) return 0;
  if (!scene_.classes.empty())
    return c_.theme.heat((value + 0.5f) / static_cast<float>(scene_.classes.size()));
  return c_.theme.heat(static_cast<float>((value - scene_.low) / (scene_.high - scene_.low)));
}

void GraphCanvas::draw_outline(ImVec2 min, ImVec2 max, ImU32 color, float rounding, float width,
                               bool dashed) const {
  if (dashed) {
    draw_dashed_rect(list_, min, max, color, rounding, width, 4 * c_.m().scale, 4 * c_.m().scale);
  } else {
    list_->AddRect(min, max, color, rounding, 0, width);
  }
}

void GraphCanvas::draw_box(std::uint32_t box, bool selected, bool hovered) {
  const Box& b = p_.layout.boxes[box];
  if (detail_ != Detail::speck) shown_.push_back(box);
  if (detail_ == Detail::text) {
    if (b.kind == BoxKind::Pass) draw_pass(box);
    else if (b.lane == Lane::Variables || b.lane == Lane::Gradients || b.kind == BoxKind::Portal)
      draw_leaf(box, selected, hovered);
    else draw_node(box, selected, hovered);
    if (scene_.mark[box] != BoxMark::none) draw_mark(box);
    return;
  }
  // Too small for words: the colour scale fills the box.
  const ImVec2 min = box_min(box), max = box_max(box);
  const bool pending = scene_.state[box] == BoxState::pending || scene_.state[box] == BoxState::absent;
  ImU32 fill = bar_color(box);
  if (fill == 0) {
    fill = c_.color(b.lane == Lane::Variables   ? Color::value
                    : b.lane == Lane::Gradients ? Color::gradient
                                                : Color::line);
  }
  if (scene_.broken[box]) fill = c_.color(Color::broken);
  if (box == scene_.now_box || selected) fill = c_.color(Color::cursor);
  if (b.kind == BoxKind::Pass) return;
  if (pending) fill = c_.color(Color::faint, 0.6f);
  if (scene_.dimmed[box]) fill = (fill & ~IM_COL32_A_MASK) | (40u << IM_COL32_A_SHIFT);
  list_->AddRectFilled(min, {std::max(max.x, min.x + 1), std::max(max.y, min.y + 1)}, fill);
  if (hovered)
    list_->AddRect({min.x - 1, min.y - 1}, {max.x + 1, max.y + 1}, c_.color(Color::text), 0, 0, c_.m().line);
  // A name alone where one line of the smallest text fits.
  const float least = kLeastText * c_.m().scale;
  if (detail_ != Detail::plain || max.y - min.y < 1.1f * least || scene_.dimmed[box]) return;
  draw_label(Fonts::Face::text, least / unit_, {(min.x + max.x) / 2, (min.y + max.y) / 2},
             c_.theme.text_on(fill), p_.texts[static_cast<std::size_t>(program_)][box].title,
             max.x - min.x - c_.m().px(4), false, true);
}

void GraphCanvas::draw_node(std::uint32_t box, bool selected, bool hovered) const {
  const ImVec2 min = box_min(box), max = box_max(box);
  const BoxState state = scene_.state[box];
  const BoxMark mark = scene_.mark[box];
  const bool later = state == BoxState::pending || state == BoxState::absent;
  const bool faded = scene_.dimmed[box];
  const float alpha = faded ? 0.25f : 1;
  const float rounding = unit_ > 0.7f * c_.m().scale ? px(6) : 0;
  const BoxText& text = p_.texts[static_cast<std::size_t>(program_)][box];
  const bool pile =
      p_.layout.boxes[box].kind == BoxKind::Scope || p_.layout.boxes[box].kind == BoxKind::Series;

  if (pile) {  // a scope holds more: it looks like a stack of cards
    list_->AddRectFilled({min.x + px(4), max.y}, {max.x - px(4), max.y + px(3)}, c_.color(Color::line, alpha),
                         px(2));
  }
  Color fill = later ? Color::panel : selected ? Color::selection : hovered ? Color::hovered : Color::raised;
  list_->AddRectFilled(min, max, c_.color(fill, faded ? 0.5f : 1), rounding);
  Color line = later ? Color::faint : Color::line;
  float width = c_.m().line;
  if (mark == BoxMark::only) line = Color::cursor, width = std::max(1.0f, px(1.6f));
  if (mark == BoxMark::changed) line = Color::value, width = std::max(1.0f, px(1.6f));
  if (scene_.broken[box]) line = Color::broken, width = std::max(1.0f, px(1.6f));
  if (selected) line = Color::text;
  if (state == BoxState::now) line = Color::cursor, width = std::max(1.5f, px(2.4f));
  draw_outline(min, max, c_.color(line, faded ? 0.5f : 1), rounding, width, later);
  const ImU32 bar = later ? c_.color(Color::faint) : bar_color(box);
  if (bar != 0 && !faded)
    list_->AddRectFilled({min.x + px(1), min.y + px(5)}, {min.x + px(5), max.y - px(5)}, bar, px(2));

  const float left = min.x + px(14), right = max.x - px(10), room = right - left;
  // A second line that would be too small to read leaves its room to the first.
  const float first = min.y + (max.y - min.y) * (text_size(11) > 0 ? 0.31f : 0.5f);
  const float second = min.y + (max.y - min.y) * 0.70f;
  const ImU32 strong = c_.color(later ? Color::dim : Color::text, alpha),
              weak = c_.color(Color::dim, later ? 0.8f * alpha : alpha);
  const float title = std::min(room, label_width(Fonts::Face::bold, 13, text.title));
  draw_label(Fonts::Face::bold, 13, {left, first}, strong, text.title, room);
  draw_label(Fonts::Face::text, 11, {right, first}, weak, text.tag, room - title - px(8), true);
  const bool timed = !later || p_.comparing();
  const float figure =
      timed && state != BoxState::absent ? label_width(Fonts::Face::mono, 10.5f, text.figure) : 0;
  draw_label(Fonts::Face::mono, 11, {left, second}, weak, text.shapes,
             room - figure - (figure > 0 ? px(8) : 0));
  if (figure > 0) draw_label(Fonts::Face::mono, 10.5f, {right, second}, weak, text.figure, room, true);
}

void GraphCanvas::draw_leaf(std::uint32_t box, bool selected, bool hovered) const {
  const Box& b = p_.layout.boxes[box];
  const ImVec2 min = box_min(box), max = box_max(box);
  const bool gradient = b.lane == Lane::Gradients, portal = b.kind == BoxKind::Portal;
  const bool later = scene_.state[box] == BoxState::pending || scene_.state[box] == BoxState::absent;
  const bool broken = scene_.broken[box], faded = scene_.dimmed[box];
  const float rounding = gradient ? px(6) : (max.y - min.y) / 2;
  const float alpha = faded ? 0.25f : 1;
  const Color line = broken     ? Color::broken
                     : later    ? Color::faint
                     : gradient ? Color::gradient
                     : portal   ? Color::dim
                                : Color::value;
  list_->AddRectFilled(min, max,
                       c_.color(selected  ? Color::selection
                                : hovered ? Color::hovered
                                          : Color::window),
                       rounding);
  draw_outline(min, max, c_.color(line, alpha), rounding, std::max(1.0f, px(selected ? 2 : 1.3f)),
               later || portal);
  const BoxText& text = p_.texts[static_cast<std::size_t>(program_)][box];
  std::string_view second = gradient ? std::string_view(scene_.gradient_text[box]) : text.shapes;
  const float x = (min.x + max.x) / 2, room = max.x - min.x - px(16);
  const ImU32 strong = c_.color(broken ? Color::broken_text : later ? Color::dim : Color::text, alpha);
  const float middle = (min.y + max.y) / 2;
  if (second.empty() || (!is_half(box) && text_size(10) <= 0)) {
    draw_label(Fonts::Face::text, 12, {x, middle}, strong, text.title, room, false, true);
    return;
  }
  if (is_half(box)) {  // two share the height of one: name and figure stand on one line, which has no room
                       // for the word
    if (second.starts_with(kNormWord)) second.remove_prefix(kNormWord.size());
    // The name is kept as long as other names are.
    const float em = text_size(11) > 0 ? 11 : kTitle;
    const float title = std::min(room, label_width(Fonts::Face::text, em, text.title));
    draw_label(Fonts::Face::text, em, {min.x + px(8), middle}, strong, text.title, room);
    draw_label(Fonts::Face::mono, 9.5f, {max.x - px(8), middle},
               c_.color(broken && gradient ? Color::broken_text : Color::dim, alpha), second,
               room - title - px(8), true);
    return;
  }
  draw_label(Fonts::Face::text, 12, {x, min.y + (max.y - min.y) * 0.32f}, strong, text.title, room, false,
             true);
  draw_label(Fonts::Face::mono, 10, {x, min.y + (max.y - min.y) * 0.70f},
             c_.color(broken && gradient ? Color::broken_text : Color::dim, alpha), second, room, false,
             true);
}

// The gradient goes through an op that does nothing to it: a line, and a small name.
void GraphCanvas::draw_pass(std::uint32_t box) const {
  const ImVec2 min = box_min(box), max = box_max(box);
  const bool later = scene_.state[box] != BoxState::done;
  const ImU32 color = c_.color(later ? Color::faint : Color::cursor);
  const float x = (min.x + max.x) / 2, width = std::max(1.0f, px(1.5f));
  if (later) draw_dashed_line(list_, {x, max.y}, {x, min.y}, color, width, px(4), px(4));
  else list_->AddLine({x, max.y}, {x, min.y}, color, width);
  draw_label(Fonts::Face::text, 10.5f, {x + px(8), (min.y + max.y) / 2}, c_.color(Color::dim), "unchanged",
             max.x - x - px(10));
}

void GraphCanvas::draw_cursor() const {
  if (scene_.now_box == kNone || detail_ == Detail::speck) return;
  const ImVec2 min = box_min(scene_.now_box), max = box_max(scene_.now_box);
  const ImU32 color = c_.color(Color::cursor);
  const float d = std::max(3.0f, px(6));
  list_->AddRect({min.x - d, min.y - d}, {max.x + d, max.y + d}, color, px(10), 0, c_.m().line);
  const float y = (min.y + max.y) / 2, x = min.x - d - px(4), size = std::max(4.0f, px(6));
  list_->AddTriangleFilled({x, y}, {x - size * 1.6f, y - size}, {x - size * 1.6f, y + size}, color);
}

bool GraphCanvas::is_half(std::uint32_t box) const { return p_.layout.boxes[box].h < kLeastWhole; }

void GraphCanvas::draw_mark(std::uint32_t box) const {
  const ImVec2 min = box_min(box), max = box_max(box);
  const char* other = program_ == 0 ? "+ only in A" : "+ only in B";
  const char* lacks = program_ == 0 ? "not in A" : "not in B";
  const BoxMark mark = scene_.mark[box];
  const char* words = mark == BoxMark::only ? other : mark == BoxMark::missing ? lacks : "≠ changed";
  const Color color = mark == BoxMark::only      ? Color::cursor_text
                      : mark == BoxMark::missing ? Color::dim
                                                 : Color::value_text;
  if (is_half(box)) {  // there may be another one above it
    const char* sign = mark == BoxMark::only ? "+" : mark == BoxMark::missing ? "−" : "≠";
    return draw_label(Fonts::Face::text, 10.5f, {min.x - px(10), (min.y + max.y) / 2}, c_.color(color), sign,
                      px(10));
  }
  draw_label(Fonts::Face::text, 10.5f, {min.x + px(2), min.y - px(8)}, c_.color(color), words, px(150));
}

void GraphCanvas::draw_cuts(int chosen) const {
  for (const CutMark& cut : scene_.cuts) {
    // One path at a time when a source is chosen; else all, as long as they are few.
    const bool strong = chosen == static_cast<int>(cut.row) || (chosen < 0 && scene_.cuts.size() <= 3);
    const float width = std::max(1.2f, px(strong ? 2 : 1.4f));
    if (detail_ != Detail::speck && strong) {
      for (const std::uint32_t wire : cut.path_wires)
        draw_wire(wire, c_.color(Color::good), width, false, detail_ == Detail::text);
    }
    for (const std::uint32_t wire : cut.cut_wires)
      draw_wire(wire, c_.color(Color::broken), width, true, detail_ == Detail::text);
    const auto middle = [&](std::uint32_t box) {
      const ImVec2 a = box_min(box), b = box_max(box);
      return ImVec2{(a.x + b.x) / 2, (a.y + b.y) / 2};
    };
    if (cut.edge_box == kNone) continue;
    if (cut.ghost && strong && cut.source_box != kNone) {
      draw_dashed_line(list_, middle(cut.source_box), middle(cut.edge_box), c_.color(Color::broken, 0.7f),
                       width, px(4), px(4));
    }
    if (detail_ != Detail::text) continue;
    const ImVec2 min = box_min(cut.edge_box), max = box_max(cut.edge_box);
    const float side = std::max(12.0f, px(18));
    draw_sign(c_, {min.x - side / 2, min.y - side / 2}, side, Sign::scissors, Color::broken);
    if (!strong) continue;
    const float room = label_width(Fonts::Face::text, 11, cut.words) + px(12);
    list_->AddRectFilled({min.x, max.y + px(3)}, {min.x + room, max.y + px(18)}, c_.color(Color::panel, 0.9f),
                         px(3));
    draw_label(Fonts::Face::text, 11, {min.x + px(6), max.y + px(10.5f)}, c_.color(Color::broken_text),
               cut.words, room);
  }
}

}  // namespace tapescope::ui
