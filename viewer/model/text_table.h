// Columns of text, for a terminal or as Markdown: left or right aligned by display width, so that "µ" and "×"
// take one place.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace tapescope {

// Places a UTF-8 text takes on a terminal, every code point counting one.
std::size_t display_width(std::string_view text);

// The text on one line, with the signs escaped that Markdown would act on.
std::string markdown_text(std::string_view text);

class TextTable {
 public:
  // A title that begins with '>' makes its column right-aligned.
  explicit TextTable(std::vector<std::string> titles);
  void row(std::vector<std::string> cells);
  bool empty() const { return rows_.empty(); }
  // Each line indented by that many spaces; trailing spaces are left out.
  std::string text(int indent = 2) const;
  // As a table of Markdown, its columns aligned alike; what would end a cell is escaped.
  std::string markdown() const;

 private:
  std::vector<std::string> titles_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace tapescope
