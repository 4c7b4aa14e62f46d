// Reads and applies the filter.
#include "viewer/panels/op_filter.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

namespace tapescope::ui {
namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

// "10us", "2ms", "1.5": microseconds. False when it is no time.
bool read_time(const std::string& text, double& us) {
  char* end = nullptr;
  us = std::strtod(text.c_str(), &end);
  if (end == text.c_str()) return false;
  const std::string_view unit = end;
  if (unit == "ms") us *= 1e3;
  else if (unit == "s") us *= 1e6;
  else if (!unit.empty() && unit != "us" && unit != "µs") return false;
  return true;
}

}  // namespace

bool contains_text(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(), same_letter) != text.end();
}

OpFilter::OpFilter(std::string_view text) {
  struct Prefix {
    std::string_view text;
    Field field;
  };
  static constexpr std::array<Prefix, 5> kPrefixes = {{{"op:", Field::op},
                                                       {"scope:", Field::scope},
                                                       {"dtype:", Field::dtype},
                                                       {"line:", Field::line},
                                                       {"is:", Field::direction}}};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(' ', at);
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string word(text.substr(begin, end - begin));
    at = end;
    Term term;
    double us = 0;
    if (word.size() > 1 && (word[0] == '>' || word[0] == '<') && read_time(word.substr(1), us)) {
      term.field = word[0] == '>' ? Field::longer : Field::shorter;
      term.us = us;
    } else {
      for (const Prefix& prefix : kPrefixes) {
        if (!word.starts_with(prefix.text) || word.size() == prefix.text.size()) continue;
        term.field = prefix.field;
        word.erase(0, prefix.text.size());
        break;
      }
    }
    term.word = std::move(word);
    terms_.push_back(std::move(term));
  }
}

bool OpFilter::matches(const OpRow& row) const {
  for (const Term& term : terms_) {
    bool holds = false;
    switch (term.field) {
      case Field::any:
        holds = contains_text(row.op, term.word) || contains_text(row.name, term.word) ||
                contains_text(row.tensor_name, term.word) || contains_text(row.location, term.word);
        break;
      case Field::op: holds = contains_text(row.op, term.word); break;
      case Field::scope: holds = contains_text(row.scope, term.word); break;
      case Field::dtype: holds = contains_text(row.dtype, term.word); break;
      case Field::line: holds = contains_text(row.location, term.word); break;
      case Field::direction: holds = contains_text(name_of(row.direction), term.word); break;
      case Field::longer: holds = row.duration_us > term.us; break;
      case Field::shorter: holds = row.duration_us < term.us; break;
    }
    if (!holds) return false;
  }
  return true;
}

bool OpFilter::matches_text(std::string_view text) const {
  return std::all_of(terms_.begin(), terms_.end(),
                     [&](const Term& term) { return contains_text(text, term.word); });
}

}  // namespace tapescope::ui
