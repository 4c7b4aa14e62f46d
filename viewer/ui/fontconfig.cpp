// Font files by family, through fontconfig's C interface.
#include "viewer/ui/fontconfig.h"

#include <fontconfig/fontconfig.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <memory>

namespace tapescope::ui {
namespace {

struct PatternEnd {
  void operator()(FcPattern* pattern) const { FcPatternDestroy(pattern); }
};
using Pattern = std::unique_ptr<FcPattern, PatternEnd>;

std::string string_of(FcPattern* pattern, const char* object) {
  FcChar8* text = nullptr;
  if (FcPatternGetString(pattern, object, 0, &text) != FcResultMatch || text == nullptr) return {};
  return reinterpret_cast<const char*>(text);
}

std::uint32_t big_endian(std::ifstream& file, std::streamoff at, int bytes) {
  std::array<char, 4> raw{};
  file.seekg(at);
  file.read(raw.data(), bytes);
  std::uint32_t value = 0;
  for (int i = 0; i < bytes; ++i)
    value = value << 8 | static_cast<unsigned char>(raw[static_cast<std::size_t>(i)]);
  return file ? value : 0;
}

}  // namespace

FontFinder::FontFinder() : config_(FcInitLoadConfigAndFonts()) {}
FontFinder::~FontFinder() {
  if (config_ != nullptr) FcConfigDestroy(static_cast<FcConfig*>(config_));
}

FontFile FontFinder::find(const char* family, bool monospaced, bool semi_bold) const {
  auto* config = static_cast<FcConfig*>(config_);
  if (config == nullptr) return {};
  const Pattern wanted(FcPatternCreate());
  FcPatternAddString(wanted.get(), FC_FAMILY, reinterpret_cast<const FcChar8*>(family));
  FcPatternAddInteger(wanted.get(), FC_WEIGHT, semi_bold ? FC_WEIGHT_DEMIBOLD : FC_WEIGHT_REGULAR);
  FcPatternAddInteger(wanted.get(), FC_SLANT, FC_SLANT_ROMAN);
  FcPatternAddBool(wanted.get(), FC_OUTLINE, FcTrue);
  FcPatternAddBool(wanted.get(), FC_VARIABLE, FcFalse);  // stb_truetype shows a variable font at its lightest
  if (monospaced) FcPatternAddInteger(wanted.get(), FC_SPACING, FC_MONO);
  FcConfigSubstitute(config, wanted.get(), FcMatchPattern);
  FcDefaultSubstitute(wanted.get());
  FcResult result = FcResultNoMatch;
  const Pattern found(FcFontMatch(config, wanted.get(), &result));
  if (!found || result != FcResultMatch) return {};
  const std::string format = string_of(found.get(), FC_FONTFORMAT);
  if (format != "TrueType" && format != "CFF") return {};
  FontFile file;
  file.path = string_of(found.get(), FC_FILE);
  file.family = string_of(found.get(), FC_FAMILY);
  FcPatternGetInteger(found.get(), FC_INDEX, 0, &file.face);
  return file;
}

float em_per_height(const FontFile& font) {
  std::ifstream file(font.path, std::ios::binary);
  std::streamoff start = 0;
  if (big_endian(file, 0, 4) == 0x74746366) start = big_endian(file, 12 + 4 * font.face, 4);  // 'ttcf'
  const std::uint32_t tables = big_endian(file, start + 4, 2);
  std::uint32_t head = 0, hhea = 0;
  for (std::uint32_t i = 0; i < tables; ++i) {
    const std::streamoff entry = start + 12 + 16 * static_cast<std::streamoff>(i);
    const std::uint32_t tag = big_endian(file, entry, 4);
    if (tag == 0x68656164) head = big_endian(file, entry + 8, 4);
    if (tag == 0x68686561) hhea = big_endian(file, entry + 8, 4);
  }
  if (head == 0 || hhea == 0) return 0;
  const auto em = static_cast<float>(big_endian(file, head + 18, 2));
  const auto up = static_cast<float>(static_cast<std::int16_t>(big_endian(file, hhea + 4, 2)));
  const auto down = static_cast<float>(static_cast<std::int16_t>(big_endian(file, hhea + 6, 2)));
  return up - down > 0 && em > 0 ? em / (up - down) : 0;
}

}  // namespace tapescope::ui
