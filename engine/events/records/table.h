// What is known of a kind of record without its struct: which words of it hold ids, ticks or an order.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "engine/events/records/record.h"

namespace tapescope {

// The words of a record besides its kind and its byte `a`: h, b and the halves of x, y and z, the low one
// first.
inline constexpr int kRecordWords = 8;

struct RecordShape {
  bool known = false;      // there is such a kind
  bool continues = false;  // it belongs to the record before it, as operands belong to their op
  std::uint8_t ids = 0;    // bit i: word i is an id of a name, an op name, a site or a type
  std::array<FieldRole, kRecordWords> roles{};  // what fills x, y or z whole has its role at the low half
};

extern const std::array<RecordShape, 256> kRecordShapes;  // by kind
inline const RecordShape& shape_of(RecordKind kind) { return kRecordShapes[static_cast<std::size_t>(kind)]; }

// The tensor id that places the record among the ops of its thread; nothing for kinds that stand where the
// record before them does.
std::optional<TensorId> order_of(const Record& record);

}  // namespace tapescope
