// Records as columns of numbers of one to five bytes.
#include "engine/recording/columns.h"

#include <cstring>

#include "engine/events/records/steps.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// Of one kind, with differences of every length.
std::vector<Record> of_all_lengths() {
  std::vector<Record> records;
  for (const std::uint64_t low : {0x0u, 0x1u, 0x3fu, 0x40u, 0x1fffu, 0x2000u, 0xfffffu, 0x100000u, 0x7ffffffu,
                                  0x8000000u, 0x7fffffffu, 0x80000000u, 0xffffffffu}) {
    for (const std::uint64_t high : {std::uint64_t{0}, ~low & 0xffffffffu, low * 3 & 0xffffffffu}) {
      Record record = StepBeginRecord{};
      record.a = static_cast<std::uint8_t>(low);
      record.h = static_cast<std::uint16_t>(low);
      record.b = static_cast<std::uint32_t>(high);
      record.x = high << 32 | low;
      record.y = low << 32 | high;
      record.z = ~record.x;
      records.push_back(record);
    }
  }
  return records;
}

record::Bytes encoded(const std::vector<Record>& records) {
  record::EventBlock block;
  block.add(1, records);
  record::ByteWriter out;
  encode_events(block, out);
  return out.bytes();
}

bool decodes(std::span<const std::uint8_t> bytes, record::EventBlock& block) {
  std::uint64_t unknown = 0;
  return decode_events(bytes, block, unknown);
}

}  // namespace

TEST_CASE("words of every length come back", "[record]") {
  const std::vector<Record> records = of_all_lengths();
  for (std::size_t count = 1; count <= records.size(); ++count) {
    const std::vector<Record> part(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count));
    record::EventBlock block;
    REQUIRE(decodes(encoded(part), block));
    REQUIRE(block.records.size() == count);
    CHECK(std::memcmp(block.records.data(), part.data(), count * sizeof(Record)) == 0);
  }
}

TEST_CASE("columns that are cut off, or hold what is no number, are damage", "[record]") {
  const record::Bytes whole = encoded(of_all_lengths());
  record::EventBlock block;
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK_FALSE(decodes(std::span(whole).first(size), block));
  // One record: a batch of thread 1, its kind and flags, then eight columns of one byte.
  record::Bytes one = encoded({Record(StepBeginRecord{})});
  REQUIRE(decodes(one, block));
  const std::size_t last = one.size() - 2;  // the size of the last column, then the column
  for (const record::Bytes& column :
       {record::Bytes{0x80}, record::Bytes{0x80, 0x80, 0x80, 0x80, 0x80}, record::Bytes(9, 0x80),
        record::Bytes{0, 0}, record::Bytes{0x80, 0x80, 0x80, 0x80, 0x80, 0}}) {
    record::Bytes odd(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(last));
    odd.push_back(static_cast<std::uint8_t>(column.size()));
    odd.insert(odd.end(), column.begin(), column.end());
    CHECK_FALSE(decodes(odd, block));
  }
}
