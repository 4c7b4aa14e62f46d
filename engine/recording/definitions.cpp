// Names, op names, scopes, sites and types, to bytes and back.
#include "engine/recording/definitions.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>

#include "engine/core/error.h"
#include "engine/events/records/table.h"
#include "engine/recording/printable.h"
#include "engine/recording/type_codec.h"

namespace tapescope::record {
namespace {

// Of a word that is an id.
Table table_of(FieldRole role) {
  switch (role) {
    case FieldRole::op_name: return Table::op_name;
    case FieldRole::site: return Table::site;
    case FieldRole::type: return Table::type;
    default: return Table::name;
  }
}

// Where records of a kind hold ids of 32 bits, and of what table. Word 0, which has 16, is apart.
struct IdPlaces {
  struct Place {
    std::uint8_t offset;  // of its bytes in the record
    Table table;
  };
  std::array<Place, kRecordWords> places{};
  std::uint8_t count = 0;
  bool in_h = false;
  Table table_of_h{};
};

std::array<IdPlaces, 256> id_places() {
  std::array<IdPlaces, 256> all;
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    const RecordShape& shape = kRecordShapes[kind];
    IdPlaces& of = all[kind];
    for (unsigned left = shape.ids; left != 0; left &= left - 1) {
      const auto word = static_cast<std::size_t>(std::countr_zero(left));
      const Table table = table_of(shape.roles[word]);
      if (word == 0) {
        of.in_h = true;
        of.table_of_h = table;
      } else {  // b is word 1; the words from there on lie one after the other
        of.places[of.count++] = {static_cast<std::uint8_t>(sizeof(std::uint32_t) * word), table};
      }
    }
  }
  return all;
}

// Calls `visit(Table, std::uint32_t& id)` for each id of each record; what it assigns is stored.
template <class Visit>
void visit_ids(std::span<Record> records, Visit&& visit) {
  static const std::array<IdPlaces, 256> kPlaces = id_places();
  for (Record& record : records) {
    const IdPlaces& of = kPlaces[static_cast<std::size_t>(record.kind)];
    if (of.in_h) {
      std::uint32_t id = record.h;
      visit(of.table_of_h, id);
      record.h = static_cast<std::uint16_t>(id);
    }
    for (std::size_t i = 0; i < of.count; ++i) {
      std::uint32_t id = 0;
      std::byte* const at = reinterpret_cast<std::byte*>(&record) + of.places[i].offset;
      std::memcpy(&id, at, sizeof id);
      visit(of.places[i].table, id);
      std::memcpy(at, &id, sizeof id);
    }
  }
}

// Of the tables of this process and the map to them that an entry takes, besides its text.
constexpr std::uint64_t kEntryBytes = 128;

constexpr std::uint32_t kUndefinedType = 0xffffffffu;  // type_with_id() knows no such type
bool defines_type(ByteReader& in, std::uint32_t& id) {
  const Type* type = read_type(in);
  // Where nothing is damaged: an element type of another program, or more elements than memory can hold.
  id = type ? type->id : kUndefinedType;
  return !in.failed();
}

}  // namespace

void Definer::use(Table table, std::uint32_t id) {
  const auto t = static_cast<std::size_t>(table);
  std::vector<bool>& known = known_[t];
  if (id < known.size() && known[id]) return;
  switch (table) {
    case Table::type:
      if (!type_with_id(id)) return;
      break;
    case Table::scope:
      if (id == 0) return;
      use(Table::scope, scope_parent(id));
      use(Table::name, scope_name(id));
      break;
    case Table::site:
      if (id == 0) return;
      use(Table::scope, site_with_id(id).scope);
      break;
    default:
      if (id == 0) return;
  }
  if (known.size() <= id) known.resize(std::max<std::size_t>(id + 1, known.size() * 2));
  known[id] = true;
  all_[t].push_back(id);
  fresh_[t].push_back(id);
}

void Definer::note(std::span<const Record> records) {
  for (const Record& record : records) {
    Record copy = record;
    visit_ids(std::span(&copy, 1), [&](Table table, std::uint32_t& id) { use(table, id); });
  }
}

