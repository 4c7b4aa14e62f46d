// A thread writes in the order of time, so what is later is the end of its segment.
#include "viewer/store/helper_threads.h"

#include <cstddef>
#include <utility>

#include "viewer/store/noted_records.h"

namespace tapescope {
namespace {

// Where what was written after `ticks` begins.
std::ptrdiff_t first_later(std::span<const Record> records, std::uint64_t ticks) {
  std::size_t first = records.size();
  for (std::size_t i = first; i-- > 0;) {
    const std::uint64_t written = first_ticks_in(records.subspan(i, 1));
    if (written > ticks) first = i;
    else if (written != 0) break;
  }
  return static_cast<std::ptrdiff_t>(first);
}

}  // namespace

std::size_t written_until(std::span<const Record> records, std::uint64_t ticks) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (first_ticks_in(records.subspan(i, 1)) > ticks) return i;
  }
  return records.size();
}

std::size_t copy_later(const Segments& from, std::uint32_t home, std::uint64_t ticks, Segments& to) {
  std::size_t copied = 0;
  for (const Segment& segment : from) {
    if (segment.thread == home) continue;
    const std::vector<Record>& records = segment.records;
    const std::ptrdiff_t first = first_later(records, ticks);
    if (std::cmp_equal(first, records.size())) continue;
    auto& into = to.of(segment.thread);
    into.insert(into.end(), records.begin() + first, records.end());
    copied += records.size() - static_cast<std::size_t>(first);
  }
  return copied;
}

void drop_later(Segments& from, std::uint32_t home, std::uint64_t ticks) {
  for (Segment& segment : from) {
    std::vector<Record>& records = segment.records;
    if (segment.thread != home) records.erase(records.begin() + first_later(records, ticks), records.end());
  }
}

}  // namespace tapescope
