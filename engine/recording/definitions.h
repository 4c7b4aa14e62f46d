// What ids in records stand for: written with the records that use them, read back as ids of this process.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "engine/events/records/record.h"
#include "engine/recording/bytes.h"

namespace tapescope::record {

// Tables of a definitions chunk; the numbers are on disk.
enum class Table : std::uint8_t { name = 1, op_name = 2, scope = 3, site = 4, type = 5 };
inline constexpr int kTables = 6;  // index 0 is unused

// Collects what is to be defined before records that use it.
class Definer {
 public:
  void note(std::span<const Record> records);
  void note_name(NameId id) { use(Table::name, id); }
  void note_type(std::uint32_t id) { use(Table::type, id); }
  // What came since the last call, as the payload of a definitions chunk; false when nothing did.
  bool take_new(ByteWriter& out);
  bool has_new() const;
  // Everything so far: a reader can begin here.
  void write_all(ByteWriter& out) const;

 private:
  void use(Table table, std::uint32_t id);
  void write(ByteWriter& out, const std::array<std::vector<std::uint32_t>, kTables>& ids) const;

  std::array<std::vector<bool>, kTables> known_;
  std::array<std::vector<std::uint32_t>, kTables> all_, fresh_;
};

// From a recording's ids to this process's.
class Translator {
 public:
  // The payload of a definitions chunk. False where it is damaged, or would keep more than `most` bytes; what
  // came before that is kept.
  bool define(std::span<const std::uint8_t> payload, std::uint64_t most = ~std::uint64_t{0});
  std::uint64_t kept() const { return kept_; }  // bytes, by all calls; an estimate
  void translate(std::span<Record> records) const;
  // Ids that nothing defined become what is unknown: an empty name, no place, no type.
  std::uint32_t process_id(Table table, std::uint32_t id) const;

 private:
  // Ids are dense in what we write; others may write what they like, and take a hash table's time.
  class Map {
   public:
    void set(std::uint32_t id, std::uint32_t value);
    std::uint32_t get(std::uint32_t id, std::uint32_t otherwise) const {
      if (id < dense_.size() && dense_[id]) return dense_[id] - 1;
      if (sparse_.empty()) return otherwise;
      const auto found = sparse_.find(id);
      return found == sparse_.end() ? otherwise : found->second;
    }

   private:
    std::vector<std::uint32_t> dense_;  // one more than the value; 0 is undefined
    std::unordered_map<std::uint32_t, std::uint32_t> sparse_;
    std::size_t defined_ = 0;
  };
  std::array<Map, kTables> maps_;
  std::uint64_t kept_ = 0;
};

}  // namespace tapescope::record
