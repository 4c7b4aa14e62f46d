// Event records: 32 bytes each, written by the thread that they are about, in the order things happened
// there.
//
// Each kind is a struct in engine/events/records/, one header for each group of kinds: its name finds who
// writes the kind and who reads it. The type of a field says what it holds, so that recordings define and
// translate ids and scale ticks without a list of kinds; format.md's table of kinds and
// assets/tape_writer.py's are made of these headers by tests/checks/records.py. To add a kind: its struct
// with the next free number, at the end of its header's list; who writes it; who reads it.
//
// The format is open to programs other than ours: op names are interned strings, not rows of our op table,
// and everything an explanation needs is a record. Ids of names, sites and types are those of core/names.h
// and core/type.h within the process; a recording defines them in its own chunks.
#pragma once
#include <bit>
#include <cassert>
#include <concepts>
#include <cstdint>
#include <new>
#include <type_traits>

#include "engine/core/names.h"
#include "engine/core/tensor.h"

namespace tapescope {

// A kind's number, which is on disk and is never given to another kind. Structs name theirs: OpRecord::kKind.
enum class RecordKind : std::uint8_t {};
inline constexpr RecordKind kNoRecord{0};

// What a field holds, as far as it matters to who moves records between processes and machines.
enum class FieldRole : std::uint8_t {
  plain,
  name,     // ids of core/names.h
  op_name,  //
  site,     //
  type,     // id of a type
  ticks,    // a moment of the event clock; 0 where nothing asked for times
  span,     // ticks that something took
  order,    // a tensor id of that moment: ids grow along a thread, so it orders what happened between ops
};

template <FieldRole role, class Stored>
struct RecordField {
  static constexpr FieldRole kRole = role;
  Stored value = 0;
  constexpr RecordField() = default;
  constexpr RecordField(Stored v) : value(v) {}
  constexpr operator Stored() const { return value; }
};
using NameField = RecordField<FieldRole::name, NameId>;
using OpNameField = RecordField<FieldRole::op_name, OpNameId>;
using WideOpNameField = RecordField<FieldRole::op_name, std::uint32_t>;  // where no half word is free
using SiteField = RecordField<FieldRole::site, SiteId>;
using TypeField = RecordField<FieldRole::type, std::uint32_t>;
using TicksField = RecordField<FieldRole::ticks, std::uint64_t>;
using SpanField = RecordField<FieldRole::span, std::uint32_t>;  // saturating
using WideSpanField = RecordField<FieldRole::span, std::uint64_t>;
// A field `order` holds the id that the thread's next tensor would get: ThreadState::note() fills it in.
using OrderField = RecordField<FieldRole::order, TensorId>;

struct Record;
template <class R>
concept RecordStruct = !std::same_as<R, Record> && sizeof(R) == 32 && alignof(R) <= 8 &&
                       std::is_trivially_copyable_v<R> && requires(R r) {
  { r.kind } -> std::same_as<RecordKind&>;
};

// Whether a record of this kind is an R.
template <RecordStruct R>
constexpr bool is_kind(RecordKind kind) {
  if constexpr (requires { R::kKind; }) {
    return kind == R::kKind;
  } else {
    for (const RecordKind one : R::kKinds) {
      if (kind == one) return true;
    }
    return false;
  }
}

// A record of any kind, as the columns of a recording see it. What its fields mean is in the struct of its
// kind.
struct Record {
  RecordKind kind = kNoRecord;
  std::uint8_t a = 0;
  std::uint16_t h = 0;
  std::uint32_t b = 0;
  std::uint64_t x = 0;
  std::uint64_t y = 0;
  std::uint64_t z = 0;

  Record() = default;
  template <RecordStruct R>
  Record(const R& record) : Record(std::bit_cast<Record>(record)) {}

  template <RecordStruct R>
  bool is() const {
    return is_kind<R>(kind);
  }
  template <RecordStruct R>
  R as() const {
    assert(is<R>());
    return std::bit_cast<R>(*this);
  }
};
static_assert(sizeof(Record) == 32 && std::is_trivially_copyable_v<Record>);

// The structs of one header.
template <RecordStruct... R>
struct RecordList {};

}  // namespace tapescope
