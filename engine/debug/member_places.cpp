// Finds the class around a line by its braces, and the name between them.
#include "engine/debug/member_places.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "engine/debug/find_word.h"
#include "engine/debug/program_text.h"

namespace tapescope {
namespace {

constexpr std::size_t kNone = std::string_view::npos;
constexpr std::size_t kMostPlaces = 1000;  // each is looked for in a file

// The brace that ends what the one at `open` begins.
std::size_t closing(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < code.size(); ++i) {
    depth += code[i] == '{' ? 1 : code[i] == '}' ? -1 : 0;
    if (depth == 0) return i;
  }
  return code.size();
}

// The brace that begins what is around the place; kNone at the outermost.
std::size_t opening(std::string_view code, std::size_t at) {
  int depth = 0;
  while (at-- > 0) {
    depth += code[at] == '}' ? 1 : code[at] == '{' ? -1 : 0;
    if (depth < 0) return at;
  }
  return kNone;
}

std::size_t class_word(std::string_view code, std::size_t from, std::size_t end) {
  for (const std::string_view word : {"struct", "class"}) {
    if (const std::size_t at = find_word(code, word, from, end); at != kNone) return at;
  }
  return kNone;
}

// The name of the class whose body that brace begins; empty for any other brace.
std::string_view class_of(std::string_view code, std::size_t open) {
  const std::size_t before = code.find_last_of(";{}", open == 0 ? 0 : open - 1);
  const std::size_t word = class_word(code, before == kNone || open == 0 ? 0 : before + 1, open);
  if (word == kNone) return {};
  const std::size_t begin = code.find_first_not_of(" \n\t", code.find_first_of(" \n\t", word));
  std::size_t end = begin;
  while (end < open && of_word(code[end])) ++end;
  return begin < open ? code.substr(begin, end - begin) : std::string_view();
}

// The brace that begins the body of the class at the line between the two places; kNone where there is none.
std::size_t class_at(std::string_view code, std::size_t begin, std::size_t end) {
  if (const std::size_t word = class_word(code, begin, end); word != kNone) {
    const std::size_t open = code.find_first_of("{;", word);
    return open != kNone && code[open] == '{' ? open : kNone;
  }
  // A constructor, inside of its class or outside.
  const std::size_t around = opening(code, begin);
  const std::string_view inside = around == kNone ? std::string_view() : class_of(code, around);
  if (!inside.empty()) {
    const std::size_t name = find_word(code, inside, begin, end);
    return name != kNone && code[name + inside.size()] == '(' ? around : kNone;
  }
  const std::size_t colons = code.find("::", begin);
  if (colons >= end) return kNone;
  std::size_t first = colons;
  while (first > begin && of_word(code[first - 1])) --first;
  const std::string_view name = code.substr(first, colons - first);
  if (name.empty() || code.substr(colons + 2, name.size() + 1) != fmt::format("{}(", name)) return kNone;
  for (std::size_t word = class_word(code, 0, code.size()); word != kNone;
       word = class_word(code, word + 1, code.size())) {
    const std::size_t open = code.find_first_of("{;", word);
    if (open != kNone && code[open] == '{' && class_of(code, open) == name) return open;
  }
  return kNone;
}

}  // namespace

std::uint32_t member_line(std::string_view program, std::uint32_t line, std::string_view name) {
  std::size_t begin = 0;
  for (std::uint32_t at = 1; at < line; ++at) {
    begin = program.find('\n', begin);
    if (begin++ == kNone) return line;
  }
  const std::size_t end = std::min(program.find('\n', begin), program.size());
  const std::string quoted = fmt::format("\"{}\"", name);
  if (line == 0 || program.substr(begin, end - begin).find(quoted) != kNone) return line;
  const std::string code = code_of(program);
  const std::size_t open = class_at(code, begin, end);
  if (open == kNone) return line;
  const std::size_t last = closing(code, open);
  for (std::size_t at = program.find(quoted, open); at < last; at = program.find(quoted, at + 1)) {
    if (code[at] != '"') continue;  // in a comment
    return static_cast<std::uint32_t>(
        1 + std::count(program.begin(), program.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
  }
  return line;
}

SiteId member_place(SiteId place, NameId name) {
  struct Known {
    std::mutex mutex;
    std::map<std::pair<SiteId, NameId>, SiteId> places;
  };
  static Known* known = new Known;  // never destroyed: statics may still make variables
  std::lock_guard lock(known->mutex);
  if (known->places.size() >= kMostPlaces && !known->places.contains({place, name})) return place;
  const auto [entry, fresh] = known->places.try_emplace({place, name}, place);
  if (!fresh) return entry->second;
  const CallSite site = site_with_id(place);
  if (site.file.empty() || site.file.ends_with(".py")) return place;
  const std::string_view text = name_text(name);
  const std::uint32_t line =
      member_line(program_text(site.file), site.line, text.substr(text.rfind('/') + 1));
  if (line != site.line) entry->second = intern_site(site.file, site.function, line, site.scope);
  return entry->second;
}

}  // namespace tapescope
