// The table of kinds, made from the structs: their fields are counted, taken apart and placed by their sizes.
#include "engine/events/records/table.h"

#include "engine/events/records/callers.h"
#include "engine/events/records/digests.h"
#include "engine/events/records/endings.h"
#include "engine/events/records/findings.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/graphs.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/replicas.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tapes.h"
#include "engine/events/records/tensors.h"
#include "engine/events/records/values.h"

namespace tapescope {
namespace {

using Table = std::array<RecordShape, 256>;

// Stands for any field while fields are counted.
struct AnyField {
  template <class T>
  operator T() const;
};

template <class R, class... Fields>
consteval int field_count() {
  if constexpr (requires { R{Fields{}..., AnyField{}}; }) return field_count<R, Fields..., AnyField>();
  else return sizeof...(Fields);
}

template <class Field>
consteval FieldRole role_of() {
  if constexpr (requires { Field::kRole; }) return Field::kRole;
  else return FieldRole::plain;
}

// Fields stand one after the other without gaps, so their sizes give their places.
template <class... Fields>
consteval RecordShape shape_of_fields(const Fields&...) {
  RecordShape shape{.known = true};
  std::size_t at = 0;
  const auto place = [&](FieldRole role, std::size_t size) {
    if (role != FieldRole::plain) {
      // h is at 2, b at 4 and the halves from 8 on.
      if (size != (at == 2 ? 2u : 4u) && !(size == 8 && at % 8 == 0))
        throw "a field of a role is in the wrong place";
      const bool whole = size == 8;
      if (role == FieldRole::order && at != 24) throw "an order fills z";
      if (role == FieldRole::ticks && !whole) throw "ticks fill x, y or z";
      if (role == FieldRole::span && !whole && at % 8 != 4) throw "a span fills x, y or z, or a high half";
      const std::size_t word = at == 2 ? 0 : at / 4;
      shape.roles[word] = role;
      if (role <= FieldRole::type) shape.ids |= static_cast<std::uint8_t>(1 << word);
    }
    at += size;
  };
  (place(role_of<Fields>(), sizeof(Fields)), ...);
  if (at != sizeof(Record)) throw "a record has a gap between two fields; name it unused_...";
  return shape;
}

template <class R>
consteval RecordShape shape_of_struct() {
  constexpr int kCount = field_count<R>();
  R record;
  RecordShape shape;
  if constexpr (kCount == 5) {
    const auto& [a, b, c, d, e] = record;
    shape = shape_of_fields(a, b, c, d, e);
  } else if constexpr (kCount == 6) {
    const auto& [a, b, c, d, e, f] = record;
    shape = shape_of_fields(a, b, c, d, e, f);
  } else if constexpr (kCount == 7) {
    const auto& [a, b, c, d, e, f, g] = record;
    shape = shape_of_fields(a, b, c, d, e, f, g);
  } else if constexpr (kCount == 8) {
    const auto& [a, b, c, d, e, f, g, h] = record;
    shape = shape_of_fields(a, b, c, d, e, f, g, h);
  } else if constexpr (kCount == 9) {
    const auto& [a, b, c, d, e, f, g, h, i] = record;
    shape = shape_of_fields(a, b, c, d, e, f, g, h, i);
  } else {
    static_assert(kCount == 10, "add a case for this number of fields");
    const auto& [a, b, c, d, e, f, g, h, i, j] = record;
    shape = shape_of_fields(a, b, c, d, e, f, g, h, i, j);
  }
  if constexpr (requires { R::kContinues; }) shape.continues = R::kContinues;
  return shape;
}

consteval void enter(Table& table, RecordKind kind, const RecordShape& shape) {
  RecordShape& row = table[static_cast<std::size_t>(kind)];
  if (kind == kNoRecord || row.known) throw "two kinds of record have one number, or one has none";
  row = shape;
}

template <class R>
consteval void enter(Table& table) {
  constexpr RecordShape kShape = shape_of_struct<R>();
  if constexpr (requires { R::kKind; }) {
    enter(table, R::kKind, kShape);
  } else {
    for (const RecordKind kind : R::kKinds) enter(table, kind, kShape);
  }
}

template <class... R>
consteval void enter(Table& table, RecordList<R...>) {
  (enter<R>(table), ...);
}

consteval Table make_table() {
  Table table;
  enter(table, OpRecords{});
  enter(table, TensorRecords{});
  enter(table, TapeRecords{});
  enter(table, GradientRecords{});
  enter(table, StepRecords{});
  enter(table, FunctionRecords{});
  enter(table, GraphRecords{});
  enter(table, FindingRecords{});
  enter(table, ValueRecords{});
  enter(table, EndingRecords{});
  enter(table, ReplicaRecords{});
  enter(table, DigestRecords{});
  enter(table, CallerRecords{});
  return table;
}

}  // namespace

constinit const Table kRecordShapes = make_table();

std::optional<TensorId> order_of(const Record& record) {
  if (shape_of(record.kind).roles[kRecordWords - 2] != FieldRole::order) return std::nullopt;
  return record.z;
}

}  // namespace tapescope
