// Shared drawing helpers, so that all panels look alike. Each takes the frame's context; none keeps state.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "viewer/model/units.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

enum class Align : std::uint8_t { left, centre, right };

// What ImGui writes while it lives is in that font.
struct FontScope {
  explicit FontScope(ImFont* font) { ImGui::PushFont(font); }
  ~FontScope() { ImGui::PopFont(); }
  FontScope(const FontScope&) = delete;
  FontScope& operator=(const FontScope&) = delete;
};

// --- text by hand: nothing is laid out, the ImGui cursor does not move ---------------------------
// Draws at `at` (top left, or top right, or top centre by `align`), and returns the width.
float draw_text(ImDrawList* list, const ImFont* font, ImVec2 at, ImU32 color, std::string_view text,
                Align align = Align::left);
float text_width(const ImFont* font, std::string_view text);
// As much of `text` as fits in `width`, with "…" for the rest.
std::string elide(const ImFont* font, std::string_view text, float width);
// The same with "…" in the middle, where texts differ at their ends: "line_…(4711)".
std::string elide_middle(const ImFont* font, std::string_view text, float width);
// As much of the end of `text` as fits in `width` by `measure`.
template <typename Measure>
std::string_view fitting_end(std::string_view text, float width, const Measure& measure) {
  std::size_t begin = text.size();
  while (begin > 0) {
    std::size_t previous = begin - 1;
    while (previous > 0 && (static_cast<unsigned char>(text[previous]) & 0xc0) == 0x80)
      --previous;  // a character's later bytes
    width -= measure(text.substr(previous, begin - previous));
    if (width < 0) break;
    begin = previous;
  }
  return text.substr(begin);
}
// A name that is a path, as Keras' "model/hidden/kernel" or PyTorch's "model.hidden.weight": where it is too
// long its end says which one it is.
inline bool is_path(std::string_view name) { return name.find_first_of("/.") != std::string_view::npos; }
// As much of its end as fits: whole parts, where two of them do.
template <class Measure>
std::string_view end_of_path(std::string_view name, float width, const Measure& measure) {
  std::string_view end = fitting_end(name, width, measure);
  const std::size_t part = end.find_first_of("/.");
  if (part != end.npos && end.find_first_of("/.", part + 1) != end.npos)
    end.remove_prefix(part + (end[part] == '.'));
  return end;
}
// A name with "…" in place of the end, or of the beginning of a path.
std::string elide_name(const ImFont* font, std::string_view name, float width);
// Elided, with the whole text as tooltip while the pointer is on it. Returns the width drawn.
float draw_elided(PanelContext& c, const ImFont* font, ImVec2 at, float width, ImU32 color,
                  std::string_view text, Align align = Align::left);
// `text` with line breaks where it is wider than `width`: at blanks, within a word only where the word itself
// is wider.
std::string in_lines(const ImFont* font, std::string_view text, float width);
// Over as many lines as it needs. Returns their height, which is `wrapped_height` of the same text and width.
float draw_wrapped(ImDrawList* list, const ImFont* font, ImVec2 at, float width, ImU32 color,
                   std::string_view text);
float wrapped_height(const ImFont* font, std::string_view text, float width);
// The y that centres a line of `font` in a row from y with that height.
float centred(const ImFont* font, float y, float height);

// --- pieces of panels, laid out at the ImGui cursor ----------------------------------------------
// A semi-bold line inside a panel: "cotangent in", with dim monospaced text after it.
void subheading(PanelContext& c, std::string_view text, std::string_view note = {});
// A label at the left and a value right-aligned at `right` (window coordinates; 0: the content's right edge).
void key_value(PanelContext& c, std::string_view key, std::string_view value, Color value_color = Color::text,
               float right = 0);
// In the font and colour that are set, over as many lines of that width as it needs.
void flowing_text(std::string_view text, float width);
// A paragraph, wrapped to the content width.
void paragraph(PanelContext& c, std::string_view text, Color color = Color::text);
// What an empty panel says: what it shows, why there is nothing, what to do (`command` as a button, may be
// empty).
void empty_state(PanelContext& c, std::string_view what, std::string_view remedy = {},
                 std::string_view command = {}, std::string_view command_label = {});
// Of a panel that the first whole step fills: how to come by one, as the program stands now.
void awaits_step(PanelContext& c, std::string_view what);
void awaits_op(PanelContext& c, std::string_view what);  // of one that the first op fills

// A row across the content, selectable by mouse; draw on it by hand afterwards. Registers `id` in the map.
struct Row {
  ImVec2 min, max;
  bool clicked = false, double_clicked = false, hovered = false;
  bool visible = true;  // false: clipped, do not bother to draw
};
Row selectable_row(PanelContext& c, std::string_view id, std::string_view label, float height, bool selected);

// A text button of the house's look. Registers `id`; shows `tooltip` with the keys of `command` (may be
// empty). A disabled button's tooltip gives the reason.
bool text_button(PanelContext& c, std::string_view id, std::string_view label, std::string_view tooltip,
                 std::string_view command = {}, bool enabled = true, bool active = false);

// "first step: cold", with its right end there: times of one step hold what happens once. Registers `id`;
// returns the width with a gap, 0 where `room` is too narrow.
float cold_mark(PanelContext& c, std::string_view id, ImVec2 right_middle, float room);

// --- figures -------------------------------------------------------------------------------------
// A bar on its track, share 0..1.
void draw_bar(PanelContext& c, ImVec2 min, ImVec2 max, float share, ImU32 color);
// A line through the values, oldest first, scaled to their range; values that are not finite leave a gap.
void draw_sparkline(PanelContext& c, ImVec2 min, ImVec2 max, std::span<const float> values, ImU32 color);
// A sign in a rounded square with that outline: the icon of an alert. Signs are drawn as shapes.
enum class Sign : std::uint8_t { none_, retrace, partial, nonfinite, up, down, leak, info, scissors };
void draw_sign(PanelContext& c, ImVec2 min, float side, Sign sign, Color color);
void draw_arrow_head(ImDrawList* list, ImVec2 tip, ImVec2 direction, float size, ImU32 color);
void draw_dashed_line(ImDrawList* list, ImVec2 a, ImVec2 b, ImU32 color, float thickness, float dash,
                      float gap);
void draw_dashed_rect(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 color, float rounding, float thickness,
                      float dash, float gap);

// --- tooltips ------------------------------------------------------------------------------------
// Whether the pointer has rested for as long as words wait; asks for frames until it has.
bool pointer_rests(PanelContext& c);
// At once for figures; for words after a moment. `id` is the item's in the map.
void tooltip_numbers(PanelContext& c, std::string_view id, std::string_view text);
void tooltip_words(PanelContext& c, std::string_view id, std::string_view text, std::string_view keys = {});

}  // namespace tapescope::ui
