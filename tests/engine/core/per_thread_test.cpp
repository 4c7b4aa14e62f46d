// One object for each thread: when it is made, how long it lives.
#include "engine/core/per_thread.h"

#include <atomic>
#include <thread>

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

std::atomic<int> alive{0};

struct Counted {
  Counted() { ++alive; }
  ~Counted() { --alive; }
  int value = 0;
};

// Destroyed after what its thread made later.
struct Late {
  bool* saw_none;
  ~Late() { *saw_none = PerThread<Counted>::get() == nullptr && PerThread<Counted>::known() == nullptr; }
};

}  // namespace

TEST_CASE("a thread has one object, made at its first call and destroyed at its end", "[threads]") {
  const int before = alive;
  bool saw_none = false, made_early = true;
  Counted* first = nullptr;
  Counted* second = nullptr;
  std::thread([&] {
    thread_local Late late{&saw_none};
    (void)late.saw_none;
    made_early = PerThread<Counted>::known() != nullptr;
    first = PerThread<Counted>::get();
    first->value = 7;
    std::thread([&] {
      second = PerThread<Counted>::get();
      CHECK(second->value == 0);
      CHECK(alive == before + 2);
    }).join();
    CHECK(alive == before + 1);
    CHECK(PerThread<Counted>::get() == first);
    CHECK(PerThread<Counted>::known()->value == 7);
  }).join();
  CHECK_FALSE(made_early);
  CHECK(first != second);
  CHECK(alive == before);
  // An object that ends after it finds none, and makes none.
  CHECK(saw_none);
}
