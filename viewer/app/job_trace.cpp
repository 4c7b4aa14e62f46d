// Ticks are the machine's own: what lies between the first events of two processes is their difference.
#include "viewer/app/job_trace.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/record/reader.h"
#include "viewer/app/recording.h"

namespace tapescope {
namespace {

// Two processes measure the same clock with less than this between them.
constexpr double kSameClock = 1e-3;

struct Begin {
  std::uint64_t ticks = 0;  // of the first event, from which a store counts; 0: there is none
  double tick_ns = 0;
  std::uint64_t pid = 0;
};

template <class T>
T fact(const record::ProgramFacts& facts, const char* key) {
  T value{};
  if (const auto found = facts.find(key); found != facts.end()) {
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), value);
  }
  return value;
}

Begin begin_of(const std::string& path) {
  record::RecordingReader reader = record::RecordingReader::open(path);
  Begin begin;
  using Item = record::RecordingReader::Item;
  for (Item item = reader.next(); item != Item::end && item != Item::waiting && begin.ticks == 0; item = reader.next()) {
    begin.tick_ns = fact<double>(reader.facts(), "tick_ns");
    begin.pid = fact<std::uint64_t>(reader.facts(), "pid");
    if (item != Item::events) continue;
    for (const Record& record : reader.events().records) {
      if (record.kind == RecordKind::op) begin.ticks = record.x;
      else if (record.kind == RecordKind::step_begin) begin.ticks = record.y;
      if (begin.ticks != 0) break;
    }
  }
  return begin;
}

}  // namespace

std::vector<ProcessTrace> job_traces(const std::vector<std::string>& recordings) {
  std::vector<ProcessTrace> traces;
  std::vector<Begin> begins;
  for (const std::string& path : recordings) {
    const HeadlessRun run = read_recording(path);
    const Begin begin = begin_of(path);
    if (!run.snapshots[0] || run.snapshots[0]->recent.empty() || begin.ticks == 0) {
      throw Error(ErrorKind::surroundings, fmt::format("no step of {} came to its end, so there is nothing to export; let it run longer", path));
    }
    if (begin.tick_ns <= 0 || (!begins.empty() && std::abs(begin.tick_ns / begins.front().tick_ns - 1) > kSameClock)) {
      throw Error(ErrorKind::surroundings, fmt::format("{} was recorded by a machine with another clock than {}; processes share one only where they "
                                                       "run on one machine, export them one by one",
                                                       path, recordings.front()));
    }
    traces.push_back({.pid = begin.pid, .name = run.request.sample, .offset_us = 0, .steps = run.snapshots[0]->recent});
    begins.push_back(begin);
  }
  const auto first = std::min_element(begins.begin(), begins.end(), [](const Begin& a, const Begin& b) { return a.ticks < b.ticks; });
  for (std::size_t i = 0; i < traces.size(); ++i) {
    traces[i].offset_us = static_cast<double>(begins[i].ticks - first->ticks) * begins.front().tick_ns * 1e-3;
  }
  return traces;
}

}  // namespace tapescope
