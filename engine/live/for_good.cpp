// The list of what is never destroyed.
#include "engine/live/for_good.h"

#include <mutex>
#include <vector>

namespace tapescope::live {

void keep_to_the_end(std::shared_ptr<void> object) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::shared_ptr<void>>;
  std::lock_guard lock(mutex);
  kept->push_back(std::move(object));
}

}  // namespace tapescope::live
