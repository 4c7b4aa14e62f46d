// Asks fontconfig for a font file.
#pragma once
#include <string>

namespace tapescope::ui {

struct FontFile {
  std::string path;    // empty: fontconfig has no font that ImGui can read
  int face = 0;        // in a collection
  std::string family;  // of the file that was found
};

// Reads fontconfig's settings once, which takes some milliseconds, and answers many questions.
class FontFinder {
 public:
  FontFinder();
  ~FontFinder();
  FontFinder(const FontFinder&) = delete;
  FontFinder& operator=(const FontFinder&) = delete;

  // The file for that family, or for what fontconfig puts in its place. Only TrueType and OpenType files.
  FontFile find(const char* family, bool monospaced, bool semi_bold) const;

 private:
  void* config_;  // FcConfig
};

// What of the size that ImGui asks for (ascender to descender) one em is; 0 when the file cannot be read.
// From the tables head and hhea, https://learn.microsoft.com/typography/opentype/spec/hhea
float em_per_height(const FontFile& file);

}  // namespace tapescope::ui
