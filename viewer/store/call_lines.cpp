// Finds functions and their calls in text.
#include "viewer/store/call_lines.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>
#include <utility>

#include "engine/debug/find_word.h"

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

// Whether the name in front of the bracket at `open` is declared there: a type comes before it, and perhaps
// the classes that it belongs to.
bool declares(Text text, std::size_t open, Text name) {
  while (open > 0 && text[open - 1] == ' ') --open;
  std::size_t begin = open - std::min(open, name.size());
  while (begin > 2 && text.substr(begin - 2, 2) == "::" && of_word(text[begin - 3])) {
    begin -= 2;
    while (begin > 0 && of_word(text[begin - 1])) --begin;
  }
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
  // One behind the brace belongs to the body.
  if (const std::size_t lambda = text.find("= ["); lambda < text.find('{'))
    return std::string(word_before(text, lambda));
  const std::size_t open = text.find('(');
  return open == Text::npos ? std::string() : std::string(word_before(text, open));
}

// Whether calling an object like a function runs the one of that name of its class; Keras calls call().
bool runs_object(const SourceFile& file, Text name) {
  return is_python(file) ? name == "__call__" || name == "call" : name == "operator";
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

// The name of the class that the line stands in, directly.
std::string class_around(const SourceFile& file, std::uint32_t line) {
  std::size_t inside = file.lines[line - 1].find_first_not_of(' ');
  for (std::uint32_t at = line - 1; at > 0 && inside != 0; --at) {
    const std::size_t depth = file.lines[at - 1].find_first_not_of(' ');
    if (depth == std::string::npos || depth >= inside) continue;
    const Text text = without_comment(file, at).substr(depth), word = first_word(text);
    // "public:" stands between the class and its members.
    if (text.ends_with(':') && !is_python(file)) continue;
    if (word != "class" && word != "struct") return {};
    const std::size_t name = text.find_first_not_of(' ', word.size());
    return name == Text::npos ? std::string() : std::string(first_word(text.substr(name)));
  }
  return {};
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
      return {name, line, name == "operator" ? class_around(file, line) : std::string()};
  }
  std::size_t inside = indent(line);
  for (std::uint32_t at = line - 1; at > 0 && inside != 0; --at) {
    const std::size_t depth = indent(at);
    if (depth == std::string::npos || depth >= inside) continue;
    Text text = without_comment(file, at).substr(depth);
    inside = depth;
    if (!opens_body(file, at, line)) continue;
    // A bracket alone opens the body of the lines above it, or a block of statements.
    if (text.substr(0, text.find_last_not_of(' ') + 1) == "{") {
      std::uint32_t head = at - 1;
      while (head > 0 && indent(head) != std::string::npos && indent(head) > depth) --head;
      if (head == 0 || indent(head) != depth || !opens_body(file, head, line)) continue;
      at = head;
      text = without_comment(file, at).substr(depth);
    }
    const Text word = first_word(text);
    if (word == "class" || word == "struct" || word == "namespace") return {};
    if (begins_block(word)) continue;
    FunctionText found{declared(file, text), at, {}};
    if (runs_object(file, found.name)) found.of_class = class_around(file, at);
    return found;
  }
  return {};
}

namespace {

// Whether the function that begins on that line of Python is called by its name alone.
bool is_property(const SourceFile& file, std::uint32_t line) {
  if (!is_python(file)) return false;
  for (std::uint32_t above = line; above > 1; --above) {
    const Text text = without_comment(file, above - 1);
    const std::size_t depth = text.find_first_not_of(' ');
    if (depth == Text::npos || text[depth] != '@') return false;
    if (text.find("property", depth) != Text::npos) return true;
  }
  return false;
}

}  // namespace

std::vector<std::uint32_t> lines_that_call(const SourceFile& file, const FunctionText& function) {
  std::vector<std::uint32_t> found;
  if (function.name.empty()) return found;
  const bool property = is_property(file, function.line);
  const auto calls = [&](Text text, std::size_t at) {
    const std::size_t end = at + function.name.size();
    const char next = end < text.size() ? text[end] : ' ', before = at > 0 ? text[at - 1] : ' ';
    return property ? before == '.' && !of_word(next) : next == '(' && !of_word(before);
  };
  for (std::uint32_t line = 1; line <= file.lines.size(); ++line) {
    if (line == function.line) continue;
    const Text text = without_comment(file, line);
    for (std::size_t at = text.find(function.name); at != Text::npos; at = text.find(function.name, at + 1)) {
      if (!calls(text, at)) continue;
      if (is_python(file) ? word_before(text, at) == "def"
                          : declares(text, at + function.name.size(), function.name))
        continue;
      found.push_back(line);
      break;
    }
  }
  return found;
}

