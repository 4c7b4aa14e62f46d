// What of an argument a trace depends on: its part of the cache key (tensorflow-semantics.md, 3.2).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/events/records/functions.h"
#include "engine/graph/value.h"

namespace tapescope {

// A tensor's dtype and shape, where a dimension or the rank may be left open; a literal's value; a variable's
// type, trainable flag and which other argument it is; an object's identity; the types of a structure's
// items.
struct TraceType {
  Value::Kind kind = Value::Kind::none;
  DType dtype = DType::f32;
  bool ranked = true;
  bool trainable = false;
  std::vector<std::int64_t> dims;  // TensorSpec::kAny where open
  std::int64_t integer =
      0;  // literal, identity of an object, or index of the first variable that is the same
  double real = 0;
  std::string text;  // literal, or an object's name "Config#2"
  std::shared_ptr<const void> owner;
  std::vector<std::string> keys;
  std::vector<TraceType> items;

  bool operator==(const TraceType& other) const;
  // Whether a trace for this type serves a call with the other: a known dimension fits an open one.
  bool accepts(const TraceType& other) const;
  // The most specific type that accepts both; nothing where only shapes may be relaxed and more differs.
  std::optional<TraceType> relaxed_with(const TraceType& other) const;
  // Every dimension is known.
  bool is_concrete() const;
  // "[64, 784]", "3", "'relu'", "Config#2", "list of 3", "keys a, b", "None", "tensor".
  std::string words() const;
  // As in records: its kind, and the type of a tensor (open dimensions as 1).
  ArgumentKind record_kind() const;
  std::uint32_t record_type() const;
};

// Collects what is shared between the arguments of one call.
class TypeReader {
 public:
  // Names an object by class and number of its kind, in order of first sight: "Config#2".
  using ObjectNames = std::vector<std::pair<std::uint64_t, std::string>>;
  explicit TypeReader(ObjectNames& objects) : objects_(objects) {}
  TraceType type_of(const Value& value);
  static TraceType of_spec(const TensorSpec& spec);

 private:
  ObjectNames& objects_;
  std::vector<TensorId> variables_;
};

// Appends what distinguishes this call from others, quickly: equal keys mean equal concrete types.
void append_key(const Value& value, std::vector<TensorId>& variables, std::vector<std::uint64_t>& key);

}  // namespace tapescope
