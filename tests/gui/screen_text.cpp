// Reads ImGui's draw lists: which letter a pair of triangles shows is known by its place in the atlas.
#include "tests/gui/screen_text.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "tests/support/catch.h"
#include "viewer/ui/imgui_compat.h"

namespace tapescope::ui {
namespace {

constexpr int kCellWidth = 7, kCellHeight = 13;  // pixels; a letter of the plain text has one for itself
constexpr float kFaint = 10;        // of 255: what a cell differs from the ground where it counts as blank
constexpr double kRounding = 1e-5;  // of a sum: what other processors and libraries round otherwise
constexpr double kTenths = 10;      // of a pixel
constexpr std::string_view kShades = " .:-=+*#%@";

struct Colour {
  float r = 0, g = 0, b = 0, a = 0;  // of 255
};

Colour colour_of(ImU32 packed) {
  const auto part = [packed](int shift) { return static_cast<float>((packed >> shift) & 255); };
  return {part(IM_COL32_R_SHIFT), part(IM_COL32_G_SHIFT), part(IM_COL32_B_SHIFT), part(IM_COL32_A_SHIFT)};
}

// Which letter of which font lies at a texel; none elsewhere.
class LettersOfAtlas {
 public:
  struct Letter {
    const ImFont* font = nullptr;
    const ImFontGlyph* glyph = nullptr;
  };

  explicit LettersOfAtlas(const ImFontAtlas& atlas)
      : width_(atlas.TexWidth),
        height_(atlas.TexHeight),
        known_(1),
        letters_(static_cast<std::size_t>(width_ * height_)) {
    for (const ImFont* font : atlas.Fonts) {
      for (const ImFontGlyph& glyph : font->Glyphs) {
        for (int y = texel(glyph.V0, height_); y < texel(glyph.V1, height_); ++y) {
          const auto row = letters_.begin() + y * width_;
          std::fill(row + texel(glyph.U0, width_), row + texel(glyph.U1, width_),
                    static_cast<std::uint16_t>(known_.size()));
        }
        known_.push_back({font, &glyph});
      }
    }
  }
  Letter at(ImVec2 uv) const {
    const int x = texel(uv.x, width_), y = texel(uv.y, height_);
    return x < 0 || y < 0 || x >= width_ || y >= height_
               ? Letter{}
               : known_[letters_[static_cast<std::size_t>(y * width_ + x)]];
  }

 private:
  static int texel(float at, int of) { return static_cast<int>(at * static_cast<float>(of)); }
  int width_, height_;
  std::vector<Letter> known_;  // the first one is none
  std::vector<std::uint16_t> letters_;
};

enum class Shades : std::uint8_t {
  none_,
  cells
};  // without them, shapes only cover the letters beneath them

class Canvas {
 public:
  Canvas(const ImRect& at, Shades shades)
      : at_(at),
        shades_(shades),
        width_(static_cast<int>(at.GetWidth())),
        height_(static_cast<int>(at.GetHeight())),
        columns_((width_ + kCellWidth - 1) / kCellWidth),
        rows_((height_ + kCellHeight - 1) / kCellHeight),
        letters_(static_cast<std::size_t>(columns_ * rows_)),
        light_(shades == Shades::none_ ? 0 : static_cast<std::size_t>(width_ * height_)) {}

  // What follows is of that window.
  void begin(const std::string& window) { window_ = &windows_[window]; }

  void letter(ImVec2 middle, float size, ImWchar letter, ImU32 colour, const ImVec4& clip) {
    if (middle.x < clip.x || middle.y < clip.y || middle.x >= clip.z || middle.y >= clip.w) return;
    // Letters smaller than a cell move on to the next free one.
    if (!at_.Contains(middle)) return;
    const int row = static_cast<int>(middle.y - at_.Min.y) / kCellHeight;
    int column = static_cast<int>(middle.x - at_.Min.x) / kCellWidth;
    for (int tries = 0; tries < 3 && column < columns_ && letter_at(column, row) != 0; ++tries) ++column;
    if (column < columns_ && row < rows_) letter_at(column, row) = letter;
    for (Drawn* const drawn : {&drawn_[colour], window_}) {
      ++drawn->letters;
      drawn->letter_x += middle.x;
      drawn->letter_y += middle.y;
      drawn->letter_size += size;
      drawn->add(colour_of(colour));
    }
  }

