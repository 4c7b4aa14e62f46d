// The graph as a picture, drawn without a display: coverage of each pixel from its distance to the edge.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <png.h>

#include "engine/core/error.h"
#include "imgui.h"
#include "viewer/export/files.h"
#include "viewer/export/graph_drawing.h"
#include "viewer/ui/fontconfig.h"

namespace tapescope {
namespace {

constexpr float kScale = 2;           // pixels a unit, so that words are sharp
constexpr float kMostPixels = 64e6f;  // a larger drawing is drawn smaller
constexpr float kMostSide = 32000;    // what programs that show pictures still open

class Canvas {
 public:
  Canvas(const GraphDrawing& of, float scale)
      : scale_(scale),
        left_(of.left),
        top_(of.top),
        width_(static_cast<int>(std::ceil(of.width * scale))),
        height_(static_cast<int>(std::ceil(of.height * scale))),
        rgb_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_) * 3, 255) {}

  void line(layout::Point a, layout::Point b, std::uint32_t colour) {
    const layout::Point p = pixels(a.x, a.y), q = pixels(b.x, b.y);
    const float dx = q.x - p.x, dy = q.y - p.y, length = dx * dx + dy * dy, half = scale_ / 2;
    cover(std::min(p.x, q.x) - half, std::min(p.y, q.y) - half, std::max(p.x, q.x) + half,
          std::max(p.y, q.y) + half, colour, [&](float x, float y) {
            const float along =
                length > 0 ? std::clamp(((x - p.x) * dx + (y - p.y) * dy) / length, 0.0f, 1.0f) : 0;
            return half - std::hypot(x - p.x - along * dx, y - p.y - along * dy);
          });
  }

  void box(const GraphDrawing::Box& box) {
    const layout::Point a = pixels(box.x, box.y), b = pixels(box.x + box.w, box.y + box.h);
    const float radius = GraphDrawing::kRounding * scale_, half = scale_ / 2;
    const float cx = (a.x + b.x) / 2, cy = (a.y + b.y) / 2;
    // How far inside a rounded box a pixel is.
    const auto depth = [&](float x, float y) {
      const float qx = std::abs(x - cx) - (b.x - a.x) / 2 + radius,
                  qy = std::abs(y - cy) - (b.y - a.y) / 2 + radius;
      return radius - std::hypot(std::max(qx, 0.0f), std::max(qy, 0.0f)) - std::min(std::max(qx, qy), 0.0f);
    };
    cover(a.x, a.y, b.x, b.y, box.fill, depth);
    cover(a.x - half, a.y - half, b.x + half, b.y + half, GraphDrawing::kFrame,
          [&](float x, float y) { return half - std::abs(depth(x, y)); });
  }

  // `alpha` is the font's texture, of that width.
  void glyph(const ImFontGlyph& glyph, float x, float y, const unsigned char* alpha, int texture_width,
             int texture_height, std::uint32_t colour) {
    const int u = static_cast<int>(std::lround(glyph.U0 * static_cast<float>(texture_width)));
    const int v = static_cast<int>(std::lround(glyph.V0 * static_cast<float>(texture_height)));
    const int w = static_cast<int>(std::lround(glyph.X1 - glyph.X0)),
              h = static_cast<int>(std::lround(glyph.Y1 - glyph.Y0));
    const int px = static_cast<int>(std::lround(x + glyph.X0)),
              py = static_cast<int>(std::lround(y + glyph.Y0));
    for (int row = 0; row < h; ++row) {
      for (int column = 0; column < w; ++column) {
        blend(px + column, py + row, colour,
              static_cast<float>(alpha[(v + row) * texture_width + u + column]) / 255);
      }
    }
  }

  layout::Point pixels(float x, float y) const { return {(x - left_) * scale_, (y - top_) * scale_}; }

  std::string png() const {
    png_image image;
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    image.width = static_cast<png_uint_32>(width_);
    image.height = static_cast<png_uint_32>(height_);
    image.format = PNG_FORMAT_RGB;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::string bytes(size, '\0');
    if (png_image_write_to_memory(&image, bytes.data(), &size, 0, rgb_.data(), 0, nullptr) == 0) {
      fail(ErrorKind::surroundings, "export", std::string("the picture cannot be packed: ") + image.message);
    }
    bytes.resize(size);
    return bytes;
  }

 private:
  // Pixels of that rectangle whose middles are `inside` the shape, in pixels: half a pixel outside is
  // nothing, half a pixel inside is all.
  template <class Inside>
  void cover(float x0, float y0, float x1, float y1, std::uint32_t colour, Inside&& inside) {
    for (int y = static_cast<int>(std::floor(y0)); y <= static_cast<int>(std::ceil(y1)); ++y) {
      for (int x = static_cast<int>(std::floor(x0)); x <= static_cast<int>(std::ceil(x1)); ++x) {
        blend(x, y, colour,
              std::clamp(inside(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f) + 0.5f, 0.0f,
                         1.0f));
      }
    }
  }