void Definer::write(ByteWriter& out, const std::array<std::vector<std::uint32_t>, kTables>& ids) const {
  // In this order each entry uses only what stands before it.
  for (Table table : {Table::name, Table::op_name, Table::scope, Table::site, Table::type}) {
    const std::vector<std::uint32_t>& list = ids[static_cast<std::size_t>(table)];
    if (list.empty()) continue;
    out.u8(static_cast<std::uint8_t>(table));
    out.number(list.size());
    for (const std::uint32_t id : list) {
      out.number(id);
      switch (table) {
        case Table::name: out.text(name_text(id)); break;
        case Table::op_name: out.text(op_name_text(static_cast<OpNameId>(id))); break;
        case Table::scope:
          out.number(scope_parent(id));
          out.number(scope_name(id));
          break;
        case Table::site: {
          const CallSite site = site_with_id(id);
          out.text(site.file);
          out.text(site.function);
          out.number(site.line);
          out.number(site.scope);
          break;
        }
        case Table::type: write_type(out, *type_with_id(id)); break;
      }
    }
  }
}

bool Definer::has_new() const {
  return std::any_of(fresh_.begin(), fresh_.end(), [](const auto& ids) { return !ids.empty(); });
}

bool Definer::take_new(ByteWriter& out) {
  bool any = false;
  for (const auto& list : fresh_) any |= !list.empty();
  if (!any) return false;
  out.u8(0);
  write(out, fresh_);
  for (auto& list : fresh_) list.clear();
  return true;
}

void Definer::write_all(ByteWriter& out) const {
  out.u8(1);
  write(out, all_);
}

void Translator::Map::set(std::uint32_t id, std::uint32_t value) {
  ++defined_;
  if (id < 4096 + 4 * defined_) {
    if (dense_.size() <= id) dense_.resize(std::max<std::size_t>(id + 1, dense_.size() * 2));
    dense_[id] = value + 1;
  } else {
    sparse_[id] = value;
  }
}

bool Translator::define(std::span<const std::uint8_t> payload, std::uint64_t most) {
  ByteReader in(payload);
  const std::uint64_t before = kept_;
  std::string name, other;
  in.u8();  // whether it is a key frame: a reader from the beginning has no use for that
  while (in.left() > 0) {
    const std::uint8_t kind = in.u8();
    if (kind == 0 || kind >= kTables) return in.fail();
    const auto table = static_cast<Table>(kind);
    Map& map = maps_[kind];
    const std::size_t count = in.count(2);
    for (std::size_t i = 0; i < count; ++i) {
      const auto id = static_cast<std::uint32_t>(in.number(0xfffffffeu));
      const std::size_t begin = in.left();
      std::uint32_t made = 0;
      switch (table) {
        case Table::name: made = intern_name(printable(in.text(), name)); break;
        case Table::op_name: {
          const std::string_view text = in.text();
          if (in.failed()) return false;
          try {
            made = intern_op_name(printable(text, name));
          } catch (const Error&) {
            return false;  // more op names than a process can hold
          }
          break;
        }
        case Table::scope: {
          const std::uint32_t parent =
              process_id(Table::scope, static_cast<std::uint32_t>(in.number(0xffffffffu)));
          made = intern_scope(parent,
                              process_id(Table::name, static_cast<std::uint32_t>(in.number(0xffffffffu))));
          break;
        }
        case Table::site: {
          const std::string_view file = in.text(), function = in.text();
          const auto line = static_cast<std::uint32_t>(in.number(0xffffffffu));
          const auto scope = static_cast<std::uint32_t>(in.number(0xffffffffu));
          made = intern_site(printable(file, name), printable(function, other), line,
                             process_id(Table::scope, scope));
          break;
        }
        case Table::type:
          if (!defines_type(in, made)) return false;
          break;
      }
      if (in.failed()) return false;
      if (made == kUndefinedType || map.get(id, kUndefinedType) == made) continue;
      kept_ += kEntryBytes + (begin - in.left());
      if (kept_ - before > most) return false;
      map.set(id, made);
    }
    if (in.failed()) return false;
  }
  return !in.failed();
}

std::uint32_t Translator::process_id(Table table, std::uint32_t id) const {
  return maps_[static_cast<std::size_t>(table)].get(id, table == Table::type ? kUndefinedType : 0);
}

void Translator::translate(std::span<Record> records) const {
  visit_ids(records, [&](Table table, std::uint32_t& id) { id = process_id(table, id); });
}

}  // namespace tapescope::record
