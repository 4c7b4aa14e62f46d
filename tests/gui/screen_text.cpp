// Reads ImGui's draw lists: which letter a pair of triangles shows is known by its place in the atlas.
#include "tests/gui/screen_text.h"

#include <fmt/format.h>
#include <imgui_internal.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

#include "tests/support/catch.h"
#include "viewer/ui/imgui_compat.h"

namespace tapescope::ui {
namespace {

constexpr int kCellWidth = 7, kCellHeight = 13;  // pixels; a letter of the plain text has one for itself
constexpr float kFaint = 10;  // of 255: what a cell differs from the ground where it counts as blank
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
        letters_(static_cast<std::size_t>(width_ * height_)) {
    for (const ImFont* font : atlas.Fonts) {
      for (const ImFontGlyph& glyph : font->Glyphs) {
        for (int y = texel(glyph.V0, height_); y < texel(glyph.V1, height_); ++y) {
          for (int x = texel(glyph.U0, width_); x < texel(glyph.U1, width_); ++x)
            letters_[static_cast<std::size_t>(y * width_ + x)] = {font, &glyph};
        }
      }
    }
  }
  Letter at(ImVec2 uv) const {
    const int x = texel(uv.x, width_), y = texel(uv.y, height_);
    return x < 0 || y < 0 || x >= width_ || y >= height_ ? Letter{}
                                                         : letters_[static_cast<std::size_t>(y * width_ + x)];
  }

 private:
  static int texel(float at, int of) { return static_cast<int>(at * static_cast<float>(of)); }
  int width_, height_;
  std::vector<Letter> letters_;
};

// 3926 as 3900.
int two_digits(double count) {
  const double unit = std::pow(10, std::floor(std::log10(std::max(count, 10.0))) - 1);
  return static_cast<int>(std::round(count / unit) * unit);
}

class Canvas {
 public:
  explicit Canvas(const ImRect& at)
      : at_(at),
        width_(static_cast<int>(at.GetWidth())),
        height_(static_cast<int>(at.GetHeight())),
        pixels_(static_cast<std::size_t>(width_ * height_)) {}

  void letter(ImVec2 middle, ImWchar letter, ImU32 colour, const ImVec4& clip) {
    if (middle.x < clip.x || middle.y < clip.y || middle.x >= clip.z || middle.y >= clip.w) return;
    // Letters smaller than a cell move on to the next free one.
    const int y = static_cast<int>(middle.y - at_.Min.y) / kCellHeight * kCellHeight + kCellHeight / 2;
    int x = static_cast<int>(middle.x - at_.Min.x) / kCellWidth * kCellWidth + kCellWidth / 2;
    if (!at_.Contains(middle)) return;
    for (int tries = 0; tries < 3 && find(x, y) != nullptr && find(x, y)->letter != 0; ++tries)
      x += kCellWidth;
    if (Pixel* const pixel = find(x, y)) pixel->letter = letter;
    ++drawn_[colour].letters;
  }

  // Row by row, with the part of each pixel that is covered: an edge that moves by a rounding changes next to
  // nothing. One colour; of a blend, that of the first corner.
  void triangle(const std::array<ImVec2, 3>& corners, ImU32 packed, const ImVec4& clip) {
    const Colour colour = colour_of(packed);
    const float alpha = colour.a / 255, light = (colour.r + colour.g + colour.b) / 3;
    if (alpha == 0) return;  // the outer half of a smooth edge
    for (int y = 0; y < height_; ++y) {
      const float middle = at_.Min.y + static_cast<float>(y) + 0.5f;
      if (middle < clip.y || middle >= clip.w) continue;
      float left = clip.z, right = clip.x;
      for (std::size_t i = 0; i < 3; ++i) {
        const ImVec2 a = corners[i], b = corners[(i + 1) % 3];
        if ((a.y <= middle) == (b.y <= middle)) continue;
        const float x = a.x + (b.x - a.x) * (middle - a.y) / (b.y - a.y);
        left = std::min(left, x), right = std::max(right, x);
      }
      left = std::max({left - at_.Min.x, clip.x - at_.Min.x, 0.0f});
      right = std::min({right - at_.Min.x, clip.z - at_.Min.x, static_cast<float>(width_)});
      for (int x = static_cast<int>(left); static_cast<float>(x) < right; ++x) {
        const float covered =
            std::min(right, static_cast<float>(x + 1)) - std::max(left, static_cast<float>(x));
        Pixel& pixel = pixels_[static_cast<std::size_t>(y * width_ + x)];
        pixel.light += alpha * covered * (light - pixel.light);
        if (alpha * covered > 0.5f) pixel.letter = 0;
        drawn_[packed].pixels += covered;
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
      all += fmt::format("#{:02x}{:02x}{:02x}{:02x} {} letters, {} pixels\n", int(c.r), int(c.g), int(c.b),
                         int(c.a), drawn.letters, two_digits(drawn.pixels));
    }
    return all;
  }

 private:
  struct Pixel {
    float light = 0;
    ImWchar letter = 0;
  };
  struct Drawn {
    std::uint32_t letters = 0;
    double pixels = 0;
  };

  Pixel* find(int x, int y) {
    if (x < 0 || y < 0 || x >= width_ || y >= height_) return nullptr;
    return &pixels_[static_cast<std::size_t>(y * width_ + x)];
  }
  // The brightness that most pixels have.
  float ground() const {
    std::array<int, 256> counts{};
    for (const Pixel& pixel : pixels_) ++counts[static_cast<std::size_t>(pixel.light)];
    return static_cast<float>(std::ranges::max_element(counts) - counts.begin());
  }
  std::string cell(int left, int top, float ground) const {
    float light = 0;
    int count = 0;
    for (int y = top; y < std::min(top + kCellHeight, height_); ++y) {
      for (int x = left; x < std::min(left + kCellWidth, width_); ++x, ++count) {
        const Pixel& pixel = pixels_[static_cast<std::size_t>(y * width_ + x)];
        if (pixel.letter > ' ') return in_utf8(pixel.letter);
        light += pixel.light;
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
  int width_, height_;
  std::vector<Pixel> pixels_;
  std::map<ImU32, Drawn> drawn_;
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
      canvas.letter({x, y}, static_cast<ImWchar>(glyph->Codepoint), a.col, command.ClipRect);
      i += 3;  // the other half of the letter
    }
  }
}

}  // namespace

Fonts bake_plain_fonts() {
  ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
  atlas.Clear();
  Fonts fonts;
  const auto bake = [&](Fonts::Face face, float em) {
    ImFontConfig config;
    config.SizePixels = em;
    fonts.baked.push_back({face, em, atlas.AddFontDefault(&config)});
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
  const LettersOfAtlas letters(*ImGui::GetIO().Fonts);
  const ImGuiWindow* shown = nullptr;
  const auto named = [&](const char* name) {
    const std::string_view whole = name;
    const std::string_view own = whole.substr(whole.rfind('/') + 1);
    return own.substr(0, own.rfind('_')) == region || whole == region;
  };
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    if (window->WasActive && named(window->Name)) shown = window;
  }
  if (shown == nullptr) return {};
  Canvas canvas(shown->Rect());
  const ImDrawData* const data = ImGui::GetDrawData();
  for (int i = 0; i < data->CmdListsCount; ++i) draw(canvas, *data->CmdLists[i], letters);
  return canvas.text();
}

}  // namespace tapescope::ui
