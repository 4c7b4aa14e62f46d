// What lives on to the end of the process by intent.
#pragma once

#include <list>
#include <memory>
#include <utility>

namespace tapescope::live {

using ForGood = std::list<std::shared_ptr<void>>;

// The objects stay reachable, so that no tool takes them for a leak. Takes no memory, so that destructors may
// call it. Any thread.
void keep_to_the_end(ForGood&& objects) noexcept;

// Keeps an object that other threads may still be inside of.
template <class T>
T& keep_for_good(std::unique_ptr<T> object) {
  T& kept = *object;
  ForGood objects;
  objects.push_back(std::shared_ptr<T>(std::move(object)));
  keep_to_the_end(std::move(objects));
  return kept;
}

}  // namespace tapescope::live
