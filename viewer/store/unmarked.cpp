// What is let go of a long run, and where an answer lies in the step that is shown.
#include "viewer/store/unmarked.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "engine/events/records/functions.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tensors.h"
#include "viewer/store/trace_records.h"

namespace tapescope {
namespace {

constexpr std::size_t kFirstSteps = 4;   // what is made in them is often kept for all
constexpr std::size_t kMostLasting = 4;  // of what is let go at most this part stays

// Of a variable or a function: it lasts, whatever ran it.
bool lasts(const Record& record) {
  return record.is<VariableRecord>() || record.is<TrainableRecord>() || record.is<FunctionMadeRecord>();
}

// Whether what it holds of traces may matter to later ones. Without any what the host read and made became a
// constant of none.
bool has_traces(std::span<const Record> records) {
  return std::ranges::any_of(records, [](const Record& record) {
    if (record.is<FunctionCallRecord>())
      return (record.as<FunctionCallRecord>().flags & FunctionCallRecord::kTraced) != 0;
    return record.is<OpRecord>() && (record.as<OpRecord>().flags & OpRecord::kTraced) != 0;
  });
}

void drop(std::vector<Record>& records, std::size_t begin, std::size_t end) {
  const std::span<const Record> dropped = std::span(records).subspan(begin, end - begin);
  std::vector<Record> kept;
  if (has_traces(dropped)) {
    kept = lasting_trace_records(dropped);
    // One step's beginning for all that are gone is enough.
    std::erase_if(kept, [](const Record& record) { return record.is<StepBeginRecord>(); });
  }
  // What stays has to be little: the next time it lies in the middle again.
  if (kept.empty() || kept.size() > dropped.size() / kMostLasting) {
    kept.clear();
    std::ranges::copy_if(dropped, std::back_inserter(kept), lasts);
    const std::size_t most = dropped.size() / kMostLasting;
    if (kept.size() > most) kept.erase(kept.begin(), kept.end() - static_cast<std::ptrdiff_t>(most));
  }
  std::ranges::copy(kept, records.begin() + static_cast<std::ptrdiff_t>(begin));
  records.erase(records.begin() + static_cast<std::ptrdiff_t>(begin + kept.size()),
                records.begin() + static_cast<std::ptrdiff_t>(end));
}

// Where the step of the op begins in the view of the whole, and where the next one does.
std::pair<std::uint32_t, std::uint32_t> ops_around(const StepView& whole, std::uint32_t op) {
  const auto next = std::ranges::upper_bound(whole.starts, op, {}, &StepStart::op);
  return {next == whole.starts.begin() ? 0 : std::prev(next)->op,
          next == whole.starts.end() ? static_cast<std::uint32_t>(whole.ops.size()) : next->op};
}

bool does_the_same(const OpRow& a, const OpRow& b) {
  return a.op_id == b.op_id && a.site == b.site && a.direction == b.direction;
}

// The op itself where the step has it, else the one that is there what it is in its step: the n-th of its
// line, kind and direction.
std::uint32_t place_of_op(const StepView& shown, const StepView& whole, std::uint32_t op) {
  const OpRow& row = whole.ops[op];
  const std::uint32_t same = row.output != 0 ? shown.op_of_tensor(row.output) : kNoOp;
  if (same != kNoOp) return same;
  const auto [begin, end] = ops_around(whole, op);
  auto before = std::ranges::count_if(
      whole.ops.begin() + begin, whole.ops.begin() + std::min(op, end),
      [&](const OpRow& other) { return does_the_same(other, row); });
  for (std::uint32_t i = 0; i < shown.ops.size(); ++i) {
    if (does_the_same(shown.ops[i], row) && before-- == 0) return i;
  }
  return kNoOp;
}

std::int64_t node_of(const StepView& view, std::uint32_t op) {
  const OpRow& row = view.ops[op];
  const bool backward = row.direction == Direction::backward && row.backward_step != kNoOp;
  return backward ? view.backward_steps[row.backward_step].node : row.node;
}

}  // namespace

void drop_middle(Segments& all, std::uint32_t home) {
  for (Segment& segment : all) {
    std::vector<Record>& records = segment.records;
    const std::size_t half = records.size() / 2;
    if (segment.thread != home) {
      drop(records, records.size() / 4, records.size() / 4 + half);
      continue;
    }
    std::size_t begins = 0, from = 0, to = 0;
    for (std::size_t i = 0; i < records.size() && to == 0; ++i) {
      if (!records[i].is<StepBeginRecord>()) continue;
      if (begins++ == kFirstSteps) from = i;
      if (from != 0 && i >= from + half) to = i;
    }
    // Few long steps: it has to be somewhere.
    if (from == 0) from = records.size() / 4;
    if (to == 0) to = std::min(from + half, records.size());
    drop(records, from, to);
  }
}

void place_in(const StepView& shown, const StepView& whole, std::vector<GradientRow>& rows,
              std::vector<AlertRow>& alerts) {
  for (GradientRow& row : rows) {
    if (row.call >= whole.calls.size()) continue;
    const auto same = std::ranges::find(shown.calls, whole.calls[row.call].id, &GradientCall::id);
    row.call = same == shown.calls.end() ? kNoOp : static_cast<std::uint32_t>(same - shown.calls.begin());
  }
  for (AlertRow& alert : alerts) {
    if (alert.op_index >= whole.ops.size()) continue;
    // That of a None is the step in which it began, not that of the question that is shown.
    if (alert.kind != "none") alert.step = whole.step_of_op(alert.op_index);
    alert.op_index = place_of_op(shown, whole, alert.op_index);
    alert.node = alert.op_index == kNoOp ? -1 : node_of(shown, alert.op_index);
  }
}

}  // namespace tapescope
