// What is let go of a long run.
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

}  // namespace tapescope
