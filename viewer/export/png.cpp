// The graph as a picture, drawn by cairo: needs no display.
#include <algorithm>
#include <cmath>
#include <memory>

#include <cairo.h>

#include "engine/core/error.h"
#include "viewer/export/files.h"
#include "viewer/export/graph_drawing.h"
#include "viewer/export/report_json.h"

namespace tapescope {
namespace {

constexpr double kScale = 2;            // pixels a unit, so that words are sharp
constexpr double kMostPixels = 64e6;    // a larger drawing is drawn smaller
constexpr double kMostSide = 32000;     // cairo's limit is 32,767
constexpr const char* kFont = "Inter";  // fontconfig takes another where it is missing

struct Destroy {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* cairo) const { cairo_destroy(cairo); }
};

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  fail(ErrorKind::surroundings, "export",
       std::string("the picture cannot be drawn: ") + cairo_status_to_string(status));
}

void set_colour(cairo_t* cairo, std::uint32_t colour) {
  const auto part = [&](int shift) { return static_cast<double>(colour >> shift & 255) / 255; };
  cairo_set_source_rgb(cairo, part(16), part(8), part(0));
}

void draw(cairo_t* cairo, const GraphDrawing::Line& line) {
  for (const layout::Point& point : line.points) cairo_line_to(cairo, point.x, point.y);
  set_colour(cairo, line.colour);
  cairo_stroke(cairo);
}

void draw(cairo_t* cairo, const GraphDrawing::Box& box) {
  constexpr double kRadius = GraphDrawing::kRounding, kQuarter = 1.5707963267948966;
  const double left = box.x + kRadius, right = box.x + box.w - kRadius;
  const double top = box.y + kRadius, bottom = box.y + box.h - kRadius;
  cairo_new_path(cairo);
  cairo_arc(cairo, right, top, kRadius, -kQuarter, 0);
  cairo_arc(cairo, right, bottom, kRadius, 0, kQuarter);
  cairo_arc(cairo, left, bottom, kRadius, kQuarter, 2 * kQuarter);
  cairo_arc(cairo, left, top, kRadius, 2 * kQuarter, 3 * kQuarter);
  cairo_close_path(cairo);
  set_colour(cairo, box.fill);
  cairo_fill_preserve(cairo);
  set_colour(cairo, GraphDrawing::kFrame);
  cairo_stroke(cairo);
}

double width_of(cairo_t* cairo, const std::string& text) {
  cairo_text_extents_t extents;
  cairo_text_extents(cairo, text.c_str(), &extents);
  return extents.x_advance;
}

// Without the last character of UTF-8.
void drop_last(std::string& text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80) text.pop_back();
  if (!text.empty()) text.pop_back();
}

// Cairo draws nothing more after bytes that are no UTF-8, which a recording may hold: those are replaced.
std::string valid_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
}

void draw(cairo_t* cairo, const GraphDrawing::Words& words) {
  cairo_set_font_size(cairo, words.size);
  std::string text = valid_utf8(words.text);
  // What does not fit its box ends with an ellipsis.
  if (width_of(cairo, text) > words.room) {
    while (!text.empty() && width_of(cairo, text + "…") > words.room) drop_last(text);
    text += "…";
  }
  cairo_move_to(cairo, words.x, words.y);
  set_colour(cairo, words.colour);
  cairo_show_text(cairo, text.c_str());
}

}  // namespace

std::string graph_png(const StepView& view) {
  const GraphDrawing drawing = draw_graph(view);
  const double width = drawing.width, height = drawing.height;
  const double scale =
      std::min({kScale, std::sqrt(kMostPixels / (width * height)), kMostSide / std::max(width, height)});
  const std::unique_ptr<cairo_surface_t, Destroy> surface(
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width * scale)),
                                 static_cast<int>(std::ceil(height * scale))));
  check(cairo_surface_status(surface.get()));
  const std::unique_ptr<cairo_t, Destroy> cairo(cairo_create(surface.get()));
  cairo_set_source_rgb(cairo.get(), 1, 1, 1);
  cairo_paint(cairo.get());
  cairo_scale(cairo.get(), scale, scale);
  cairo_translate(cairo.get(), -drawing.left, -drawing.top);
  cairo_set_line_width(cairo.get(), 1);
  cairo_select_font_face(cairo.get(), kFont, CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  for (const GraphDrawing::Line& line : drawing.lines) draw(cairo.get(), line);
  for (const GraphDrawing::Box& box : drawing.boxes) draw(cairo.get(), box);
  for (const GraphDrawing::Words& words : drawing.words) draw(cairo.get(), words);
  check(cairo_status(cairo.get()));

  std::string bytes;
  const auto append = [](void* to, const unsigned char* data, unsigned size) {
    static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
    return CAIRO_STATUS_SUCCESS;
  };
  check(cairo_surface_write_to_png_stream(surface.get(), append, &bytes));
  return bytes;
}

}  // namespace tapescope
