// Kinds of records: what the table of kinds says about them, and that a record keeps what its struct held.
#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/graphs.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/table.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

using Roles = std::array<FieldRole, kRecordWords>;
constexpr FieldRole kPlain = FieldRole::plain;

}  // namespace

TEST_CASE("the type of a field says what its words of a record hold", "[events]") {
  CHECK(shape_of(OpRecord::kKind).roles == Roles{FieldRole::op_name, FieldRole::site, FieldRole::ticks,
                                                 kPlain, kPlain, kPlain, FieldRole::type, FieldRole::span});
  CHECK(shape_of(FunctionCallRecord::kKind).roles ==
        Roles{kPlain, kPlain, FieldRole::span, kPlain, kPlain, FieldRole::site, kPlain, kPlain});
  CHECK(shape_of(TraceArgumentRecord::kKind).roles == Roles{kPlain, FieldRole::name, FieldRole::name,
                                                            FieldRole::name, FieldRole::type, kPlain, kPlain,
                                                            kPlain});
  for (const RecordKind kind : TapeRecord::kKinds)
    CHECK(shape_of(kind).roles ==
          Roles{kPlain, kPlain, FieldRole::site, kPlain, kPlain, kPlain, FieldRole::order, kPlain});
}

TEST_CASE("numbers that no kind has are unknown", "[events]") {
  CHECK_FALSE(shape_of(kNoRecord).known);
  CHECK_FALSE(shape_of(RecordKind{38}).known);  // it was a kind once and is given to no other
  CHECK_FALSE(shape_of(RecordKind{255}).known);
  CHECK(shape_of(StepResultRecord::kKind).known);
}

TEST_CASE("a record continues another one or has an order, or stands where it came", "[events]") {
  CHECK(shape_of(OperandsRecord::kKind).continues);
  CHECK_FALSE(shape_of(OpRecord::kKind).continues);
  CHECK(order_of(HostReadRecord{.order = 17}) == 17u);
  CHECK(order_of(VariableRecord{.handle = 9, .initial = 8}) == 8u);
  CHECK_FALSE(order_of(GradientAskRecord{.call = 5}).has_value());
  CHECK_FALSE(order_of(FunctionMadeRecord{.mark = 5}).has_value());
}

TEST_CASE("a record gives back the struct it was made from and no other kind", "[events]") {
  const Record record =
      GraphPassRecord{.round = 2, .nodes_before = 7, .bytes_after = 1e12f, .flops_after = 3};
  CHECK(record.is<GraphPassRecord>());
  CHECK_FALSE(record.is<GraphRecord>());
  const auto back = record.as<GraphPassRecord>();
  CHECK(back.round == 2);
  CHECK(back.nodes_before == 7);
  CHECK(back.bytes_after == 1e12f);
  CHECK(back.flops_after == 3);
  CHECK(Record(ScalarRecord{.value = -0.5}).as<ScalarRecord>().value == -0.5);
}
