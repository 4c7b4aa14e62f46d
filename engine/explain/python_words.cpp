// One remedy for each reason that C++ says otherwise.
#include "engine/explain/python_words.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "engine/core/names.h"
#include "engine/explain/words.h"

namespace tapescope {
namespace {

// What a person calls an op of a line: a variable's read has no word in the program.
std::string python_edge(const Asked& asked, const Explanation& e) {
  std::string what = e.edge.op;
  if (const HistoryOp* op = asked.history.producer(e.edge.output); op && op->flags & OpRecord::kHandle) {
    const auto inputs = asked.history.inputs(*op);
    what = inputs.empty() ? "the read" : fmt::format("the use of {}", short_name(asked.history, inputs[0]));
  }
  return e.edge.location.empty() ? what : fmt::format("{} at {}", what, e.edge.location);
}

std::string python_relaxation(std::string_view op) {
  if (op == "ArgMax" || op == "ArgMin") {
    return "use tf.nn.softmax, whose weights have gradients (a soft argmax), in place of the index";
  }
  if (op == "Round" || op == "Floor" || op == "Ceil" || op == "Rint" || op == "FloorDiv") {
    return "leave the rounding out of the training path, or give it a straight-through gradient with "
           "tf.custom_gradient or x + tf.stop_gradient(round(x) - x)";
  }
  if (op == "Less" || op == "LessEqual" || op == "Greater" || op == "GreaterEqual" || op == "Equal" ||
      op == "NotEqual" || op.starts_with("Logical") || op == "Sign") {
    return "use a smooth gate such as tf.sigmoid in place of the comparison";
  }
  if (op == "LowerBound" || op == "UpperBound") {
    return "count with a smooth gate, the sum of tf.sigmoid of the differences, in place of searchsorted, or "
           "interpolate between the bounds";
  }
  return "use a differentiable op in its place, or give it a gradient of your own with tf.custom_gradient";
}

}  // namespace

bool is_python(std::string_view location) {
  const std::size_t colon = location.rfind(':');
  const std::string_view file = location.substr(0, colon);
  return file.ends_with(".py") || file.starts_with('<');
}

std::string python_fix(const Asked& asked, const Break& cut, const Explanation& e) {
  const History& history = asked.history;
  const std::string name = short_name(history, asked.source);
  const std::string edge = python_edge(asked, e);
  switch (e.reason) {
    case Reason::not_watched:
      if (cut.site != 0) return {};
      return fmt::format("call tape.watch({0}) before {0} is used, or make it a tf.Variable", name);
    case Reason::not_trainable:
      return fmt::format("make {0} with trainable=True, or call tape.watch({0}) in the block", name);
    case Reason::watch_disabled:
      return fmt::format("call tape.watch({}) in the block, or leave watch_accessed_variables=True", name);
    case Reason::watched_too_late: return fmt::format("move tape.watch({}) up, before {}", name, edge);
    case Reason::outside_tape_before:
      if (cut.uncalled) {
        return fmt::format(
            "apply {} to each batch inside the tape's with block, in the loop, and not in Dataset.map", name);
      }
      [[fallthrough]];
    case Reason::outside_tape_after: return fmt::format("move {} inside the tape's with block", edge);
    case Reason::paused:
      return fmt::format("move {} out of the block of stop_recording(), or remove stop_recording", edge);
    case Reason::consumed:
      if (asked.tape == nullptr || asked.tape->generation == 0) return {};
      return "make the tape with persistent=True, or ask for all gradients in one call after the block";
    case Reason::other_tape:
      return fmt::format("ask the tape that recorded it{}, or open both tapes around the computation",
                         cut.other ? ", " + tape_text(history, cut.other) : "");
    case Reason::stop_gradient:
      return "remove tf.stop_gradient if the gradient is wanted; otherwise None is what it asks for";
    case Reason::not_differentiable: return python_relaxation(e.edge.op);
    case Reason::argument_not_differentiable:
      return fmt::format(
          "give {0} to another, differentiable op in place of {1}, pass it through an argument of {1} that "
          "has a gradient, or write that gradient with tf.custom_gradient; else treat {0} as a constant",
          name, e.edge.op);
    case Reason::integer_dtype:
      return fmt::format("make {} floating, such as 2.0 in place of 2, with dtype=tf.float32 or tf.cast",
                         name);
    case Reason::integer_cast:
      return "stay in a floating dtype on the training path: leave out the cast to integers";
    case Reason::host_round_trip:
      return "keep the computation in TensorFlow's ops between the two lines (no .numpy(), float() or np.), "
             "or "
             "give it a gradient with tf.custom_gradient";
    case Reason::state_update:
      return fmt::format("use the tensor itself in place of {}: what was assigned, without assign()",
                         tensor_text(history, e.edge.output));
    case Reason::recreated_tensor:
      return fmt::format(
          "ask for the tensor or variable that the computation used{}, the same tensor, computed once and "
          "handed on, or use the new one in it",
          cut.tensor != 0 && !history.given_name(cut.tensor).empty()
              ? fmt::format(" ({})", history.given_name(cut.tensor))
              : std::string());
    case Reason::custom_gradient_none:
      return "return a gradient (a tensor, zeros where there is none) for every input of the custom gradient "
             "in "
             "place of None";
    case Reason::branch_not_taken:
      if (cut.use != 0) {
        const bool training = name_text(cut.condition).find("training") != std::string_view::npos;
        return fmt::format(
            "{}; where the condition is meant, skip the None, filter {} out of the sources, or ask with "
            "unconnected_gradients=tf.UnconnectedGradients.ZERO",
            training ? "call the model with training=True where it is trained, so that the branch runs"
                     : "check the condition, which keeps the branch from running",
            name);
      }
      return "compute both branches and choose with tf.where, ask with "
             "unconnected_gradients=tf.UnconnectedGradients.ZERO, or skip the None where the condition is "
             "meant";
    case Reason::independent:
      if (cut.tensor != 0) {
        return fmt::format(
            "use that result on the way to {}, or remove what computes it and leave {} out of the sources",
            short_name(history, asked.target), name);
      }
      return fmt::format(
          "use {} on the way to {}, or ask with unconnected_gradients=tf.UnconnectedGradients.ZERO", name,
          short_name(history, asked.target));
    case Reason::overwritten:
      if (cut.tensor == 0 || e.edge.output != asked.source) return {};
      return fmt::format(
          "keep {0} as the source: change a tf.Variable with assign() (assign_sub, assign_add), or "
          "call tape.watch({0})",
          name);
    default: return {};
  }
}

std::string python_message(std::string message) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kWords = {
      {{"watch_accessed_variables = false", "watch_accessed_variables=False"},
       {"trainable = true", "trainable=True"},
       {"persistent = true", "persistent=True"}}};
  for (const auto& [from, to] : kWords) {
    if (const std::size_t at = message.find(from); at != message.npos) message.replace(at, from.size(), to);
  }
  return message;
}

}  // namespace tapescope
