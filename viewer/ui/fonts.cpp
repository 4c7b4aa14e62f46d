// Bakes the faces into an atlas: Inter and JetBrains Mono, with DejaVu for the signs they lack.
#include "viewer/ui/fonts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "viewer/ui/fontconfig.h"
#include "viewer/ui/imgui_compat.h"

namespace tapescope::ui {
namespace {

// Pairs of first and last code point; ImGui keeps the pointer until the atlas is built.
// What the interface itself says.
constexpr std::array<ImWchar, 35> kSigns = {
    0x0020, 0x00ff,                                  // Latin
    0x0394, 0x0394, 0x03b1, 0x03c9,                  // Greek of formulas
    0x2013, 0x2014, 0x2018, 0x201d, 0x2022, 0x2022,  // dashes, quotes, bullet
    0x2026, 0x2026, 0x203a, 0x203a, 0x2070, 0x2079,  // ellipsis, chevron, superscripts
    0x2080, 0x2089, 0x2190, 0x2195, 0x2202, 0x2207,  // subscripts, arrows, differentials
    0x2211, 0x221e, 0x2248, 0x2265, 0x2318, 0x2318,  // sum to infinity, comparisons, the command sign
    0x25a0, 0x25cf, 0x2702, 0x2717, 0};
// And what names of a program may hold besides.
constexpr std::array<ImWchar, 13> kNameRanges = {0x0020, 0x024f, 0x0370, 0x052f, 0x2010, 0x205e, 0x2070,
                                                 0x209c, 0x2190, 0x22ff, 0x25a0, 0x2717, 0};

struct Source {
  FontFile file;
  float em = 0;  // of ImGui's size
};

Source source_of(const FontFinder& finder, const char* family, bool monospaced, bool semi_bold,
                 std::vector<std::string>& missing) {
  Source source{finder.find(family, monospaced, semi_bold), 0};
  if (!source.file.path.empty()) source.em = em_per_height(source.file);
  const bool noted = std::find(missing.begin(), missing.end(), family) != missing.end();
  if (source.file.family.find(family) == std::string::npos && !noted) missing.emplace_back(family);
  return source;
}

class Baker {
 public:
  Baker(ImFontAtlas& atlas, Fonts& fonts, float scale) : atlas_(atlas), fonts_(fonts), scale_(scale) {
    const FontFinder finder;
    sources_ = {source_of(finder, "Inter", false, false, fonts.missing),
                source_of(finder, "Inter", false, true, fonts.missing),
                source_of(finder, "JetBrains Mono", true, false, fonts.missing)};
    signs_ = {source_of(finder, "DejaVu Sans", false, false, fonts.missing),
              source_of(finder, "DejaVu Sans", false, true, fonts.missing),
              source_of(finder, "DejaVu Sans Mono", true, false, fonts.missing)};
  }

  // `em` is at scale 1.
  ImFont* bake(Fonts::Face face, float em, bool names) {
    const auto i = static_cast<std::size_t>(face);
    const float pixels = std::round(em * scale_ * 2) / 2;
    ImFont* font = add(sources_[i], pixels, names, false);
    if (font == nullptr) font = add(signs_[i], pixels, names, false);
    else add(signs_[i], pixels, names, true);
    if (font == nullptr) {
      ImFontConfig config;
      config.SizePixels = std::round(pixels * 1.1f);
      font = atlas_.AddFontDefault(&config);
    }
    fonts_.baked.push_back({face, pixels, font});
    return font;
  }

 private:
  ImFont* add(const Source& source, float pixels, bool names, bool merge) {
    if (source.em <= 0) return nullptr;
    ImFontConfig config;
    config.MergeMode = merge;
    config.FontNo = source.file.face;
    config.OversampleH = 2;
    config.OversampleV = 1;
    return atlas_.AddFontFromFileTTF(source.file.path.c_str(), pixels / source.em, &config,
                                     names ? kNameRanges.data() : kSigns.data());
  }

  ImFontAtlas& atlas_;
  Fonts& fonts_;
  float scale_;
  std::array<Source, 3> sources_, signs_;
};

}  // namespace

ImFont* Fonts::nearest(Face face, float em) const {
  const Baked* best = nullptr;
  for (const Baked& candidate : baked) {
    if (candidate.face != face) continue;
    // Shrinking a larger font stays sharper than stretching a smaller one.
    const auto cost = [em](float size) { return size >= em ? size / em : 1.3f * em / size; };
    if (best == nullptr || cost(candidate.em) < cost(best->em)) best = &candidate;
  }
  return best != nullptr ? best->font : text;
}

float Fonts::font_height(const ImFont* font, float em) const {
  for (const Baked& candidate : baked) {
    if (candidate.font == font) return font->FontSize * em / candidate.em;
  }
  return em;
}

Fonts bake_fonts(ImFontAtlas& atlas, float scale) {
  atlas.Clear();
  atlas.TexDesiredWidth = scale > 1.6f ? 4096 : 2048;
  Fonts fonts;
  Baker baker(atlas, fonts, scale);
  using Face = Fonts::Face;
  fonts.text = baker.bake(Face::text, 13, true);
  fonts.small = baker.bake(Face::text, 11.5f, false);
  fonts.bold = baker.bake(Face::bold, 12.5f, false);
  fonts.mono = baker.bake(Face::mono, 12, true);
  fonts.mono_small = baker.bake(Face::mono, 10.5f, false);
  fonts.title = baker.bake(Face::bold, 19, false);
  fonts.headline = baker.bake(Face::bold, 22, false);
  // What a zoomed graph needs beyond those.
  for (const float em : {8.0f, 17.0f}) {
    for (const Face face : {Face::text, Face::bold, Face::mono}) baker.bake(face, em, false);
  }
  compat::build_atlas(atlas);
  return fonts;
}

}  // namespace tapescope::ui
