// A digest comes back as it was, whatever its steps hold, and bytes that are none are refused.
#include "engine/recording/digest_codec.h"

#include <cstring>

#include "engine/events/records/digests.h"
#include "engine/events/records/replicas.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tensors.h"
#include "tests/support/catch.h"

using namespace tapescope;
using record::EventBlock;

namespace {

// Steps with so many sources each, whose hashes are all different.
EventBlock digest_of(std::initializer_list<int> sources) {
  std::vector<Record> records;
  std::uint64_t hash = 0x123456789abcdef0;
  for (const int count : sources) {
    const std::uint64_t step = records.size();
    records.push_back(StepBeginRecord{.step = step, .ticks = 10 * step});
    for (int i = 0; i < count; ++i) {
      records.push_back(ReplicaRecord{.value = 2,
                                      .index = static_cast<std::uint16_t>(i),
                                      .name = static_cast<std::uint32_t>(count + i),
                                      .source = step % 5 == 0 ? 7u : step,
                                      .hash = hash *= 0x9e3779b97f4a7c15});
    }
    records.push_back(StepCountsRecord{.executed = 3});
    records.push_back(CallTimesRecord{.op = 2, .calls = 1, .took = 16});
    records.push_back(StepTimesRecord{.left_out = 20});
    records.push_back(StepEndRecord{.step = step, .ticks = 10 * step + 5});
  }
  EventBlock block;
  block.add(4, records);
  return block;
}

record::Bytes encoded(const EventBlock& digest) {
  record::ByteWriter out;
  encode_digest(digest, out);
  return out.bytes();
}

bool is_digest(std::span<const std::uint8_t> bytes, EventBlock& digest) {
  std::uint64_t unknown = 0;
  return decode_digest(bytes, digest, unknown);
}

}  // namespace

TEST_CASE("a digest comes back as it was", "[record][digest]") {
  for (const EventBlock& digest :
       {digest_of({}), digest_of({0}), digest_of({1}), digest_of({3, 3, 3}), digest_of({0, 2, 2, 0, 1, 2})}) {
    EventBlock back;
    back.add(9, std::vector<Record>(3));  // of a chunk before
    REQUIRE(is_digest(encoded(digest), back));
    REQUIRE(back.records.size() == digest.records.size());
    REQUIRE(back.batches.size() == digest.batches.size());
    if (digest.records.empty()) continue;
    CHECK(std::memcmp(back.records.data(), digest.records.data(), digest.records.size() * sizeof(Record)) ==
          0);
    CHECK(back.batches[0].thread == 4);
    CHECK(back.batches[0].count == digest.records.size());
  }
}

TEST_CASE("a digest keeps the records of replicas that have one hash where they stand", "[record][digest]") {
  EventBlock digest = digest_of({2});
  digest.records.insert(digest.records.begin(), ReplicaRecord{.value = 1, .name = 5, .hash = 6});
  ++digest.batches[0].count;
  EventBlock back;
  REQUIRE(is_digest(encoded(digest), back));
  REQUIRE(back.records.size() == digest.records.size());
  CHECK(std::memcmp(back.records.data(), digest.records.data(), digest.records.size() * sizeof(Record)) == 0);
}

TEST_CASE("a digest that is cut off, or goes on, is refused", "[record][digest]") {
  record::Bytes bytes = encoded(digest_of({0, 2, 2, 1}));
  EventBlock back;
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_FALSE(is_digest(std::span(bytes).first(size), back));
  bytes.push_back(0);
  CHECK_FALSE(is_digest(bytes, back));
}

TEST_CASE("hashes of more steps than a digest has are refused", "[record][digest]") {
  EventBlock digest = digest_of({1, 1});
  const record::Bytes two = encoded(digest);
  std::erase_if(digest.records, [](const Record& one) { return one.is<StepCountsRecord>(); });
  digest.batches[0].count = static_cast<std::uint32_t>(digest.records.size());
  const record::Bytes none = encoded(digest);
  // The runs of the first behind the events of the second.
  std::uint64_t unknown = 0;
  EventBlock back;
  REQUIRE(decode_digest(none, back, unknown));
  record::Bytes mixed(none.begin(), none.end() - 1);  // without its number of runs, which is 0
  record::ByteReader in(two);
  const std::size_t events = in.count(1);
  const std::size_t begin = two.size() - (in.left() - events);
  mixed.insert(mixed.end(), two.begin() + static_cast<std::ptrdiff_t>(begin), two.end());
  CHECK_FALSE(is_digest(mixed, back));
}
