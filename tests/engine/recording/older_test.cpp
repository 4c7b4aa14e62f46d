// Records of versions up to 1.1 that stood for several things are of the kinds that these have now.
#include "engine/recording/older.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/graphs.h"
#include "engine/events/records/tensors.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::record;

namespace {

Record raw(RecordKind kind, std::uint8_t a, std::uint16_t h, std::uint32_t b, std::uint64_t x,
           std::uint64_t y, std::uint64_t z) {
  Record record;
  record.kind = kind;
  record.a = a;
  record.h = h;
  record.b = b;
  record.x = x;
  record.y = y;
  record.z = z;
  return record;
}

std::vector<Record> renewed(std::vector<Record> old) {
  EventBlock block;
  block.add(1, old);
  OlderRecords().renew(block);
  REQUIRE(block.batches.size() == 1);
  REQUIRE(block.batches[0].count == block.records.size());
  return block.records;
}

constexpr std::uint64_t kHigh = std::uint64_t{1} << 32;

}  // namespace

TEST_CASE("names of older recordings that were places in a trace or values of variables are that",
          "[record]") {
  constexpr std::uint64_t kResult = std::uint64_t{1} << 62, kValue = std::uint64_t{1} << 63;
  const auto now = renewed({raw(TensorNameRecord::kKind, 0, 0, 4, 10, 0, 99),
                            raw(TensorNameRecord::kKind, 0, 2, 4, 11, 3, 99),
                            raw(TensorNameRecord::kKind, 0, 2, 4, 12, kResult | 1, 99),
                            raw(TensorNameRecord::kKind, 0, 0, 4, 13, kValue | 7, 99)});
  REQUIRE(now.size() == 4);
  REQUIRE(now[0].is<TensorNameRecord>());
  CHECK(now[0].as<TensorNameRecord>().tensor == 10);
  REQUIRE(now[1].is<TraceParameterRecord>());
  const auto parameter = now[1].as<TraceParameterRecord>();
  CHECK((parameter.depth == 2 && parameter.name == 4u && parameter.tensor == 11 && parameter.place == 2));
  REQUIRE(now[2].is<TraceResultRecord>());
  const auto result = now[2].as<TraceResultRecord>();
  CHECK((result.depth == 2 && result.tensor == 12 && result.place == 0 && result.order == 99u));
  REQUIRE(now[3].is<VariableValueRecord>());
  const auto value = now[3].as<VariableValueRecord>();
  CHECK((value.value == 13 && value.variable == 7 && value.name == 4u));
}

TEST_CASE("a variable of an older recording whose flag was set is no new one", "[record]") {
  const auto now = renewed({raw(VariableRecord::kKind, 0, 0, 4, 10, 3 | 8 * kHigh, std::uint64_t{1} << 63)});
  REQUIRE(now[0].is<TrainableRecord>());
  const auto set = now[0].as<TrainableRecord>();
  CHECK((set.trainable == 0 && set.name == 4u && set.variable == 10 && set.type == 3u && set.site == 8u));
}

TEST_CASE("an unrolled loop of an older recording takes its trace from the heading, which goes", "[record]") {
  const auto now = renewed({raw(GraphPassRecord::kKind, 2, 0, 5, 6 | 1 * kHigh, 700, 99),
                            raw(RewriteRecord::kKind, 4, 0, 9, 3, 8, 20 | 600 * kHigh),
                            raw(GraphPassRecord::kKind, 0, 0, 5, 6 | 2 * kHigh, 0, 0),
                            raw(GraphPassRecord::kKind, 0, 1, 5, 9 | 8 * kHigh, 0, 0),
                            raw(RewriteRecord::kKind, 1, 0, 9, 3 | 4 * kHigh, 8, 0)});
  REQUIRE(now.size() == 4);
  REQUIRE(now[0].is<UnrolledLoopRecord>());
  const auto loop = now[0].as<UnrolledLoopRecord>();
  CHECK((loop.function == 6 && loop.trace == 1 && loop.op == 3u && loop.site == 8u));
  CHECK((loop.rounds == 20 && loop.nodes == 600 && loop.trace_nodes == 700));
  REQUIRE(now[1].is<GraphRecord>());
  CHECK((now[1].as<GraphRecord>().function == 6 && now[1].as<GraphRecord>().trace == 2));
  REQUIRE(now[2].is<GraphPassRecord>());
  CHECK(now[2].as<GraphPassRecord>().nodes_after == 8);
  REQUIRE(now[3].is<RewriteRecord>());
  CHECK(now[3].as<RewriteRecord>().what == RewriteKind::reassociating);
}
