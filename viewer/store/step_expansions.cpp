// Calls that a viewer stepped into: their ops are a view apart, as those of a step.
#include <algorithm>
#include <utility>

#include "engine/events/records/functions.h"
#include "viewer/store/step_parser.h"

namespace tapescope {
namespace {

constexpr std::size_t kMostExpansions = 256;  // of a step; a hand makes fewer, and each takes kilobytes

}  // namespace

void StepParser::expand(const Record& record, std::uint32_t thread) {
  if (record.is<ExpansionRecord>()) {
    if (expanded_.size() == kMostExpansions) {
      view_.expansions.back().ended = true;
      return;
    }
    const auto begin = record.as<ExpansionRecord>();
    view_.expansions.push_back({.name = begin.name});
    StepData& data = expanded_.emplace_back();
    data.step = data_.step;
    data.program = data_.program;
    data.begin = data.end = begin.ticks;
    data.home = thread;
    data.surroundings = data_.surroundings;
    data.segments.of(thread);
    return;
  }
  if (expanded_.empty() || view_.expansions.back().ended) return;  // its beginning was lost
  StepData& data = expanded_.back();
  std::vector<Record>& records = data.segments.of(thread);
  if (record.is<ExpansionEndRecord>()) {
    view_.expansions.back().ended = true;
    view_.expansions.back().why = record.as<ExpansionEndRecord>().why;
    view_.expansions.back().call = static_cast<std::uint32_t>(view_.ops.size());
  } else if (record.is<InnerOpRecord>()) {
    const auto op = record.as<InnerOpRecord>();
    data.end = std::max<std::uint64_t>(data.end, op.ticks);
    const int kept = op.flags & (InnerOpRecord::kBackward | InnerOpRecord::kHolds | InnerOpRecord::kHandle);
    records.push_back(OpRecord{.flags = static_cast<std::uint8_t>(kept),
                               .name = op.name,
                               .site = op.site,
                               .ticks = op.ticks,
                               .output = op.output,
                               .type = op.type,
                               .duration = op.duration});
  } else {
    const auto operands = record.as<InnerOperandsRecord>();
    constexpr auto kInGraph = static_cast<std::uint32_t>(TapeAnswer::in_graph);
    records.push_back(OperandsRecord{.inputs = operands.inputs,
                                     .outputs = operands.outputs,
                                     .answers = operands.first == 0 ? kInGraph : operands.first,
                                     .input = operands.input});
  }
}

void StepParser::expansions() {
  for (std::size_t i = 0; i < expanded_.size(); ++i) {
    const auto view = std::make_shared<StepView>();
    view->step = view_.step;
    view->program = view_.program;
    view->inside = true;
    view->complete = view_.expansions[i].ended;
    StepParser(expanded_[i], *view, this).run();
    view_.expansions[i].view = view;
  }
}

// The debugger stops at each of them, whatever it is.
void StepParser::number_inner_ops() {
  view_.step_us = 0;
  for (std::uint32_t i = 0; i < view_.ops.size(); ++i) {
    OpRow& row = view_.ops[i];
    row.node = static_cast<std::int32_t>(i);
    row.in_graph = true;
    if (row.direction == Direction::other) row.direction = Direction::forward;
    if (row.flags & InnerOpRecord::kHolds) row.inside_us = std::exchange(row.duration_us, 0);
    row.flags &= static_cast<std::uint8_t>(~InnerOpRecord::kHolds);
    view_.step_us += row.duration_us;
  }
  view_.nodes = view_.forward_nodes = static_cast<std::int64_t>(view_.ops.size());
}

}  // namespace tapescope
