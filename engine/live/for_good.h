// What lives on to the end of the process by intent.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tapescope::live {

// Keeps an object that other threads may still be inside of. It stays reachable, so that no tool takes it for a leak.
template <class T>
T& keep_for_good(std::unique_ptr<T> object) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::unique_ptr<T>>;
  std::lock_guard lock(mutex);
  return *kept->emplace_back(std::move(object));
}

}  // namespace tapescope::live