namespace {

// The lines whose bodies the line stands in, the inner one first, and itself; up to its function.
bool stands_in_loop(const SourceFile& file, std::uint32_t line) {
  const auto loops = [&](std::uint32_t at, std::size_t depth) {
    const Text word = first_word(without_comment(file, at).substr(depth));
    return word == "for" || word == "while" || word == "do";
  };
  const std::uint32_t begin = function_around(file, line).line;
  std::size_t inside = std::string::npos;
  for (std::uint32_t at = line; at > begin && at > 0; --at) {
    const std::size_t depth = file.lines[at - 1].find_first_not_of(' ');
    if (depth == std::string::npos || depth >= inside) continue;
    inside = depth;
    if (loops(at, depth)) return true;
  }
  return false;
}

// Of an operator() the names of its objects.
std::vector<std::string> names_called(const SourceFiles& files, const FunctionText& function) {
  std::vector<std::string> names;
  if (function.name != "operator") names.push_back(function.name);
  for (const auto& [name, text] : files)
    std::ranges::move(objects_of(text, function.of_class), std::back_inserter(names));
  return names;
}

// What lines of Python assign an object of the class to: "net" of "self.net, self.rate = Net(4), 0.1".
std::vector<std::string> variables_of(const SourceFile& file, const std::string& of_class) {
  std::vector<std::string> names;
  for (std::uint32_t line = 1; line <= file.lines.size(); ++line) {
    const Text text = without_comment(file, line);
    const std::size_t sign = text.find(" = ");
    const std::size_t made = sign == Text::npos ? sign : text.find(of_class + '(', sign);
    if (made == Text::npos || of_word(text[made - 1])) continue;
    const Text left = text.substr(0, sign);
    int depth = 0;
    std::ptrdiff_t place = 0;
    for (const char letter : text.substr(sign, made - sign)) {
      depth += letter == '(' || letter == '[' || letter == '{'   ? 1
               : letter == ')' || letter == ']' || letter == '}' ? -1
                                                                 : 0;
      place += letter == ',' && depth == 0;
    }
    std::size_t begin = 0;
    if (left.find(',') != Text::npos)  // several are assigned: the one in the same place
      for (; place > 0 && begin != Text::npos; --place) begin = left.find(',', begin + 1);
    if (begin == Text::npos) continue;
    const Text name = word_before(left, std::min(left.find(',', begin + 1), left.size()));
    if (!name.empty()) names.emplace_back(name);
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

}  // namespace

std::vector<std::string> objects_of(const SourceFile& file, const std::string& of_class) {
  std::vector<std::string> names;
  if (of_class.empty()) return names;
  if (is_python(file)) return variables_of(file, of_class);
  for (std::uint32_t line = 1; line <= file.lines.size(); ++line) {
    const Text text = without_comment(file, line);
    for (std::size_t at = text.find(of_class); at != Text::npos; at = text.find(of_class, at + 1)) {
      std::size_t begin = at + of_class.size();
      if ((at > 0 && of_word(text[at - 1])) || begin >= text.size() ||
          (text[begin] != ' ' && text[begin] != '&'))
        continue;
      // "const Dense first(4), second(2);": what follows a comma outside of brackets is declared as well.
      int depth = 0;
      for (bool expected = true; begin < text.size() && text[begin] != ';' && depth >= 0; ++begin) {
        const char letter = text[begin];
        depth += letter == '(' || letter == '{' || letter == '['   ? 1
                 : letter == ')' || letter == '}' || letter == ']' ? -1
                                                                   : 0;
        if (letter == ',' && depth == 0) expected = true;
        if (!expected || !of_word(letter)) continue;
        const Text name = first_word(text.substr(begin));
        begin += name.size();
        // A name that another one follows is the type of the next parameter, one that a body follows a
        // function.
        const std::size_t next = std::min(text.find_first_not_of(' ', begin), text.size() - 1);
        if (begin == text.size() || of_word(text[next]) || Text("&*<").find(text[next]) != Text::npos) break;
        if (text[next] == '(' && depth == 0 && opens_body(file, line, line + 1)) break;
        names.emplace_back(name);
        expected = false;
        --begin;
      }
    }
  }
  std::ranges::sort(names);
  names.erase(std::ranges::unique(names).begin(), names.end());
  return names;
}

bool names_part_of(const SourceFile& file, std::uint32_t line, std::string_view of) {
  const Text text = without_comment(file, line);
  for (std::size_t at = 0; at < of.size();) {
    const std::size_t end = std::min(of.find('/', at), of.size());
    const Text part = of.substr(at, end - at);
    if (has_word(text, part)) return true;
    for (std::size_t under = part.find('_'); under != Text::npos; under = part.find('_', under + 1))
      if (has_word(text, part.substr(0, under))) return true;
    at = end + 1;
  }
  return false;
}

namespace {

constexpr std::size_t kMostCallers = 4;

SourcePlace caller_of(const SourceFiles& files, SourcePlace line, const WantedCall& wanted,
                      std::size_t callers) {
  for (; callers < kMostCallers; ++callers) {
    const auto file = files.find(line.file);
    if (file == files.end()) return {};
    if (wanted.in_loop && stands_in_loop(file->second, line.line)) return {};
    const FunctionText function = function_around(file->second, line.line);
    std::vector<SourcePlace> all;
    for (const std::string& called : names_called(files, function)) {
      for (const auto& [name, text] : files) {
        // The line that it begins on belongs to that file alone.
        const std::uint32_t own = name == line.file ? function.line : 0;
        for (const std::uint32_t at : lines_that_call(text, {called, own, {}})) all.push_back({name, at});
      }
    }
    const auto place = [](const SourcePlace& at) { return std::pair(at.file, at.line); };
    std::ranges::sort(all, {}, place);
    all.erase(std::ranges::unique(all, {}, place).begin(), all.end());
    if (runs_object(file->second, function.name)) {
      const auto other = [&](const SourcePlace& at) {
        return !names_part_of(files.find(at.file)->second, at.line, wanted.of);
      };
      if (!std::ranges::all_of(all, other)) std::erase_if(all, other);
    }
    std::vector<SourcePlace> near = all;
    if (wanted.in_loop) {
      std::erase_if(
          near, [&](const SourcePlace& at) { return !stands_in_loop(files.find(at.file)->second, at.line); });
    }
    if (wanted.last != 0) {
      std::erase_if(near, [&](const SourcePlace& at) {
        return at.file != wanted.file || at.line < wanted.first || at.line > wanted.last;
      });
    }
    if (near.size() >= (wanted.again ? 2 : 1))
      return !wanted.again ? near.front() : wanted.last != 0 ? near.back() : near[1];
    // Of several, such as one in a class that overrides it, the one that the wanted lines lead to.
    if (all.size() > 1 && all.size() <= kMostCallers && wanted.last != 0 && !wanted.again) {
      std::vector<SourcePlace> led_to;
      std::ranges::copy_if(all, std::back_inserter(led_to), [&](const SourcePlace& at) {
        return caller_of(files, at, wanted, callers + 1).line != 0;
      });
      return led_to.size() == 1 ? led_to.front() : SourcePlace();
    }
    // One line alone that calls it again and again.
    const auto in_loop = [&](const SourcePlace& at) {
      return stands_in_loop(files.find(at.file)->second, at.line);
    };
    if (wanted.again && wanted.last == 0 && all.size() == 1 && in_loop(all.front()) && !in_loop(line))
      return all.front();
    if (all.size() != 1) return {};
    line = all.front();
  }
  return {};
}

}  // namespace

SourcePlace calling_line(const SourceFiles& files, SourcePlace line, const WantedCall& wanted) {
  return caller_of(files, line, wanted, 0);
}

SourcePlace calling_line(const SourceFiles& files, const std::vector<SiteId>& way, const WantedCall& wanted) {
  if (wanted.again) return {};
  for (std::size_t i = 0; i < way.size(); ++i) {
    const CallSite site = site_with_id(way[i]);
    const SourcePlace at{site.file, site.line};
    const auto file = files.find(at.file);
    if (file == files.end()) continue;
    if (wanted.in_loop) {
      if (stands_in_loop(file->second, at.line)) return i == 0 ? SourcePlace() : at;
    } else if (i > 0 && (wanted.last == 0 ||
                         (at.file == wanted.file && at.line >= wanted.first && at.line <= wanted.last))) {
      return at;
    }
  }
  return {};
}

}  // namespace tapescope
