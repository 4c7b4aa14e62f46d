// Records of tensors and variables: where they come from, what they are called, what becomes of their values.
#pragma once
#include "engine/events/records/record.h"

namespace tapescope {

// A mark is a short hash of a tensor's values, never 0: it recognizes values that left for the host and came
// back.

// A tensor came from the host.
struct CreateRecord {
  static constexpr RecordKind kKind{4};

  RecordKind kind = kKind;
  std::uint8_t is_number = 0;  // 1: written in an expression, so it is no source, but a trace may take it
  std::uint16_t mark = 0;      // of its values; 0 unknown
  SiteField site = 0;
  TensorId tensor = 0;
  TypeField type = 0;
  std::uint32_t unused_y = 0;
  OrderField order = 0;
};

// The program read the values of a tensor.
struct HostReadRecord {
  static constexpr RecordKind kKind{5};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t mark = 0;  // of its values; 0 unknown
  SiteField site = 0;
  TensorId tensor = 0;
  std::uint64_t printed = 0;  // 1: the program only writes them out, its text shows; 2: a library reads them
  OrderField order = 0;
};

// The program gave a tensor a name.
struct TensorNameRecord {
  static constexpr RecordKind kKind{6};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  NameField name = 0;
  TensorId tensor = 0;
  std::uint64_t unused_y = 0;
  OrderField order = 0;
};

// A variable was made.
struct VariableRecord {
  static constexpr RecordKind kKind{7};

  RecordKind kind = kKind;
  std::uint8_t trainable = 0;
  std::uint16_t unused_h = 0;
  NameField name = 0;
  TensorId handle = 0;
  TypeField type = 0;  // of its value
  SiteField site = 0;
  OrderField initial = 0;  // id of the tensor that it was made from
};

// A variable received a value.
struct AssignRecord {
  static constexpr RecordKind kKind{8};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  SiteField site = 0;
  TensorId variable = 0;  // its handle
  TensorId value = 0;     // 0 where a fused update computed it
  OrderField order = 0;
};

// A tensor holds the value of a variable, and no op read it.
struct VariableValueRecord {
  static constexpr RecordKind kKind{47};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  NameField name = 0;  // of the variable
  TensorId value = 0;
  TensorId variable = 0;  // its handle
  OrderField order = 0;
};

// The trainable flag of a variable was set after it was made.
struct TrainableRecord {
  static constexpr RecordKind kKind{48};

  RecordKind kind = kKind;
  std::uint8_t trainable = 0;
  std::uint16_t unused_h = 0;
  NameField name = 0;
  TensorId variable = 0;  // its handle
  TypeField type = 0;     // of its value
  SiteField site = 0;     // where it was set
  OrderField order = 0;
};

// An op reads a tensor that was made before events were recorded. Comes before the op, once for each such
// tensor as far as the thread remembers.
struct EarlierTensorRecord {
  static constexpr RecordKind kKind{56};

  RecordKind kind = kKind;
  std::uint8_t unused_a = 0;
  std::uint16_t unused_h = 0;
  std::uint32_t unused_b = 0;
  TensorId tensor = 0;
  TypeField type = 0;
  std::uint32_t unused_y = 0;
  OrderField order = 0;
};

using TensorRecords = RecordList<CreateRecord, HostReadRecord, TensorNameRecord, VariableRecord, AssignRecord,
                                 VariableValueRecord, TrainableRecord, EarlierTensorRecord>;

}  // namespace tapescope
