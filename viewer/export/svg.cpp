// The graph as a drawing in Scalable Vector Graphics.
#include <fmt/format.h>

#include "viewer/export/files.h"
#include "viewer/export/graph_drawing.h"

namespace tapescope {
namespace {

std::string escaped_xml(std::string_view text) {
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

}  // namespace

std::string graph_svg(const StepView& view) {
  const GraphDrawing drawing = draw_graph(view);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"{2:.1f} "
      "{3:.1f} {0:.0f} {1:.0f}\" "
      "font-family=\"Inter, sans-serif\">\n<rect x=\"{2:.1f}\" y=\"{3:.1f}\" width=\"100%\" height=\"100%\" "
      "fill=\"white\"/>\n",
      drawing.width, drawing.height, drawing.left, drawing.top);
  for (const GraphDrawing::Line& line : drawing.lines) {
    out += fmt::format("<polyline fill=\"none\" stroke=\"#{:06x}\" points=\"", line.colour);
    for (const layout::Point& point : line.points) out += fmt::format("{:.1f},{:.1f} ", point.x, point.y);
    out += "\"/>\n";
  }
  for (const GraphDrawing::Box& box : drawing.boxes) {
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\" fill=\"#{:06x}\" "
        "stroke=\"#{:06x}\"/>\n",
        box.x, box.y, box.w, box.h, GraphDrawing::kRounding, box.fill, GraphDrawing::kFrame);
  }
  for (const GraphDrawing::Words& words : drawing.words) {
    // The widest font in use takes that much a character on average; words that may not fit are squeezed into
    // their room.
    constexpr float kAdvance = 0.56F;
    const bool squeezed = kAdvance * words.size * static_cast<float>(words.text.size()) > words.room;
    out += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" fill=\"#{:06x}\"{}>{}</text>\n", words.x, words.y,
        words.size, words.colour,
        squeezed ? fmt::format(" textLength=\"{:.1f}\" lengthAdjust=\"spacingAndGlyphs\"", words.room)
                 : std::string(),
        escaped_xml(words.text));
  }
  return out + "</svg>\n";
}

}  // namespace tapescope
