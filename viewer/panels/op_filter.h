// The filter that all panels share: words that must occur, and conditions such as ">10us" and
// "dtype:float16".
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "viewer/store/step_view.h"

namespace tapescope::ui {

class OpFilter {
 public:
  OpFilter() = default;
  // Terms stand apart by spaces and all must hold. A word is looked for, in either case, in op type, name,
  // scope, tensor name and location; ">10us", "<2ms" compare the time; "dtype:", "op:", "scope:", "line:",
  // "is:backward" name one field. What cannot be read as a condition counts as a word.
  explicit OpFilter(std::string_view text);

  bool empty() const { return terms_.empty(); }
  bool matches(const OpRow& row) const;
  // For rows that are no ops: words alone, over one text.
  bool matches_text(std::string_view text) const;

 private:
  enum class Field : std::uint8_t { any, op, scope, dtype, line, direction, longer, shorter };
  struct Term {
    Field field = Field::any;
    std::string word;
    double us = 0;
  };
  std::vector<Term> terms_;
};

// Whether `part` occurs in `text`, in either case.
bool contains_text(std::string_view text, std::string_view part);

}  // namespace tapescope::ui
