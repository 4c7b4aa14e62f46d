// The executor of TensorFlow's graphs leaves three kinds of events in a trace: a stretch in which a thread
// runs ops, the start of an op that goes on by itself, as exchanges do, and the moment that such an op is
// done.
#include "bridges/native/graph_waits.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace tapescope::bridge {
namespace {

using Bytes = std::span<const std::uint8_t>;

// Numbers of fields in tensorflow/core/profiler/protobuf/trace_events.proto.
constexpr std::uint32_t kTraceEvents = 4, kName = 3, kTimestampPs = 9, kDurationPs = 10, kArguments = 11;
constexpr std::uint32_t kKey = 1, kValue = 2;  // of an entry of a map
constexpr std::string_view kRuns = "ExecutorState::Process", kStarts = "ExecutorState::ProcessAsync::Start",
                           kDone = "ExecutorState::ProcessAsync::Done", kExchange = "Collective";

// Fields of a message in protocol buffers' encoding, one after the other.
class Message {
 public:
  explicit Message(Bytes bytes) : left_(bytes) {}

  bool next() {
    if (left_.empty()) return false;
    const std::uint64_t key = varint();
    field = static_cast<std::uint32_t>(key >> 3);
    number = 0;
    bytes = {};
    switch (key & 7) {
      case 0: number = varint(); break;
      case 1: bytes = take(8); break;
      case 2: bytes = take(varint()); break;
      case 5: bytes = take(4); break;
      default: failed = true;
    }
    return !failed;
  }
  std::string_view text() const { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

  std::uint32_t field = 0;
  std::uint64_t number = 0;
  Bytes bytes;
  bool failed = false;

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) break;
      const std::uint8_t byte = left_.front();
      left_ = left_.subspan(1);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    failed = true;
    return 0;
  }
  Bytes take(std::uint64_t size) {
    if (failed || size > left_.size()) {
      failed = true;
      return {};
    }
    const Bytes taken = left_.first(static_cast<std::size_t>(size));
    left_ = left_.subspan(taken.size());
    return taken;
  }

  Bytes left_;
};

struct Event {
  std::string_view name;
  std::uint64_t begin = 0, end = 0;    // ps
  std::string_view graph, node, type;  // which run of which graph; of an op that goes on by itself
};

bool read_argument(Bytes bytes, Event& event) {
  Message entry(bytes);
  std::string_view key, value;
  while (entry.next()) {
    if (entry.field == kKey) key = entry.text();
    else if (entry.field == kValue) value = entry.text();
  }
  if (key == "id" || key == "step_id") event.graph = value;
  else if (key == "name") event.node = value;
  else if (key == "kernel_type") event.type = value;
  else if (key == "long_name") event.node = value.substr(0, value.rfind(':'));
  return !entry.failed;
}

bool read_event(Bytes bytes, Event& event) {
  Message message(bytes);
  std::uint64_t duration = 0;
  while (message.next()) {
    if (message.field == kName) event.name = message.text();
    else if (message.field == kTimestampPs) event.begin = message.number;
    else if (message.field == kDurationPs) duration = message.number;
    else if (message.field == kArguments && !read_argument(message.bytes, event)) return false;
  }
  event.end = event.begin + duration;
  return !message.failed;
}

struct Stretch {
  std::uint64_t begin = 0, end = 0;
};

// Ascending, without those that meet.
std::vector<Stretch> joined(std::vector<Stretch> all) {
  std::ranges::sort(all, {}, &Stretch::begin);
  std::vector<Stretch> apart;
  for (const Stretch& one : all) {
    if (apart.empty() || one.begin > apart.back().end) apart.push_back(one);
    else apart.back().end = std::max(apart.back().end, one.end);
  }
  return apart;
}

// Of one exchange of a graph, which a loop runs several times; in the order of time.
struct Rounds {
  std::string_view type;
  std::vector<std::uint64_t> started, done, ran;

  // The call may come to its end before a busy thread has written the last moments: `otherwise` then.
  std::uint64_t end_of(std::size_t round, std::uint64_t otherwise) const {
    if (round < done.size()) return done[round];
    return round < ran.size() ? ran[round] : otherwise;
  }
};

std::uint64_t length_without(const std::vector<Stretch>& all, const std::vector<Stretch>& without) {
  std::uint64_t length = 0;
  auto next = without.begin();
  for (const Stretch& one : all) {
    std::uint64_t at = one.begin;
    for (; next != without.end() && next->begin < one.end; ++next) {
      if (next->begin > at) length += next->begin - at;
      at = std::max(at, next->end);
      if (next->end > one.end) break;  // the next one may begin in it
    }
    if (at < one.end) length += one.end - at;
  }
  return length;
}

}  // namespace

std::optional<GraphWait> wait_in_trace(Bytes trace) {
  std::vector<Event> events;
  std::uint64_t last = 0;  // end of the call: its own event is written by the thread that waits for it
  Message message(trace);
  while (message.next()) {
    if (message.field != kTraceEvents) continue;
    Event event;
    if (!read_event(message.bytes, event)) return std::nullopt;
    last = std::max(last, event.end);
    if (event.type.empty() && event.name.find("::") == event.name.npos) event.type = event.name;
    if (event.name == kRuns || event.type.starts_with(kExchange)) events.push_back(event);
  }
  if (message.failed) return std::nullopt;
  std::ranges::stable_sort(events, {}, &Event::begin);

  std::map<std::pair<std::string_view, std::string_view>, Rounds> ops;  // by graph and node
  for (const Event& event : events) {
    if (event.name == kRuns) continue;
    Rounds& rounds = ops[{event.graph, event.node}];
    rounds.type = event.type;
    if (event.name == kStarts) rounds.started.push_back(event.begin);
    else if (event.name == kDone) rounds.done.push_back(event.begin);
    else rounds.ran.push_back(event.end);
  }
  std::map<std::string_view, std::vector<Stretch>> exchanges;  // by graph
  std::string_view longest;
  std::uint64_t most = 0;
  for (const auto& [place, rounds] : ops) {
    for (std::size_t i = 0; i < rounds.started.size(); ++i) {
      const std::uint64_t end = rounds.end_of(i, last);
      exchanges[place.first].push_back({rounds.started[i], end});
      const std::uint64_t took = end > rounds.started[i] ? end - rounds.started[i] : 0;
      if (longest.empty() || took > most) {
        longest = rounds.type;
        most = took;
      }
    }
  }
  if (exchanges.empty()) return std::nullopt;

  std::map<std::string_view, std::vector<Stretch>> runs;  // by graph
  for (const Event& event : events) {
    if (event.name == kRuns) runs[event.graph].push_back({event.begin, event.end});
  }
  GraphWait wait{.exchange = std::string(longest)};
  std::uint64_t ps = 0;
  for (auto& [graph, of_graph] : exchanges)
    ps += length_without(joined(std::move(of_graph)), joined(std::move(runs[graph])));
  wait.ns = ps / 1000;
  return wait;
}

}  // namespace tapescope::bridge
