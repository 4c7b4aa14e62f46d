// What a program did with gradients that are not finite: it looked, and updated nothing.
#include "engine/explain/skipped.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_set>

#include "engine/explain/history.h"

namespace tapescope {
namespace {

bool is_nonfinite(const History& history, TensorId tensor) {
  const TensorValuesRecord* values = history.values(tensor);
  return values && (values->flags & kNonFiniteValues);
}

// Whether a step of the walk gave the tensor a gradient that is not finite.
bool is_given_nonfinite(const History& history, const Question& question, TensorId source) {
  std::vector<TensorId> open{source};
  std::unordered_set<TensorId> known{source};
  while (!open.empty()) {
    const TensorId tensor = open.back();
    open.pop_back();
    for (const std::uint32_t use : history.consumers(tensor)) {
      const HistoryOp& op = history.ops()[use];
      if (op.flags & OpRecord::kBackward) continue;
      if (const StepResultRecord* step = history.step_result(question.call, op.output)) {
        const auto inputs = history.inputs(op);
        for (std::size_t k = 0; k < inputs.size() && k < 16; ++k) {
          if (inputs[k] == tensor && (step->results.nonfinite() >> k & 1)) return true;
        }
      }
      // A variable's gradient is that of what its reads give, of which TensorFlow walks not all.
      if ((op.flags & OpRecord::kHandle) && known.insert(op.output).second) open.push_back(op.output);
    }
  }
  return false;
}

bool is_nonfinite(const History& history, const Question& question, const Question::Source& source) {
  return source.gradient != 0 &&
         (is_nonfinite(history, source.gradient) || is_given_nonfinite(history, question, source.id));
}

// All that is computed of these, forward; the first kMostTensors of it.
std::unordered_set<TensorId> computed_of(const History& history, std::vector<TensorId> open) {
  constexpr std::size_t kMostTensors = 4096;
  std::unordered_set<TensorId> known(open.begin(), open.end());
  while (!open.empty() && known.size() < kMostTensors) {
    const TensorId tensor = open.back();
    open.pop_back();
    for (const std::uint32_t use : history.consumers(tensor)) {
      const HistoryOp& op = history.ops()[use];
      if (op.flags & (OpRecord::kBackward | OpRecord::kTraced)) continue;
      for (std::uint32_t k = 0; k < op.outputs; ++k) {
        if (known.insert(op.output + k).second) open.push_back(op.output + k);
      }
    }
  }
  return known;
}

// From one question of a line to the next one of that line.
struct Span {
  const Question* question = nullptr;
  std::uint32_t thread = 0;
  TensorId begin = 0, end = ~TensorId{0};  // ids of its thread
};

// The stamp of a question: what it was asked of is older, its answers are younger.
TensorId stamp_of(const Question& question) {
  return question.targets.empty() ? 0 : *std::ranges::max_element(question.targets);
}

class Line {
 public:
  Line(const History& history, std::vector<Span> spans) : history_(history), spans_(std::move(spans)) {}

  void judge(std::vector<SkippedCall>& calls) const {
    const std::size_t first = calls.size();
    std::size_t in_a_row = 0, most = 0;
    bool recovered = false;  // a call was skipped, and a later one was good
    for (const Span& span : spans_) {
      if (std::optional<SkippedCall> call = skipped(span)) {
        most = std::max(most, ++in_a_row);
        calls.push_back(std::move(*call));
      } else if (is_good(span)) {
        recovered |= calls.size() > first;
        in_a_row = 0;
      } else if (in_a_row > 0 && !updates(span)) {
        most = std::max(most, ++in_a_row);  // one more, whose values were not recorded
        calls.push_back(asked_in(span));
        for (const Question::Source& source : span.question->sources) {
          if (source.gradient != 0) calls.back().gradients.push_back(source.gradient);
        }
      }
    }
    for (std::size_t i = first; i < calls.size(); ++i) calls[i].recovered = recovered && most < kMostSkipped;
  }

