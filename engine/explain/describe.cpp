// What reasons.inl needs to say one sentence and one remedy for each reason.
#include <fmt/format.h>

#include "engine/core/dtype.h"
#include "engine/core/type.h"
#include "engine/explain/branches.h"
#include "engine/explain/python_words.h"
#include "engine/explain/words.h"

namespace tapescope {
namespace {

struct Sentences {
  std::string message, fix;
};

std::string at(SiteId site) {
  const std::string place = place_text(site);
  return place.empty() ? std::string() : " at " + place;
}

std::string dtype_text(const History& history, TensorId tensor) {
  const Type* type = type_with_id(history.type_of(tensor));
  return type ? std::string(name_of(type->dtype)) : std::string("not floating");
}

// The remedy for an op without a gradient depends on what it is for.
std::string relaxation(std::string_view op) {
  if (op == "ArgMax" || op == "ArgMin")
    return "use softmax, whose weights have gradients, in place of the index";
  if (op == "OneHot")
    return "give it the numbers 1 and 0, and multiply and add the values outside: one_hot(...) * (on - off) "
           "+ off";
  if (op == "Round" || op == "Floor" || op == "Ceil" || op == "Rint" || op == "FloorDiv") {
    return "leave the rounding out of the training path, or give it a gradient of your own with "
           "custom_gradient";
  }
  if (op == "Less" || op == "LessEqual" || op == "Greater" || op == "GreaterEqual" || op == "Equal" ||
      op == "NotEqual" || op.starts_with("Logical")) {
    return "use a smooth gate such as sigmoid in place of the comparison";
  }
  return "use a differentiable op in its place, or give it a gradient of your own with custom_gradient";
}

// What to do where an argument has no gradient.
std::string other_argument(std::string_view op, std::string_view name) {
  if (op == "PadV2") {
    return fmt::format(
        "pad with 0 and add {0} after it: pad(x - {0}, ...) + {0} has a gradient for {0}, and so "
        "has concat() with a border made of it",
        name);
  }
  return fmt::format("pass {} through an argument of {} that has a gradient, or treat it as a constant", name,
                     op);
}

// "Mul at derivative.cpp:12"; the program has no ReadVariableOp, it uses a variable.
std::string edge_text(const History& history, const PathItem& edge) {
  const std::string place = edge.location.empty() ? std::string() : " at " + edge.location;
  const HistoryOp* op = edge.op == "ReadVariableOp" ? history.producer(edge.output) : nullptr;
  const std::string_view name =
      op && op->inputs > 0 ? history.given_name(history.inputs(*op)[0]) : std::string_view();
  return name.empty() ? edge.op + place : fmt::format("the use of '{}'{}", name, place);
}

// Tapes that one line opened are distinguished by their order.
std::string other_tape_text(const History& history, TapeId other, TapeId asked) {
  const HistoryTape* one = history.tape(other);
  const HistoryTape* two = history.tape(asked);
  if (!one || !two || one->site == 0 || one->site != two->site) return tape_text(history, other);
  return fmt::format("the tape that {} opened {}", place_text(one->site), other < asked ? "before" : "later");
}

#define TAPESCOPE_SENTENCES
#include "engine/explain/reasons.inl"
#undef TAPESCOPE_SENTENCES

}  // namespace

void describe(const Asked& asked, const Break& cut, Explanation& explanation) {
  Sentences sentences = write(asked, cut, explanation);
  if (is_python(explanation.location)) {
    if (std::string fix = python_fix(asked, cut, explanation); !fix.empty()) sentences.fix = std::move(fix);
    sentences.message = python_message(std::move(sentences.message));
  }
  std::string& message = sentences.message;
  // A capital, unless the sentence begins with the program's own words: a file, an op, a call.
  for (const std::string_view word :
       {"the ", "variable ", "tensor ", "tape ", "an op ", "what ", "function ", "nothing ", "all "}) {
    if (message.starts_with(word)) message[0] = static_cast<char>(message[0] - 'a' + 'A');
  }
  explanation.message = std::move(message);
  explanation.fix = std::move(sentences.fix);
}

}  // namespace tapescope