  // Row by row, with the part of each pixel that is covered: an edge that moves by a rounding changes next to
  // nothing. One colour; of a blend, that of the first corner.
  void triangle(const std::array<ImVec2, 3>& corners, ImU32 packed, const ImVec4& clip) {
    const Colour colour = colour_of(packed);
    const float alpha = colour.a / 255, light = (colour.r + colour.g + colour.b) / 3;
    if (alpha == 0) return;  // the outer half of a smooth edge
    ImRect around(corners[0], corners[0]);
    for (const ImVec2 corner : corners) around.Add(corner);
    around.ClipWithFull(clip);
    around.ClipWithFull(at_);
    if (around.GetWidth() <= 0 && around.GetHeight() <= 0) return;
    Drawn& drawn = drawn_[packed];
    for (Drawn* const each : {&drawn, window_}) {
      ++each->triangles;
      each->left += around.Min.x, each->top += around.Min.y;
      each->right += around.Max.x, each->bottom += around.Max.y;
      each->add(colour);
    }
    if (alpha > 0.5f) cover(corners, around);
    if (shades_ == Shades::none_) return;
    for (int y = 0; y < height_; ++y) {
      const float middle = at_.Min.y + static_cast<float>(y) + 0.5f;
      if (middle < clip.y || middle >= clip.w) continue;
      auto [left, right] = row_of(corners, middle);
      left = std::max({left - at_.Min.x, clip.x - at_.Min.x, 0.0f});
      right = std::min({right - at_.Min.x, clip.z - at_.Min.x, static_cast<float>(width_)});
      for (int x = static_cast<int>(left); static_cast<float>(x) < right; ++x) {
        const float covered =
            std::min(right, static_cast<float>(x + 1)) - std::max(left, static_cast<float>(x));
        float& pixel = light_[static_cast<std::size_t>(y * width_ + x)];
        pixel += alpha * covered * (light - pixel);
        drawn.pixels += covered;
      }
    }
  }

  std::string text() const {
    std::string all;
    const float around = ground();
    for (int top = 0; top < height_; top += kCellHeight) {
      std::string line;
      for (int left = 0; left < width_; left += kCellWidth) line += cell(left, top, around);
      line.erase(line.find_last_not_of(' ') + 1);
      all += line + "\n";
    }
    all.erase(all.find_last_not_of('\n') + 1);
    all += "\n\n";
    for (const auto& [colour, drawn] : drawn_) {
      const Colour c = colour_of(colour);
      all += fmt::format("#{:02x}{:02x}{:02x}{:02x}{}\n", int(c.r), int(c.g), int(c.b), int(c.a),
                         figures(drawn));
    }
    return all;
  }
  ScreenCells cells() const {
    ScreenCells cells;
    for (int row = 0; row < rows_; ++row) {
      std::vector<std::string>& line = cells.lines.emplace_back();
      for (int column = 0; column < columns_; ++column) {
        const ImWchar letter = letter_at(column, row);
        line.push_back(letter > ' ' ? in_utf8(letter) : " ");
      }
    }
    for (const auto& [name, drawn] : windows_) {
      if (drawn.letters + drawn.triangles == 0) continue;
      cells.figures[name] = fmt::format("{}, colours {:.0f} {:.0f} {:.0f} {:.0f}", figures(drawn, kTenths),
                                        drawn.r, drawn.g, drawn.b, drawn.a);
    }
    return cells;
  }

 private:
  // Sums over what has one colour: a shape that moves, grows or is gone changes them.
  struct Drawn {
    std::uint32_t letters = 0, triangles = 0;
    double letter_x = 0, letter_y = 0, letter_size = 0;
    double left = 0, top = 0, right = 0, bottom = 0;  // of the parts of the triangles that are seen
    double pixels = 0;
    double r = 0, g = 0, b = 0, a = 0;

    void add(const Colour& colour) { r += colour.r, g += colour.g, b += colour.b, a += colour.a; }
  };

