// Quotes fields and joins them.
#include "viewer/model/csv.h"

#include <charconv>

namespace tapescope {
namespace {

// What a spreadsheet would compute: names of a foreign recording may begin so. Numbers do not count.
bool may_be_formula(std::string_view text) {
  if (text.size() < 2 || std::string_view("=+-@\t\r").find(text.front()) == std::string_view::npos)
    return false;
  double number = 0;
  const bool sign = text.front() == '+';
  const auto [end, error] = std::from_chars(text.data() + sign, text.data() + text.size(), number);
  return error != std::errc() || end != text.data() + text.size();
}

}  // namespace

std::string csv_field(std::string_view field) {
  std::string guarded;
  std::string_view text = field;
  if (may_be_formula(field)) text = guarded = "'" + std::string(field);
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_of_tabs(std::string_view text) {
  std::string csv;
  while (!text.empty()) {
    const std::size_t end = text.find_first_of("\t\n");
    csv += csv_field(text.substr(0, end));
    if (end == std::string_view::npos) break;
    csv += text[end] == '\t' ? "," : "\r\n";
    text.remove_prefix(end + 1);
  }
  return csv;
}

}  // namespace tapescope
