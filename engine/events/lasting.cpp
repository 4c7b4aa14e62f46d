// The list of what lasts.
#include "engine/events/lasting.h"

#include <mutex>

#include "engine/events/chunk.h"

namespace tapescope {
namespace {

struct Kept {
  std::mutex mutex;
  std::list<Lasting> list;
};
// Never destroyed: variables may outlive static objects.
Kept& kept() {
  static Kept* instance = new Kept;
  return *instance;
}

}  // namespace

void LastingRecord::keep(const Record& record) {
  forget();
  Kept& all = kept();
  std::lock_guard lock(all.mutex);
  place_ = all.list.insert(all.list.end(), {this_thread_id(), record});
  kept_ = true;
}

void LastingRecord::forget() {
  if (!kept_) return;
  kept_ = false;
  Kept& all = kept();
  std::lock_guard lock(all.mutex);
  all.list.erase(place_);
}

std::vector<Lasting> lasting_records() {
  Kept& all = kept();
  std::lock_guard lock(all.mutex);
  return {all.list.begin(), all.list.end()};
}

}  // namespace tapescope
