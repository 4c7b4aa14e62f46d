// Quotes fields and joins them.
#include "viewer/model/csv.h"

namespace tapescope {

std::string csv_field(std::string_view text) {
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
