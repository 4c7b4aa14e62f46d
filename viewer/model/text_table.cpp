// Tables of aligned columns, and what Markdown must not take for its own signs.
#include "viewer/model/text_table.h"

#include <algorithm>

namespace tapescope {

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

TextTable::TextTable(std::vector<std::string> titles) : titles_(std::move(titles)) {
  for (std::string& title : titles_) {
    right_.push_back(title.starts_with('>'));
    if (right_.back()) title.erase(0, 1);
  }
}

void TextTable::row(std::vector<std::string> cells) {
  cells.resize(titles_.size());
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(int indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < titles_.size(); ++c) {
    std::size_t width = display_width(titles_[c]);
    for (const auto& row : rows_) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text(static_cast<std::size_t>(indent), ' ');
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string padding(widths[c] - display_width(cells[c]), ' ');
      text += right_[c] ? padding + cells[c] : cells[c] + padding;
      if (c + 1 < cells.size()) text += "  ";
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  };
  line(titles_);
  for (const auto& row : rows_) line(row);
  return out;
}

std::string TextTable::markdown() const {
  std::string out;
  const auto line = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) out += "| " + markdown_text(cell) + " ";
    out += "|\n";
  };
  line(titles_);
  for (const bool right : right_) out += right ? "|---:" : "|---";
  out += "|\n";
  for (const auto& row : rows_) line(row);
  return out;
}

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("|*_`<[\\").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

}  // namespace tapescope