  void blend(int x, int y, std::uint32_t colour, float alpha) {
    if (alpha <= 0 || x < 0 || y < 0 || x >= width_ || y >= height_) return;
    std::uint8_t* pixel =
        rgb_.data() +
        (static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)) * 3;
    for (int channel = 0; channel < 3; ++channel) {
      const auto to = static_cast<float>(colour >> (16 - 8 * channel) & 255);
      pixel[channel] = static_cast<std::uint8_t>(
          std::lround(static_cast<float>(pixel[channel]) * (1 - alpha) + to * alpha));
    }
  }

  float scale_, left_, top_;
  int width_, height_;
  std::vector<std::uint8_t> rgb_;
};

// The first character of UTF-8; a byte that is none stands for itself. Not empty.
unsigned take_code_point(std::string_view& text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  unsigned code = length == 1 ? first : first & (0x7fu >> length);
  if (length > text.size()) {
    text.remove_prefix(1);
    return first;
  }
  for (std::size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3fu);
  text.remove_prefix(length);
  return code;
}

// The two sizes of words, in a separate atlas: no window is needed.
class Lettering {
 public:
  explicit Lettering(float scale) : scale_(scale) {
    static constexpr ImWchar kRanges[] = {0x0020, 0x024f, 0x0370, 0x052f, 0x2010, 0x205e,
                                          0x2070, 0x209c, 0x2190, 0x22ff, 0};
    const ui::FontFinder finder;
    for (const float size : {10.0f, 12.0f}) {
      ImFont* font = nullptr;
      for (const char* family : {"Inter", "DejaVu Sans"}) {
        const ui::FontFile file = finder.find(family, false, false);
        const float em = file.path.empty() ? 0 : ui::em_per_height(file);
        if (em <= 0) continue;
        ImFontConfig config;
        config.MergeMode = font != nullptr;
        config.FontNo = file.face;
        // A pixel of the texture is one of the picture.
        config.OversampleH = config.OversampleV = 1;
        config.PixelSnapH = true;
        ImFont* added = atlas_.AddFontFromFileTTF(file.path.c_str(), size * scale / em, &config, kRanges);
        if (font == nullptr) font = added;
      }
      if (font == nullptr) {
        ImFontConfig config;
        config.SizePixels = size * scale;
        font = atlas_.AddFontDefault(&config);
      }
      fonts_.emplace_back(size, font);
    }
    atlas_.GetTexDataAsAlpha8(&alpha_, &width_, &height_);
  }

  void draw(Canvas& canvas, const GraphDrawing::Words& words) const {
    const ImFont* font = fonts_.front().second;
    for (const auto& [size, sized] : fonts_) {
      if (size <= words.size) font = sized;
    }
    std::vector<const ImFontGlyph*> glyphs;
    float width = 0;
    for (std::string_view left = words.text; !left.empty();) {
      glyphs.push_back(font->FindGlyph(static_cast<ImWchar>(take_code_point(left))));
      width += glyphs.back()->AdvanceX;
    }
    // What does not fit its box ends with an ellipsis.
    const ImFontGlyph* dots = font->FindGlyph(0x2026);
    const float room = words.room * scale_;
    if (width > room) {
      width += dots->AdvanceX;
      while (!glyphs.empty() && width > room) {
        width -= glyphs.back()->AdvanceX;
        glyphs.pop_back();
      }
      glyphs.push_back(dots);
    }
    layout::Point at = canvas.pixels(words.x, words.y);
    const float top = at.y - font->Ascent;
    for (const ImFontGlyph* glyph : glyphs) {
      canvas.glyph(*glyph, at.x, top, alpha_, width_, height_, words.colour);
      at.x += glyph->AdvanceX;
    }
  }

 private:
  float scale_;
  ImFontAtlas atlas_;
  std::vector<std::pair<float, ImFont*>> fonts_;
  unsigned char* alpha_ = nullptr;
  int width_ = 0, height_ = 0;
};

}  // namespace

std::string graph_png(const StepView& view) {
  const GraphDrawing drawing = draw_graph(view);
  const float area = drawing.width * drawing.height, side = std::max(drawing.width, drawing.height);
  const float scale = std::min({kScale, std::sqrt(kMostPixels / area), kMostSide / side});
  Canvas canvas(drawing, scale);
  for (const GraphDrawing::Line& line : drawing.lines) {
    for (std::size_t i = 1; i < line.points.size(); ++i)
      canvas.line(line.points[i - 1], line.points[i], line.colour);
  }
  for (const GraphDrawing::Box& box : drawing.boxes) canvas.box(box);
  const Lettering lettering(scale);
  for (const GraphDrawing::Words& words : drawing.words) lettering.draw(canvas, words);
  return canvas.png();
}

}  // namespace tapescope
