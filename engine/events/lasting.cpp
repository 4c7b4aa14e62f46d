// The list of what lasts.
#include "engine/events/lasting.h"

#include <mutex>
#include <utility>

#include "engine/events/chunk.h"

namespace tapescope {
namespace {

struct Kept {
  std::mutex mutex;
  std::list<Lasting> list;
  std::size_t records = 0;
};
constexpr std::size_t kMostRecords = (32u << 20) / sizeof(Record);

// Never destroyed: variables may outlive static objects.
Kept& kept() {
  static Kept* instance = new Kept;
  return *instance;
}

}  // namespace

void LastingRecord::keep(const Record& record) { keep(std::vector<Record>{record}); }

void LastingRecord::keep(std::vector<Record> records) {
  forget();
  Kept& all = kept();
  std::lock_guard lock(all.mutex);
  if (records.size() > 1 && all.records + records.size() > kMostRecords) return;
  all.records += records.size();
  place_ = all.list.insert(all.list.end(), {this_thread_id(), std::move(records)});
  kept_ = true;
}

void LastingRecord::forget() {
  if (!kept_) return;
  kept_ = false;
  Kept& all = kept();
  std::lock_guard lock(all.mutex);
  all.records -= place_->records.size();
  all.list.erase(place_);
}

std::vector<Lasting> lasting_records() {
  Kept& all = kept();
  std::lock_guard lock(all.mutex);
  return {all.list.begin(), all.list.end()};
}

}  // namespace tapescope
