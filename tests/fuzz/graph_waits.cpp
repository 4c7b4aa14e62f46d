// Any bytes as what TensorFlow's profiler left of a call of a graph: they say what the call waited, or
// nothing. Events are changed as events: their names, times and arguments, their number and order.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string_view>
#include <vector>

#include "bridges/native/graph_waits.h"

using namespace tapescope::bridge;

namespace {

using Bytes = std::vector<std::uint8_t>;
using Random = std::minstd_rand;

// Fields of tensorflow.profiler.Trace that hold messages again.
constexpr std::uint32_t kEvents = 4, kName = 3, kBegin = 9, kDuration = 10, kArguments = 11;
constexpr std::array<std::string_view, 14> kTexts = {"ExecutorState::Process",
                                                     "ExecutorState::ProcessAsync::Start",
                                                     "ExecutorState::ProcessAsync::Done",
                                                     "CollectiveReduceV2",
                                                     "Collective",
                                                     "id",
                                                     "step_id",
                                                     "name",
                                                     "kernel_type",
                                                     "long_name",
                                                     "all:CollectiveReduceV2",
                                                     ":",
                                                     "1",
                                                     ""};
constexpr std::array<std::uint64_t, 12> kNumbers = {0,       1,          127,        128,        1000,
                                                    1 << 20, 1000000007, 1ull << 32, 1ull << 53, 1ull << 63,
                                                    ~0ull,   ~0ull - 999};

struct Field {
  std::uint32_t number = 0;
  std::uint8_t wire = 0;
  std::uint64_t value = 0;
  Bytes bytes;                // wires 1, 2 and 5
  std::vector<Field> inside;  // in place of the bytes, where the field is a message
};

std::size_t below(Random& random, std::size_t count) { return count == 0 ? 0 : random() % count; }

bool read_varint(const std::uint8_t*& at, const std::uint8_t* end, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && at < end; shift += 7) {
    const std::uint8_t byte = *at++;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// As far as it can be read.
std::vector<Field> fields_of(const std::uint8_t* at, const std::uint8_t* end, int depth) {
  std::vector<Field> fields;
  std::uint64_t key = 0, size = 0;
  while (at < end && read_varint(at, end, key)) {
    Field field{.number = static_cast<std::uint32_t>(key >> 3), .wire = static_cast<std::uint8_t>(key & 7)};
    if (field.wire == 0) {
      if (!read_varint(at, end, field.value)) break;
    } else {
      size = field.wire == 1 ? 8 : 4;
      if (field.wire == 2 && !read_varint(at, end, size)) break;
      if (size > static_cast<std::uint64_t>(end - at)) break;
      const bool message = field.number == (depth == 0 ? kEvents : kArguments) && depth < 2;
      if (field.wire == 2 && message) field.inside = fields_of(at, at + size, depth + 1);
      if (field.inside.empty()) field.bytes.assign(at, at + size);
      at += size;
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

void write_varint(Bytes& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
}

Bytes bytes_of(const std::vector<Field>& fields) {
  Bytes out;
  for (const Field& field : fields) {
    write_varint(out, static_cast<std::uint64_t>(field.number) << 3 | field.wire);
    if (field.wire == 0) {
      write_varint(out, field.value);
      continue;
    }
    const Bytes bytes = field.inside.empty() ? field.bytes : bytes_of(field.inside);
    if (field.wire == 2) write_varint(out, bytes.size());
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
  return out;
}

Field text(std::uint32_t number, Random& random) {
  const std::string_view one = kTexts[below(random, kTexts.size())];
  return {.number = number, .wire = 2, .bytes = Bytes(one.begin(), one.end())};
}

Field time(std::uint32_t number, const Field& other, Random& random) {
  // Often about when another event was: stretches meet, lie in each other, end where one begins.
  std::uint64_t value = kNumbers[below(random, kNumbers.size())];
  for (const Field& field : other.inside) {
    if (field.number == kBegin && random() % 4 != 0) value = field.value + random() % 3 - 1;
  }
  return {.number = number, .wire = 0, .value = value};
}

void change(std::vector<Field>& events, Random& random) {
  if (events.empty()) return;
  const std::size_t at = below(random, events.size());
  const Field other = events[below(random, events.size())];
  Field& event = events[at];
  const auto place = events.begin() + static_cast<std::ptrdiff_t>(at);
  switch (random() % 12) {
    case 0: events.insert(place, other); return;
    case 1: events.erase(place); return;
    case 2: std::swap(event, events[below(random, events.size())]); return;
    case 3: event.inside.push_back(time(random() % 2 ? kBegin : kDuration, other, random)); return;
    case 4: event.inside.push_back(text(kName, random)); return;
    case 5: {
      Field entry{.number = kArguments, .wire = 2};
      entry.inside = {text(1, random), text(2, random)};
      event.inside.push_back(std::move(entry));
      return;
    }
    default: break;
  }
  if (event.inside.empty()) {
    event.value = kNumbers[below(random, kNumbers.size())];
    return;
  }
  Field& field = event.inside[below(random, event.inside.size())];
  switch (random() % 8) {
    case 0: event.inside.erase(event.inside.begin() + (&field - event.inside.data())); break;
    case 1: field.wire = static_cast<std::uint8_t>(random() % 8); break;
    case 2: field.number = static_cast<std::uint32_t>(random() % 13); break;
    case 3:
      if (!other.inside.empty()) field = other.inside[below(random, other.inside.size())];
      break;
    default:
      if (field.wire == 0) field = time(field.number, other, random);
      else if (field.inside.empty()) field = text(field.number, random);
      else field.inside[below(random, field.inside.size())] = text(1 + random() % 2, random);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto wait = wait_in_trace({data, size});
  if (wait && !wait->exchange.starts_with("Collective")) std::abort();
  // An event without name and time says nothing more; half an event ends the trace.
  Bytes more(data, data + size);
  more.insert(more.end(), {kEvents << 3 | 2, 0});
  const auto again = wait_in_trace(more);
  if (wait && (!again || again->ns != wait->ns || again->exchange != wait->exchange)) std::abort();
  more.back() = 1;
  if (wait && wait_in_trace(more)) std::abort();
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  Random random(seed + 1);
  std::vector<Field> events = fields_of(data, data + size, 0);
  for (std::size_t i = 1 + below(random, 6); i > 0; --i) change(events, random);
  Bytes out = bytes_of(events);
  if (random() % 32 == 0) out.resize(below(random, out.size() + 1));
  if (out.size() > most) return size;
  if (!out.empty()) std::memcpy(data, out.data(), out.size());
  return out.size();
}
