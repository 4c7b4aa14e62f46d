// Reads calls in the text of a program, C++ or Python.
#include "viewer/store/expressions.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <cctype>

namespace tapescope {
namespace {

constexpr std::array<std::string_view, 5> kAsking = {"gradient", "jacobian", "batch_jacobian", "gradients",
                                                     "hessian"};
constexpr std::uint32_t kLinesAbove = 8, kLinesOfCall = 20;
constexpr std::size_t kLongest = 40;

// Behind the bracket of each call that asks.
std::vector<std::size_t> questions_in(const std::string& line) {
  std::vector<std::size_t> found;
  for (std::size_t open = line.find('('); open != std::string::npos; open = line.find('(', open + 1)) {
    std::size_t begin = open;
    while (begin > 0 && of_word(line[begin - 1])) --begin;
    const std::string_view word = std::string_view(line).substr(begin, open - begin);
    if (begin > 0 && std::ranges::find(kAsking, word) != kAsking.end() &&
        (line[begin - 1] == '.' || line[begin - 1] == '>'))
      found.push_back(open + 1);
  }
  return found;
}

std::string trimmed(std::string_view text) {
  std::string out;
  for (const char letter : text) {
    const bool blank = std::isspace(static_cast<unsigned char>(letter)) != 0;
    if (!blank) out += letter;
    else if (!out.empty() && out.back() != ' ') out += ' ';
  }
  if (!out.empty() && out.back() == ' ') out.pop_back();
  return out;
}

// Parts between commas that stand in no bracket, up to the bracket that closes what was open before the text
// or to its end.
std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if (quote != 0) {
      part += letter;
      if (letter == '\\' && i + 1 < text.size()) part += text[++i];
      else if (letter == quote) quote = 0;
      continue;
    }
    if (letter == '"' || letter == '\'') quote = letter;
    if (letter == '(' || letter == '[' || letter == '{') ++depth;
    if (letter == ')' || letter == ']' || letter == '}') {
      if (depth-- == 0) break;
    }
    if (letter == ',' && depth == 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += letter;
    }
  }
  if (part = trimmed(part); !part.empty()) parts.push_back(std::move(part));
  return parts;
}

// The elements of a list that is written out; of anything else itself.
std::vector<std::string> elements_of(const std::string& text, bool& list) {
  list = text.size() > 1 && (text.front() == '{' || text.front() == '[');
  if (!list) return {text};
  std::vector<std::string> parts = parts_of(std::string_view(text).substr(1));
  for (std::string& part : parts) {
    // {"w", w}: an entry of a map.
    if (part.size() < 2 || part.front() != '{') continue;
    const std::vector<std::string> entry = parts_of(std::string_view(part).substr(1));
    if (entry.size() == 2) part = entry[1];
  }
  return parts;
}

std::string short_enough(std::string text) { return text.size() > kLongest ? std::string() : text; }

}  // namespace

AskedExpressions asked_expressions(const SourceFile& file, std::uint32_t line, std::size_t sources) {
  const std::vector<std::string>& lines = file.lines;
  const std::string_view comment = file.path.ends_with(".py") ? "#" : "//";
  AskedExpressions found;
  if (line == 0 || line > lines.size()) return found;
  std::uint32_t at = line;
  std::vector<std::size_t> questions = questions_in(lines[at - 1]);
  while (questions.empty() && at > 1 && line - at < kLinesAbove) questions = questions_in(lines[--at - 1]);
  if (questions.size() != 1) return found;
  std::string text = lines[at - 1].substr(questions[0]);
  for (std::uint32_t next = at; next < lines.size() && next < at + kLinesOfCall; ++next) {
    // A comment ends a line; in a string its mark may stand.
    const std::size_t end = text.rfind(comment);
    if (end != std::string::npos && text.find('"', end) == std::string::npos) text.resize(end);
    text += ' ' + lines[next];
  }
  const std::vector<std::string> arguments = parts_of(text);
  if (arguments.size() < 2) return found;
  bool list = false;
  const std::vector<std::string> targets = elements_of(arguments[0], list);
  if (!targets.empty()) found.target = short_enough(targets[0]);
  std::vector<std::string> named = elements_of(arguments[1], list);
  if (!list && sources > 1) {
    named.assign(sources, {});
    for (std::size_t i = 0; i < sources; ++i) named[i] = fmt::format("{}[{}]", arguments[1], i);
  }
  if (named.size() != sources) return found;
  for (std::string& name : named) found.sources.push_back(short_enough(std::move(name)));
  return found;
}

void name_by_expressions(const SourceFiles* sources, std::vector<GradientRow>& rows) {
  for (GradientRow& row : rows) {
    const bool target = !row.op_as_target.empty();
    if (!target && !row.op_as_source) continue;
    AskedExpressions found;
    if (const SourceFile* file = source_of(sources, row.asked_at))
      found = asked_expressions(*file, source_place(row.asked_at).line, row.sources);
    if (row.op_as_source && row.index < found.sources.size() && !found.sources[row.index].empty() &&
        std::ranges::count(found.sources, found.sources[row.index]) == 1)
      row.source = found.sources[row.index];
    if (target) row.target = found.target.empty() ? row.op_as_target : found.target;
  }
}

}  // namespace tapescope
