// What lives on to the end of the process by intent.
#pragma once

#include <memory>
#include <utility>

namespace tapescope::live {

// The object stays reachable, so that no tool takes it for a leak. Any thread.
void keep_to_the_end(std::shared_ptr<void> object);

// Keeps an object that other threads may still be inside of.
template <class T>
T& keep_for_good(std::unique_ptr<T> object) {
  T& kept = *object;
  keep_to_the_end(std::move(object));
  return kept;
}

}  // namespace tapescope::live
