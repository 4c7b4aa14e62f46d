// Where the first value that is not finite came from, as far as records say what tensors held.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/explain/explain.h"
#include "engine/explain/history_parts.h"

namespace tapescope {

class History;

struct NonFiniteExplanation {
  TensorId output = 0;    // first output of the op; of data the tensor that came in so
  bool data = false;      // no op made it: it came in from the host, or a variable held it already
  bool backward = false;  // the op ran inside a backward step
  std::string value;      // "nan", "inf", "-inf"
  std::string op, op_type, location;  // of data the tensor's name, and "Variable" or "Const"
  std::string what;                   // "Log at x.cpp:12 made the first -inf: its argument holds 0"
  std::string fix;
  std::size_t call = 0;              // which gradient call of the history noticed it, from 1
  std::vector<std::string> reached;  // what the program asked for and got not finite: "the loss", "w"
  // The program noticed each time and updated nothing (skipped.h), and was not seen to go on with finite
  // values.
  bool skipped = false;
};

// Of the first gradient call with a target or an answer that is not finite: the op, first in the order of
// execution, whose output is not finite though all it read is, among those whose values led there. An
// infinity that the program wrote, such as that of a mask, is no origin, what makes NaN of it is. Calls that
// it skipped and recovered from (skipped.h) do not count. Nothing where no values were recorded.
std::optional<NonFiniteExplanation> find_nonfinite(const History& history);

// What to do about an op that is the origin, by what it read and what its result is used for.
std::string nonfinite_remedy(const History& history, const HistoryOp& op, const NonFiniteExplanation& origin);
// The same by the op's type alone ("Log", "SqrtGrad"), where no values were recorded; empty for a type that
// has no known remedy.
std::string_view nonfinite_guard(std::string_view op_type, bool backward, std::string_view value);
// For such types.
std::string_view nonfinite_remedy_of_any();
// Of an infinity without a pattern.
std::string_view nonfinite_remedy_of_overflow();
// What follows the remedy of a forward op of that type where earlier steps were finite; empty where large
// values are not to blame, such as those of a division by 0.
std::string_view nonfinite_growth(std::string_view op_type);

}  // namespace tapescope