  static std::string figures(const Drawn& drawn, double scale = 1) {
    std::string text;
    if (drawn.letters > 0) {
      text += fmt::format(" {} letters at {:.0f} {:.0f}, high {:.0f}", drawn.letters, scale * drawn.letter_x,
                          scale * drawn.letter_y, scale * drawn.letter_size);
    }
    if (drawn.triangles > 0) {
      text += fmt::format("{} {} triangles from {:.0f} {:.0f} to {:.0f} {:.0f}", text.empty() ? "" : ",",
                          drawn.triangles, scale * drawn.left, scale * drawn.top, scale * drawn.right,
                          scale * drawn.bottom);
    }
    if (drawn.pixels > 0) text += fmt::format(", {:.0f} pixels", drawn.pixels);
    return text;
  }
  // Where a triangle begins and ends at that height; the end is before the beginning where it has no part.
  static std::pair<float, float> row_of(const std::array<ImVec2, 3>& corners, float y) {
    float left = std::numeric_limits<float>::max(), right = std::numeric_limits<float>::lowest();
    for (std::size_t i = 0; i < 3; ++i) {
      const ImVec2 a = corners[i], b = corners[(i + 1) % 3];
      if ((a.y <= y) == (b.y <= y)) continue;
      const float x = a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y);
      left = std::min(left, x), right = std::max(right, x);
    }
    return {left, right};
  }
  void cover(const std::array<ImVec2, 3>& corners, const ImRect& around) {
    const auto cell = [](float pixel, int size) { return std::max(0, static_cast<int>(pixel) / size); };
    for (int row = cell(around.Min.y - at_.Min.y, kCellHeight); row < rows_; ++row) {
      const float y = at_.Min.y + (static_cast<float>(row) + 0.5f) * kCellHeight;
      if (y >= around.Max.y) return;
      if (y < around.Min.y) continue;
      const auto [left, right] = row_of(corners, y);
      const float from = std::max(left, around.Min.x), to = std::min(right, around.Max.x);
      for (int column = cell(from - at_.Min.x, kCellWidth); column < columns_; ++column) {
        const float x = at_.Min.x + (static_cast<float>(column) + 0.5f) * kCellWidth;
        if (x >= to) break;
        if (x >= from) letter_at(column, row) = 0;
      }
    }
  }

  const ImWchar& letter_at(int column, int row) const {
    return letters_[static_cast<std::size_t>(row * columns_ + column)];
  }
  ImWchar& letter_at(int column, int row) {
    return letters_[static_cast<std::size_t>(row * columns_ + column)];
  }
  // The brightness that most pixels have.
  float ground() const {
    std::array<int, 256> counts{};
    for (const float light : light_) ++counts[static_cast<std::size_t>(light)];
    return static_cast<float>(std::ranges::max_element(counts) - counts.begin());
  }
  std::string cell(int left, int top, float ground) const {
    const ImWchar letter = letter_at(left / kCellWidth, top / kCellHeight);
    if (letter > ' ') return in_utf8(letter);
    float light = 0;
    int count = 0;
    for (int y = top; y < std::min(top + kCellHeight, height_); ++y) {
      for (int x = left; x < std::min(left + kCellWidth, width_); ++x, ++count) {
        light += light_[static_cast<std::size_t>(y * width_ + x)];
      }
    }
    const float share =
        std::max(0.0f, std::abs(light / static_cast<float>(count) - ground) - kFaint) / (256 - kFaint);
    const auto shade = static_cast<std::size_t>(share * static_cast<float>(kShades.size()));
    return std::string(1, kShades[shade]);
  }
  static std::string in_utf8(ImWchar letter) {
    std::array<char, 5> text{};
    ImTextCharToUtf8(text.data(), letter);
    return text.data();
  }

