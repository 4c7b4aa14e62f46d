// A call's record comes after what was done while it was traced, and holds how deep it was made: what was
// done deeper is its trace's.
#include "viewer/store/traced_gradients.h"

#include <algorithm>

#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/explain/history_parts.h"

namespace tapescope {

void TracedGradients::add(std::uint32_t thread, const Record& record) {
  if (record.is<GradientAskRecord>()) {
    const auto ask = record.as<GradientAskRecord>();
    if (!(ask.flags & GradientAskRecord::kTraced)) return;
    pending_[thread].asks.push_back({ask.call, ask.depth});
    unanswered_.insert(ask.call);
    return;
  }
  if (!record.is<FunctionCallRecord>()) return;
  const auto call = record.as<FunctionCallRecord>();
  const std::uint64_t key = trace_key(call.function, call.trace);
  const auto waiting = pending_.find(thread);
  if (waiting != pending_.end()) {
    const auto take = [&](auto& from, std::vector<std::uint64_t>& to) {
      for (const auto& entry : from) {
        if (entry.depth > call.depth) to.push_back(entry.what);
      }
      std::erase_if(from, [&](const auto& entry) { return entry.depth > call.depth; });
    };
    Trace found;
    take(waiting->second.asks, found.asks);
    take(waiting->second.calls, found.calls);
    if (!found.asks.empty() || !found.calls.empty()) {
      if (traces_.size() >= kMostTraces) {
        traces_.clear();
        answers_.clear();
      }
      // Another shape of the same trace asks the same again.
      traces_[key] = std::move(found);
    }
  }
  if (call.flags & FunctionCallRecord::kNested) pending_[thread].calls.push_back({key, call.depth});
  else if (!(call.flags & FunctionCallRecord::kNotCalled)) called_.insert(key);
}

void TracedGradients::remember(std::uint64_t call, std::vector<GradientRow> rows) {
  unanswered_.erase(call);
  for (GradientRow& row : rows) row.call = kNoOp;
  answers_[call] = std::move(rows);
}

std::vector<GradientRow> TracedGradients::rows(const Traces& traces,
                                               const std::set<std::uint64_t>& known) const {
  std::vector<GradientRow> rows;
  std::vector<std::uint64_t> left(traces.begin(), traces.end());
  Traces seen;
  while (!left.empty()) {
    const std::uint64_t key = left.back();
    left.pop_back();
    const auto trace = traces_.find(key);
    if (trace == traces_.end() || !seen.insert(key).second) continue;
    left.insert(left.end(), trace->second.calls.begin(), trace->second.calls.end());
    for (const std::uint64_t ask : trace->second.asks) {
      const auto answered = answers_.find(ask);
      if (answered == answers_.end() || known.contains(ask)) continue;
      for (const GradientRow& row : answered->second) {
        // A first trace that made variables asked the same as the second one.
        std::erase_if(rows, [&](const GradientRow& r) {
          return r.source_id == row.source_id && r.target == row.target && r.asked_at == row.asked_at;
        });
        rows.push_back(row);
      }
    }
  }
  return rows;
}

}  // namespace tapescope
