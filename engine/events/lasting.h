// Records that stay true while what they describe lives: a variable, a function. A listener that begins in
// the middle of a program gets them first.
#pragma once
#include <cstdint>
#include <list>
#include <vector>

#include "engine/events/records/record.h"

namespace tapescope {

struct Lasting {
  std::uint32_t thread = 0;  // that left the records
  std::vector<Record> records;
};

// Keeps records until destroyed. Any thread; takes a lock, so it is not for what is made in every step.
class LastingRecord {
 public:
  LastingRecord() = default;
  ~LastingRecord() { forget(); }
  LastingRecord(const LastingRecord&) = delete;
  LastingRecord& operator=(const LastingRecord&) = delete;
  // Of the calling thread; replaces what was kept.
  void keep(const Record& record);
  // In one piece; not where the process keeps 32 MiB already.
  void keep(std::vector<Record> records);

 private:
  void forget();

  std::list<Lasting>::iterator place_;
  bool kept_ = false;
};

// All that are kept, in the order they came.
std::vector<Lasting> lasting_records();

}  // namespace tapescope
