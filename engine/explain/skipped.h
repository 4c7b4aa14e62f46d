// Steps that a program left out on purpose, because what it got was not finite: a loss scale that overflowed,
// a batch that a guard turned away.
#pragma once
#include <cstddef>
#include <vector>

#include "engine/core/ids.h"

namespace tapescope {

class History;
struct Question;

// A line that skipped so many times in a row has not recovered: a scale has been halved to less than a
// millionth of what it was.
inline constexpr std::size_t kMostSkipped = 24;

// Whether a target or an answer of a gradient call is not finite.
bool is_wrong(const History& history, const Question& question);

struct SkippedCall {
  std::size_t question = 0;         // into History::questions()
  std::vector<TensorId> sources;    // variables that it asked about
  std::vector<TensorId> gradients;  // of those that are not finite, or whose values were not recorded
  std::vector<TensorId> wrong;      // variables whose gradients were seen not to be finite
  bool recovered = false;           // calls of that line updated the variables after one was skipped
};

// Gradient calls with a target or an answer that is not finite, about variables, where the program read a
// value computed of those and assigned to none of the variables before that line asked again. In order of the
// questions.
std::vector<SkippedCall> skipped_calls(const History& history);

}  // namespace tapescope
