// Changes recordings behind their checksums: chunks are unpacked, the fields of their records, their numbers
// and their bytes changed, and all is packed again. libFuzzer calls it, and driver.cpp does where there is
// none.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "engine/events/records/table.h"
#include "engine/recording/columns.h"
#include "engine/recording/container.h"

using namespace tapescope;
using namespace tapescope::record;

namespace {

using Random = std::minstd_rand;

struct Part {
  std::uint8_t kind = 0;
  Bytes raw;
};

// Numbers at which code breaks.
constexpr std::array<std::uint64_t, 20> kNumbers = {
    0,   1,   2,     3,          7,          8,          15,          16,         63,         64,
    127, 128, 65535, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 1ull << 53, 1ull << 63, ~0ull};

std::size_t below(Random& random, std::size_t count) { return count == 0 ? 0 : random() % count; }

std::vector<Part> parts_of(std::span<const std::uint8_t> file) {
  std::vector<Part> parts;
  for (std::size_t at = kFileHeaderSize; at + kChunkHeaderSize <= file.size();) {
    const auto header = parse_chunk_header(file.subspan(at, kChunkHeaderSize));
    at += kChunkHeaderSize;
    if (!header || header->stored_size > file.size() - at) break;
    Part part{header->kind, {}};
    if (unpack_chunk(*header, file.subspan(at, header->stored_size), part.raw))
      parts.push_back(std::move(part));
    at += header->stored_size;
  }
  return parts;
}

std::uint64_t* long_field(Record& record, std::size_t which) {
  return which == 0 ? &record.x : which == 1 ? &record.y : &record.z;
}

// One that there is, or the one after the last.
RecordKind any_kind(Random& random) {
  static const std::size_t last = [] {
    std::size_t kind = kRecordShapes.size() - 1;
    while (kind > 0 && !kRecordShapes[kind].known) --kind;
    return kind;
  }();
  return static_cast<RecordKind>(random() % (last + 2));
}

// A field of a record becomes another number, or what the field of another record holds.
void change_field(std::vector<Record>& records, Random& random) {
  Record& to = records[below(random, records.size())];
  Record& from = records[below(random, records.size())];
  const bool copies = random() % 2 == 0;
  const std::uint64_t number = kNumbers[below(random, kNumbers.size())];
  switch (random() % 8) {
    case 0: to.a = static_cast<std::uint8_t>(copies ? from.a : number); break;
    case 1: to.h = static_cast<std::uint16_t>(copies ? from.h : number); break;
    case 2: to.b = static_cast<std::uint32_t>(copies ? from.b : number); break;
    case 3: {
      // The same field of a record of that kind, if there is one near.
      const auto same = std::ranges::find(records, to.kind, &Record::kind);
      const std::size_t field = below(random, 3);
      *long_field(to, field) = *long_field(*same, field);
      break;
    }
    case 4: {
      // Half a field: two ids share one.
      std::uint64_t& field = *long_field(to, below(random, 3));
      field = random() % 2 ? (field & 0xffffffffu) | number << 32
                           : (field & ~0xffffffffull) | (number & 0xffffffffu);
      break;
    }
    case 5:
      to.kind = copies ? from.kind : any_kind(random);
      break;
    default: *long_field(to, below(random, 3)) = copies ? *long_field(from, below(random, 3)) : number; break;
  }
}

void change_events(Bytes& raw, Random& random) {
  EventBlock block;
  std::uint64_t unknown = 0;
  if (!decode_events(raw, block, unknown) || block.records.empty()) return;
  std::vector<Record>& records = block.records;
  const std::size_t before = records.size();
  for (std::size_t i = 1 + below(random, 4); i > 0; --i) {
    const std::size_t at = below(random, records.size());
    const auto place = records.begin() + static_cast<std::ptrdiff_t>(at);
    switch (random() % 10) {
      case 0: records.insert(place, Record(records[below(random, records.size())])); break;
      case 1:
        if (records.size() > 1) records.erase(place);
        break;
      case 2: std::swap(records[at], records[below(random, records.size())]); break;
      case 3: {
        // A stretch once more, as a loop would write it.
        const std::vector<Record> again(
            place,
            records.begin() + static_cast<std::ptrdiff_t>(std::min(records.size(), at + below(random, 40))));
        records.insert(place, again.begin(), again.end());
        break;
      }
      default: change_field(records, random); break;
    }
  }
  // Batches cover the records again; now and then one goes to another thread.
  std::int64_t more = static_cast<std::int64_t>(records.size()) - static_cast<std::int64_t>(before);
  for (auto batch = block.batches.rbegin(); batch != block.batches.rend() && more != 0; ++batch) {
    const std::int64_t count = std::max<std::int64_t>(0, batch->count + more);
    more -= count - batch->count;
    batch->count = static_cast<std::uint32_t>(count);
  }
  if (random() % 8 == 0) {
    EventBlock::Batch& last = block.batches.back();
    const std::uint32_t half = last.count / 2;
    last.count -= half;
    block.batches.push_back({static_cast<std::uint32_t>(random() % 3), half});
  }
  ByteWriter out;
  encode_events(block, out);
  raw = out.bytes();
}

// Any other contents: numbers of one to ten bytes, texts, floating-point numbers.
void change_bytes(Bytes& raw, Random& random) {
  for (std::size_t i = 1 + below(random, 4); i > 0; --i) {
    const std::size_t at = below(random, raw.size());
    const auto place = raw.begin() + static_cast<std::ptrdiff_t>(at);
    switch (raw.empty() ? 2 : random() % 8) {
      case 0: raw[at] = static_cast<std::uint8_t>(raw[at] ^ 1u << random() % 8); break;
      case 1: raw[at] = static_cast<std::uint8_t>(random() % 12); break;
      case 2: {
        ByteWriter number;
        number.number(kNumbers[below(random, kNumbers.size())]);
        if (!raw.empty()) raw.erase(place);
        raw.insert(raw.begin() + static_cast<std::ptrdiff_t>(at), number.bytes().begin(),
                   number.bytes().end());
        break;
      }
      case 3: raw.erase(place); break;
      case 4: raw.insert(place, static_cast<std::uint8_t>(random())); break;
      case 5: {
        const std::size_t from = below(random, raw.size());
        const Bytes part(
            raw.begin() + static_cast<std::ptrdiff_t>(from),
            raw.begin() + static_cast<std::ptrdiff_t>(std::min(raw.size(), from + below(random, 64))));
        raw.insert(place, part.begin(), part.end());
        break;
      }
      case 6: raw[at] = raw[below(random, raw.size())]; break;
      default: raw[at] = static_cast<std::uint8_t>(raw[at] + (random() % 2 ? 1 : -1)); break;
    }
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  Random random(seed + 1);
  std::vector<Part> parts = parts_of({data, size});
  if (parts.empty()) return size;
  for (std::size_t i = 1 + below(random, 3); i > 0 && !parts.empty(); --i) {
    const std::size_t at = below(random, parts.size());
    const auto place = parts.begin() + static_cast<std::ptrdiff_t>(at);
    Part& part = parts[at];
    switch (random() % 16) {
      case 0: parts.insert(place, Part(parts[below(random, parts.size())])); break;
      case 1: parts.erase(place); break;
      case 2: std::swap(parts[at], parts[below(random, parts.size())]); break;
      case 3: part.kind = static_cast<std::uint8_t>(random() % 9); break;
      default:
        if (part.kind == static_cast<std::uint8_t>(ChunkKind::events) && random() % 8 != 0)
          change_events(part.raw, random);
        else change_bytes(part.raw, random);
    }
  }
  const auto header = file_header(random() % 8 == 0 ? 1 : kMinor);
  Bytes file(header.begin(), header.end());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].raw.size() > kMaxChunkBytes) parts[i].raw.resize(kMaxChunkBytes);
    // Few are packed: it takes longer than the reading.
    append_chunk(file, static_cast<ChunkKind>(parts[i].kind), i, parts[i].raw, random() % 8 == 0);
  }
  // The last bytes are missing, or one is another.
  if (random() % 32 == 0) file.resize(below(random, file.size()));
  if (file.size() > most) return size;
  std::memcpy(data, file.data(), file.size());
  return file.size();
}
