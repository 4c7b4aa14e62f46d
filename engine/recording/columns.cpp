// Each field is written as its difference from the same field of the record of that kind before: in a loop
// nearly all differences are small or the same in every step.
#include "engine/recording/columns.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

#include "engine/events/records/table.h"

namespace tapescope::record {
namespace {

// kind and a are separate bytes.
constexpr int kWords = kRecordWords;
constexpr std::size_t kMostBytes = 5;              // of a 32-bit number
constexpr std::uint64_t kMostRecords = 16u << 20;  // no chunk has room for as many
using Words = std::array<std::uint32_t, kWords>;

Words words_of(const Record& r) {
  const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
  const auto high = [](std::uint64_t v) { return static_cast<std::uint32_t>(v >> 32); };
  return {r.h, r.b, low(r.x), high(r.x), low(r.y), high(r.y), low(r.z), high(r.z)};
}

// Small differences of either sign become small numbers: 0, -1, 1, -2 ... are 0, 1, 2, 3 ...
std::uint32_t folded(std::uint32_t difference) {
  return difference << 1 ^ (difference & 0x80000000u ? 0xffffffffu : 0u);
}
std::uint32_t unfolded(std::uint32_t number) { return number >> 1 ^ (number & 1 ? 0xffffffffu : 0u); }

// A number of two to kMostBytes bytes at `at`, which is moved behind it. False for what is none.
bool long_number(const std::uint8_t*& at, const std::uint8_t* end, std::uint32_t& number) {
  std::uint64_t bytes = 0;
  if (end - at >= 8) std::memcpy(&bytes, at, sizeof bytes);
  else std::memcpy(&bytes, at, static_cast<std::size_t>(end - at));  // and zeros, which would end it
  const std::uint64_t ends = ~bytes & 0x8080808080u;
  if (ends == 0) return false;
  const int bits = std::countr_zero(ends) + 1;
  at += bits / 8;
  bytes &= (std::uint64_t{1} << bits) - 1;
  number = static_cast<std::uint32_t>((bytes & 0x7f) | (bytes >> 1 & 0x3f80) | (bytes >> 2 & 0x1fc000) |
                                      (bytes >> 3 & 0xfe00000) | (bytes >> 4 & 0xf0000000));
  return at <= end;
}

// Puts each record's word where it lies in the record, `to` being the place of the first one's. False where
// the column has fewer or more numbers, or an invalid one.
template <class Word>
bool decode_column(std::span<const std::uint8_t> column, std::span<const std::uint8_t> kinds,
                   std::uint8_t* to) {
  std::array<std::uint32_t, 256> last{};  // by kind
  const std::uint8_t* at = column.data();
  const std::uint8_t* const end = at + column.size();
  for (const std::uint8_t kind : kinds) {
    if (at == end) return false;
    std::uint32_t value = *at;
    if (value < 0x80) {
      ++at;
    } else if (!long_number(at, end, value)) {
      return false;
    }
    const auto word = static_cast<Word>(last[kind] += unfolded(value));
    std::memcpy(to, &word, sizeof word);
    to += sizeof(Record);
  }
  return at == end;
}

}  // namespace

void EventBlock::add(std::uint32_t thread, std::span<const Record> more) {
  if (more.empty()) return;
  if (batches.empty() || batches.back().thread != thread) batches.push_back({thread, 0});
  batches.back().count += static_cast<std::uint32_t>(more.size());
  records.insert(records.end(), more.begin(), more.end());
}

EventBlock EventBlock::from(std::size_t count) const {
  EventBlock rest;
  rest.records.assign(records.begin() + static_cast<std::ptrdiff_t>(count), records.end());
  for (const Batch& batch : batches) {
    const std::size_t passed = std::min<std::size_t>(count, batch.count);
    count -= passed;
    if (passed < batch.count)
      rest.batches.push_back({batch.thread, batch.count - static_cast<std::uint32_t>(passed)});
  }
  return rest;
}

void EventBlock::clear() {
  batches.clear();
  records.clear();
}

void encode_events(const EventBlock& block, ByteWriter& out) {
  const std::size_t count = block.records.size();
  out.number(block.batches.size());
  for (const EventBlock::Batch& batch : block.batches) {
    out.number(batch.thread);
    out.number(batch.count);
  }
  Bytes kinds(count), flags(count), columns(kWords * kMostBytes * count);
  std::array<std::uint8_t*, kWords> at;
  for (int w = 0; w < kWords; ++w) at[w] = columns.data() + static_cast<std::size_t>(w) * kMostBytes * count;
  const std::array<std::uint8_t*, kWords> begin = at;
  std::array<Words, 256> before{};
  for (std::size_t i = 0; i < count; ++i) {
    const Record& record = block.records[i];
    kinds[i] = static_cast<std::uint8_t>(record.kind);
    flags[i] = record.a;
    const Words words = words_of(record);
    Words& last = before[kinds[i]];
    for (int w = 0; w < kWords; ++w) {
      std::uint32_t value = folded(words[w] - last[w]);
      std::uint8_t* to = at[w];
      for (; value >= 0x80; value >>= 7) *to++ = static_cast<std::uint8_t>(value | 0x80);
      *to++ = static_cast<std::uint8_t>(value);
      at[w] = to;
    }
    last = words;
  }
  out.raw(kinds.data(), count);
  out.raw(flags.data(), count);
  for (int w = 0; w < kWords; ++w) {
    const auto size = static_cast<std::size_t>(at[w] - begin[w]);
    out.number(size);
    out.raw(begin[w], size);
  }
}

bool decode_events(std::span<const std::uint8_t> bytes, EventBlock& block, std::uint64_t& unknown) {
  block.batches.clear();
  ByteReader in(bytes);
  const std::size_t batches = in.count(2);
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < batches; ++i) {
    const auto thread = static_cast<std::uint32_t>(in.number(0xffffffffu));
    const auto count = static_cast<std::uint32_t>(in.number(kMostRecords));
    total += count;
    block.batches.push_back({thread, count});
  }
  // A record takes at least a byte in each column.
  if (in.failed() || total > in.left() / (kWords + 2)) return false;
  const auto count = static_cast<std::size_t>(total);
  const std::span<const std::uint8_t> kinds = in.raw(count), flags = in.raw(count);
  std::array<std::span<const std::uint8_t>, kWords> columns;
  for (std::span<const std::uint8_t>& column : columns) column = in.raw(in.count(1));
  if (in.failed() || in.left() != 0) return false;

  block.records.resize(count);  // those of the block before are overwritten
  Record* const records = block.records.data();
  for (std::size_t i = 0; i < count; ++i) {
    records[i].kind = static_cast<RecordKind>(kinds[i]);
    records[i].a = flags[i];
  }
  // In the order of words_of(), which is that in memory.
  auto* const bytes_of_records = reinterpret_cast<std::uint8_t*>(records);
  bool whole = decode_column<std::uint16_t>(columns[0], kinds, bytes_of_records + offsetof(Record, h));
  for (std::size_t w = 1; w < kWords; ++w)
    whole = whole && decode_column<std::uint32_t>(columns[w], kinds, bytes_of_records + 4 * w);
  if (!whole) return false;

  std::size_t kept = 0, next = 0;
  for (EventBlock::Batch& batch : block.batches) {
    const std::size_t stop = next + batch.count;
    batch.count = 0;
    for (; next < stop; ++next) {
      if (!shape_of(static_cast<RecordKind>(kinds[next])).known) {
        ++unknown;
        continue;
      }
      if (kept != next) block.records[kept] = block.records[next];
      ++kept;
      ++batch.count;
    }
  }
  block.records.resize(kept);
  return true;
}

}  // namespace tapescope::record
