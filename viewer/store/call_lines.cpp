// Finds functions and their calls in text.
#include "viewer/store/call_lines.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace tapescope {
namespace {

using Text = std::string_view;

bool is_python(const SourceFile& file) { return file.path.ends_with(".py"); }

Text without_comment(const SourceFile& file, std::uint32_t line) {
  const Text text = file.lines[line - 1];
  const std::size_t comment = text.find(is_python(file) ? "#" : "//");
  return comment == Text::npos || text.find('"', comment) != Text::npos ? text : text.substr(0, comment);
}

// The word that ends before `end`, blanks in between.
Text word_before(Text text, std::size_t end) {
  while (end > 0 && text[end - 1] == ' ') --end;
  std::size_t begin = end;
  while (begin > 0 && of_word(text[begin - 1])) --begin;
  return text.substr(begin, end - begin);
}

Text first_word(Text text) {
  std::size_t end = 0;
  while (end < text.size() && of_word(text[end])) ++end;
  return text.substr(0, end);
}

template <std::size_t N>
bool among(const std::array<Text, N>& list, Text word) {
  return std::ranges::find(list, word) != list.end();
}

bool begins_block(Text word) {
  constexpr std::array<Text, 15> kBlocks = {"if",   "for",    "while",   "switch", "else",
                                            "do",   "try",    "catch",   "with",   "elif",
                                            "case", "except", "finally", "return", "default"};
  return among(kBlocks, word);
}

// A name that a word of these comes before is called; after any other word it is declared.
bool before_call(Text word) {
  constexpr std::array<Text, 12> kWords = {"return", "co_return", "co_yield", "throw", "and",   "or",
                                           "not",    "in",        "else",     "yield", "await", "if"};
  return among(kWords, word);
}

// Whether the name in front of the bracket at `open` is declared there: a type comes before it.
bool declares(Text text, std::size_t open, Text name) {
  const std::size_t begin = open - name.size();
  if (begin == 0 || text[begin - 1] != ' ') return false;
  std::size_t end = text.find_last_not_of(' ', begin - 1);
  if (end == Text::npos) return false;
  if (text[end] == '&' || text[end] == '>') return text.find('=') > begin && text.find("return") > begin;
  const Text word = word_before(text, end + 1);
  return !word.empty() && !before_call(word) && std::isdigit(static_cast<unsigned char>(word[0])) == 0;
}

// What a line that opens a body declares: "Tensor loss(", "def loss(", "const auto loss = [&](".
std::string declared(const SourceFile& file, Text text) {
  if (is_python(file)) {
    const std::size_t def = text.find("def ");
    return def == Text::npos ? std::string() : std::string(first_word(text.substr(def + 4)));
  }
  if (const std::size_t lambda = text.find("= ["); lambda != Text::npos)
    return std::string(word_before(text, lambda));
  const std::size_t open = text.find('(');
  return open == Text::npos ? std::string() : std::string(word_before(text, open));
}

// Whether the statement that begins on that line has a body before the other one: it is no mere line above.
bool opens_body(const SourceFile& file, std::uint32_t line, std::uint32_t before) {
  for (; line < before; ++line) {
    Text text = without_comment(file, line);
    text = text.substr(0, text.find_last_not_of(' ') + 1);
    if (is_python(file) ? text.ends_with(':') : text.ends_with('{')) return true;
    if (text.empty() || text.ends_with(is_python(file) ? ')' : ';') || text.ends_with('}') ||
        text.ends_with(':'))
      return false;
  }
  return false;
}

}  // namespace

FunctionText function_around(const SourceFile& file, std::uint32_t line) {
  if (line == 0 || line > file.lines.size()) return {};
  const auto indent = [&](std::uint32_t of) { return file.lines[of - 1].find_first_not_of(' '); };
  // A function that begins and ends on the line itself.
  Text own = without_comment(file, line);
  own = own.substr(0, own.find_last_not_of(" ;") + 1);
  if (const std::size_t body = own.find('{'); !is_python(file) && body != Text::npos && own.ends_with('}')) {
    const std::string name = declared(file, own);
    const std::size_t lambda = own.find("= ["), open = own.find('(');
    if (lambda < body || (open < body && !begins_block(name) && declares(own, open, name)))
      return {name, line};
  }
  std::size_t inside = indent(line);
  for (std::uint32_t at = line - 1; at > 0 && inside != 0; --at) {
    const std::size_t depth = indent(at);
    if (depth == std::string::npos || depth >= inside) continue;
    const Text text = without_comment(file, at).substr(depth);
    inside = depth;
    if (!opens_body(file, at, line)) continue;
    const Text word = first_word(text);
    if (word == "class" || word == "struct" || word == "namespace") return {};
    if (!begins_block(word)) return {declared(file, text), at};
  }
  return {};
}

std::vector<std::uint32_t> lines_that_call(const SourceFile& file, const FunctionText& function) {
  std::vector<std::uint32_t> found;
  if (function.name.empty()) return found;
  for (std::uint32_t line = 1; line <= file.lines.size(); ++line) {
    if (line == function.line) continue;
    const Text text = without_comment(file, line);
    for (std::size_t at = text.find(function.name); at != Text::npos; at = text.find(function.name, at + 1)) {
      const std::size_t open = at + function.name.size();
      if (open >= text.size() || text[open] != '(' || (at > 0 && of_word(text[at - 1]))) continue;
      if (is_python(file) ? word_before(text, at) == "def" : declares(text, open, function.name)) continue;
      found.push_back(line);
      break;
    }
  }
  return found;
}

std::uint32_t calling_line(const SourceFile& file, std::uint32_t line, const WantedCall& wanted) {
  constexpr int kMostCallers = 4;
  for (int callers = 0; callers < kMostCallers; ++callers) {
    const std::vector<std::uint32_t> all = lines_that_call(file, function_around(file, line));
    std::vector<std::uint32_t> near = all;
    if (wanted.last != 0)
      std::erase_if(near, [&](std::uint32_t at) { return at < wanted.first || at > wanted.last; });
    if (near.size() >= (wanted.again ? 2 : 1))
      return !wanted.again ? near.front() : wanted.last != 0 ? near.back() : near[1];
    if (all.size() != 1) return 0;
    line = all.front();
  }
  return 0;
}

}  // namespace tapescope