 private:
  SkippedCall asked_in(const Span& span) const {
    SkippedCall call;
    call.question = static_cast<std::size_t>(span.question - history_.questions().data());
    for (const Question::Source& source : span.question->sources) {
      if (history_.variable(source.id)) call.sources.push_back(source.id);
    }
    return call;
  }

  std::optional<SkippedCall> skipped(const Span& span) const {
    SkippedCall call = asked_in(span);
    std::vector<TensorId> got = span.question->targets;
    bool any_wrong =
        std::ranges::any_of(got, [&](TensorId tensor) { return is_nonfinite(history_, tensor); });
    for (const Question::Source& source : span.question->sources) {
      if (source.gradient == 0) continue;
      got.push_back(source.gradient);
      if (!is_nonfinite(history_, *span.question, source)) continue;
      call.gradients.push_back(source.gradient);
      if (history_.variable(source.id)) call.wrong.push_back(source.id);
    }
    any_wrong |= !call.gradients.empty();
    if (!any_wrong || call.sources.empty() || updates(span)) return std::nullopt;
    // Of all gradients: a norm may overflow though they did not.
    const auto computed = computed_of(history_, std::move(got));
    const bool kept = std::ranges::any_of(history_.assigns(), [&](const HistoryAssign& assign) {
      return assign.value != 0 && computed.contains(assign.value);
    });
    if (kept || !looked(span, computed)) return std::nullopt;
    return call;
  }

  // Whether the host read something of it, or the library's LossScale did.
  bool looked(const Span& span, const std::unordered_set<TensorId>& computed) const {
    const NameId loss_scale = intern_name("loss_scale");
    return std::ranges::any_of(history_.host_reads(),
                               [&](const HistoryRead& read) {
                                 return !read.printed && is_in(span, read.thread, read.stamp) &&
                                        computed.contains(read.tensor);
                               }) ||
           std::ranges::any_of(computed, [&](TensorId tensor) {
             const HistoryOp* op = history_.producer(tensor);
             return op && op->silencer == loss_scale;
           });
  }

  // Values are recorded where something is wrong, and then not each time: what is not seen to be wrong and
  // went into an update is good.
  bool is_good(const Span& span) const {
    return updates(span) && !is_wrong(history_, *span.question);
  }

  bool updates(const Span& span) const {
    return std::ranges::any_of(span.question->sources, [&](const Question::Source& source) {
      const HistoryVariable* variable = history_.variable(source.id);
      return variable && std::ranges::any_of(variable->assigns, [&](std::uint32_t index) {
               const HistoryAssign& assign = history_.assigns()[index];
               return is_in(span, assign.thread, assign.stamp);
             });
    });
  }

  static bool is_in(const Span& span, std::uint32_t thread, TensorId stamp) {
    return thread == span.thread && stamp > span.begin && stamp <= span.end;
  }

  const History& history_;
  std::vector<Span> spans_;
};

}  // namespace

bool is_wrong(const History& history, const Question& question) {
  const auto lost = [&](TensorId tensor) { return is_nonfinite(history, tensor); };
  const auto spoiled = [&](const Question::Source& source) {
    return is_nonfinite(history, question, source);
  };
  return std::ranges::any_of(question.targets, lost) || std::ranges::any_of(question.sources, spoiled);
}

std::vector<SkippedCall> skipped_calls(const History& history) {
  std::vector<SkippedCall> calls;
  if (!history.knows_values() && !history.knows_steps()) return calls;
  std::map<std::pair<std::uint32_t, SiteId>, std::vector<Span>> lines;
  for (const Question& question : history.questions()) {
    if (question.flags & GradientAskRecord::kTraced) continue;
    std::vector<Span>& spans = lines[{question.thread, question.site}];
    const TensorId stamp = stamp_of(question);
    if (!spans.empty()) spans.back().end = stamp;
    spans.push_back({.question = &question, .thread = question.thread, .begin = stamp});
  }
  for (const auto& [line, spans] : lines) Line(history, spans).judge(calls);
  std::ranges::sort(calls, {}, &SkippedCall::question);
  return calls;
}

}  // namespace tapescope
