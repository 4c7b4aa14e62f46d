// Takes typed text apart.
#include "viewer/model/typed_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace tapescope {

std::string_view trimmed(std::string_view text) {
  const std::string_view blanks = " \t\r\n";
  const std::size_t from = text.find_first_not_of(blanks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

std::string take_quoted(std::string_view& text) {
  std::string word;
  char quote = 0;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && (c == ' ' || c == '\t')) break;
    if (c == quote) quote = 0;
    else if (quote == 0 && (c == '\'' || c == '"')) quote = c;
    else if (c == '\\' && quote != '\'' && i + 1 < text.size()) word += text[++i];
    else word += c;
  }
  text.remove_prefix(i);
  text = trimmed(text);
  return word;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  text = trimmed(text);
  while (!text.empty()) words.push_back(take_quoted(text));
  return words;
}

std::string shell_word(std::string_view word) {
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_./-+=:@%,~").find(c) != std::string_view::npos ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  if (!word.empty() && std::ranges::all_of(word, is_plain)) return std::string(word);
  std::string text = "\"";
  for (const char c : word) {
    if (std::string_view("\"\\$`").find(c) != std::string_view::npos) text += '\\';
    text += c;
  }
  return text + '"';
}

bool read_count(std::string_view text, std::int64_t low, std::int64_t fallback, std::int64_t& value) {
  text = trimmed(text);
  value = fallback;
  if (text.empty()) return true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= low;
}

bool read_number(std::string_view text, double& value) {
  text = trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

}  // namespace tapescope