  ImRect at_;
  Shades shades_;
  int width_, height_, columns_, rows_;
  std::vector<ImWchar> letters_;  // of cells; 0 where there is none
  std::vector<float> light_;      // of pixels
  std::map<ImU32, Drawn> drawn_;
  std::map<std::string, Drawn> windows_;
  Drawn* window_ = nullptr;
};

ImVec2 between(ImVec2 a, ImVec2 b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

void draw(Canvas& canvas, const ImDrawList& list, const LettersOfAtlas& letters) {
  for (const ImDrawCmd& command : list.CmdBuffer) {
    const auto corner = [&](unsigned at) -> const ImDrawVert& {
      return list.VtxBuffer[static_cast<int>(command.VtxOffset +
                                             list.IdxBuffer[static_cast<int>(command.IdxOffset + at)])];
    };
    for (unsigned i = 0; i + 2 < command.ElemCount; i += 3) {
      const ImDrawVert &a = corner(i), &b = corner(i + 1), &c = corner(i + 2);
      const auto [font, glyph] = letters.at(between(a.uv, c.uv));
      if (glyph == nullptr) {
        canvas.triangle({a.pos, b.pos, c.pos}, a.col, command.ClipRect);
        continue;
      }
      // The middle of its place in the line, not of its shape.
      const ImVec2 middle = between(a.pos, c.pos);
      const float height = glyph->Y1 - glyph->Y0, size = height > 0 ? (c.pos.y - a.pos.y) / height : 0;
      const float x = middle.x + (glyph->AdvanceX - glyph->X0 - glyph->X1) / 2 * size;
      const float y = std::round(middle.y + (font->FontSize - glyph->Y0 - glyph->Y1) / 2 * size - 0.25f);
      canvas.letter({x, y}, c.pos.y - a.pos.y, static_cast<ImWchar>(glyph->Codepoint), a.col,
                    command.ClipRect);
      i += 3;  // the other half of the letter
    }
  }
}

// Of "tapescope/graph_0123ABCD", a window in a window, "graph".
std::string_view own_name(std::string_view whole) {
  const std::string_view own = whole.substr(whole.rfind('/') + 1);
  return own.substr(0, own.rfind('_'));
}

// What the last frame drew there; none where there is no such window.
std::optional<Canvas> drawn_in(std::string_view region, Shades shades) {
  const LettersOfAtlas letters(*ImGui::GetIO().Fonts);
  const ImGuiWindow* shown = nullptr;
  const auto named = [&](const char* name) { return own_name(name) == region || name == region; };
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (window->WasActive && named(window->Name)) shown = window;
  }
  if (shown == nullptr) return std::nullopt;
  Canvas canvas(shown->Rect(), shades);
  const ImDrawData* const data = ImGui::GetDrawData();
  for (int i = 0; i < data->CmdListsCount; ++i) {
    const char* const name = data->CmdLists[i]->_OwnerName;
    canvas.begin(name != nullptr ? std::string(own_name(name)) : "");
    draw(canvas, *data->CmdLists[i], letters);
  }
  return canvas;
}

// Two lines of figures of one colour or window: each number is the other one to rounding.
bool nearly_the_same(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto name = [](std::string_view line) { return line.substr(0, line.find(' ')); };
  if (!a.starts_with('#') || name(a) != name(b)) return false;
  for (std::size_t i = name(a).size(), j = i; i < a.size() || j < b.size();) {
    if (i == a.size() || j == b.size()) return false;
    if (!is_digit(a[i]) || !is_digit(b[j])) {
      if (a[i++] != b[j++]) return false;
      continue;
    }
    double x = 0, y = 0;
    while (i < a.size() && is_digit(a[i])) x = 10 * x + (a[i++] - '0');
    while (j < b.size() && is_digit(b[j])) y = 10 * y + (b[j++] - '0');
    if (std::abs(x - y) > 1 + kRounding * std::max(x, y)) return false;
  }
  return true;
}

}  // namespace

Fonts bake_plain_fonts(float scale) {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  Fonts fonts;
  const auto bake = [&](Fonts::Face face, float em) {
    ImFontConfig config;
    config.SizePixels = em * scale;
    fonts.baked.push_back({face, em * scale, atlas.AddFontDefault(&config)});
    return fonts.baked.back().font;
  };
  using Face = Fonts::Face;
  fonts.text = bake(Face::text, 13);
  fonts.bold = bake(Face::bold, 13);
  fonts.small = fonts.text;
  fonts.mono = bake(Face::mono, 13);
  fonts.mono_small = fonts.mono;
  fonts.title = bake(Face::bold, 19);
  fonts.headline = bake(Face::bold, 22);
  compat::build_atlas(atlas);
  atlas.SetTexID(nullptr);
  return fonts;
}

std::string screen_text(std::string_view region) {
  const std::optional<Canvas> canvas = drawn_in(region, Shades::cells);
  return canvas ? canvas->text() : std::string();
}

ScreenCells screen_cells(std::string_view region) {
  const std::optional<Canvas> canvas = drawn_in(region, Shades::none_);
  return canvas ? canvas->cells() : ScreenCells();
}

bool same_screen(const std::string& known, const std::string& received) {
  std::istringstream a(known), b(received);
  for (std::string one, other;;) {
    const bool more = static_cast<bool>(std::getline(a, one));
    if (static_cast<bool>(std::getline(b, other)) != more) return false;
    if (!more) return true;
    if (one != other && !nearly_the_same(one, other)) return false;
  }
}

}  // namespace tapescope::ui
