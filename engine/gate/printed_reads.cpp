// Walks outwards from a call through the brackets around it.
#include "engine/gate/printed_reads.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/debug/find_word.h"
#include "engine/debug/program_text.h"

namespace tapescope {
namespace {

constexpr int kMostVariables = 3;  // one that is made of the other

bool is_blank(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }

class Reader {
 public:
  explicit Reader(std::string code) : code_(std::move(code)) {}

  bool prints(std::uint32_t line) const {
    std::size_t begin = 0;
    for (std::uint32_t at = 1; at < line; ++at) {
      begin = code_.find('\n', begin);
      if (begin++ == std::string::npos) return false;
    }
    const std::size_t end = std::min(code_.find('\n', begin), code_.size());
    std::vector<std::size_t> reads;
    for (const std::string_view name : {"item", "host_values", "element", "elements"}) {
      for (const std::size_t at : places_of(name, begin, end)) {
        if (next(at + name.size()) == '(') reads.push_back(at);
      }
    }
    return !reads.empty() && std::ranges::all_of(reads, [&](std::size_t at) { return goes_out(at, 0); });
  }

 private:
  std::vector<std::size_t> places_of(std::string_view name, std::size_t begin, std::size_t end) const {
    std::vector<std::size_t> found;
    for (std::size_t at = find_word(code_, name, begin, end); at != std::string_view::npos;
         at = find_word(code_, name, at + 1, end))
      found.push_back(at);
    return found;
  }
  std::size_t skip_back(std::size_t at) const {
    while (at > 0 && is_blank(code_[at - 1])) --at;
    return at;
  }
  std::size_t word_begin(std::size_t end) const {
    while (end > 0 && of_word(code_[end - 1])) --end;
    return end;
  }
  char next(std::size_t at) const {
    while (at < code_.size() && is_blank(code_[at])) ++at;
    return at < code_.size() ? code_[at] : '\0';
  }
  std::string_view between(std::size_t begin, std::size_t end) const {
    return std::string_view(code_).substr(begin, end - begin);
  }

  // Whether the name that ends there is a function that writes its arguments out, or makes a text of them.
  bool is_output(std::size_t end) const {
    constexpr std::array<std::string_view, 8> kWrites = {"printf",  "fprintf", "sprintf", "snprintf",
                                                         "println", "fputs",   "format",  "to_string"};
    constexpr std::array<std::string_view, 6> kLogs = {"info", "debug", "warn", "warning", "error", "trace"};
    const std::size_t begin = word_begin(end);
    const std::string_view name = between(begin, end);
    if (std::ranges::find(kWrites, name) != kWrites.end() || name.starts_with("print")) return true;
    if (std::ranges::find(kLogs, name) == kLogs.end() || begin < 2) return false;
    const bool member =
        code_[begin - 1] == '.' || between(begin - 2, begin) == "::" || between(begin - 2, begin) == "->";
    const std::size_t owner = begin - (code_[begin - 1] == '.' ? 1 : 2);
    return member && between(word_begin(owner), owner).find("log") != std::string_view::npos;
  }

  // What stands in front of `at`: the bracket around it, or the beginning of its statement.
  struct Around {
    std::size_t at = 0;
    bool bracket = false;
    std::size_t assigned = 0, streamed = 0;  // places of the last = and the first << on the way, plus 1
  };
  Around around(std::size_t at) const {
    Around found;
    int depth = 0;
    for (std::size_t i = at; i-- > 0;) {
      const char letter = code_[i];
      if (letter == ')' || letter == ']') ++depth;
      if (letter == '(' || letter == '[') {
        if (depth-- == 0) return {i, true, found.assigned, found.streamed};
      }
      if (depth > 0) continue;
      if (letter == ';' || letter == '}' || letter == '{')
        return {i + 1, false, found.assigned, found.streamed};
      if (letter == '<' && i > 0 && code_[i - 1] == '<') found.streamed = i;
      if (letter != '=' || found.assigned != 0) continue;
      const char before = i > 0 ? code_[i - 1] : '\0', after = i + 1 < code_.size() ? code_[i + 1] : '\0';
      if (after != '=' && before != '=' && before != '<' && before != '>' && before != '!')
        found.assigned = i + 1;
    }
    return {0, false, found.assigned, found.streamed};
  }

  bool goes_out(std::size_t at, int variables) const {
    for (const std::size_t value = at;;) {
      const Around outside = around(at);
      if (!outside.bracket) {
        if (outside.assigned != 0)
          return variables < kMostVariables && names_output(outside, at, variables + 1);
        // A stream is on the left: numbers of tensors are no bits to shift by.
        return outside.streamed != 0;
      }
      if (outside.assigned != 0 || code_[outside.at] == '[') return false;
      const std::size_t end = skip_back(outside.at);
      // A macro may have the stream; numbers that are shifted by are no floating ones.
      if (is_output(end) || (outside.streamed != 0 && at == value)) return true;
      at = outside.at;
    }
  }

  // Of "const double mean = ": whether all that becomes of the variable is output.
  bool names_output(const Around& statement, std::size_t value, int variables) const {
    const std::size_t end = skip_back(statement.assigned - 1), begin = word_begin(end);
    const std::size_t type = skip_back(begin);
    const std::string_view name = between(begin, end);
    // What has no type before it was there before, and may be read anywhere.
    if (name.empty() || type <= statement.at || type == begin) return false;
    if (!of_word(code_[type - 1]) || between(statement.at, begin).find('(') != std::string_view::npos)
      return false;
    if (const std::string_view word = between(word_begin(type), type); word == "else" || word == "do")
      return false;
    std::size_t after = value;
    for (int depth = 0; after < code_.size() && (depth > 0 || code_[after] != ';'); ++after) {
      const char letter = code_[after];
      if (letter == '{') return false;  // a lambda may do anything
      depth += letter == '(' || letter == '[' ? 1 : letter == ')' || letter == ']' ? -1 : 0;
    }
    std::size_t last = after;
    for (int depth = 0; last < code_.size(); ++last) {
      depth += code_[last] == '{' ? 1 : code_[last] == '}' ? -1 : 0;
      if (depth < 0) break;
    }
    return std::ranges::all_of(places_of(name, after, last), [&](std::size_t use) {
      const bool member = use > 0 && (code_[use - 1] == '.' || code_[use - 1] == '>');
      return member || goes_out(use, variables);
    });
  }

  std::string code_;
};

struct Known {
  std::mutex mutex;
  std::map<SiteId, bool> printed;
};
Known& known_places() {
  static Known* instance = new Known;  // never destroyed: statics may still read values
  return *instance;
}

}  // namespace

bool is_printed(std::string_view program, std::uint32_t line) {
  return Reader(code_of(program)).prints(line);
}

bool is_printed(SiteId place) {
  Known& known = known_places();
  std::lock_guard lock(known.mutex);
  const auto [entry, fresh] = known.printed.try_emplace(place, false);
  if (!fresh) return entry->second;
  const CallSite site = site_with_id(place);
  if (!site.file.empty()) entry->second = is_printed(program_text(site.file), site.line);
  return entry->second;
}

}  // namespace tapescope
