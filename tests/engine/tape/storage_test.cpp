// What a tape records on is used again by the next one, and lets go of what it held.
#include "engine/tape/storage.h"

#include <memory>
#include <thread>

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("what a recorded op refers to lives as long as the recording", "[tape]") {
  TapeStorage* storage = TapeStorage::acquire();
  const auto hold_one = [&] {
    auto object = std::make_shared<const int>(1);
    std::weak_ptr<const int> seen = object;
    storage->hold(object);
    storage->hold(std::move(object));
    return seen;
  };
  const std::weak_ptr<const int> first = hold_one();
  CHECK(storage->held.size() == 1);
  CHECK_FALSE(first.expired());
  storage->clear_recording();
  CHECK(first.expired());
  const std::weak_ptr<const int> second = hold_one();
  TapeStorage::release(storage);
  CHECK(second.expired());
}

TEST_CASE("the next tape of a thread records where the last one did, unless that grew very large", "[tape]") {
  std::thread([] {
    constexpr std::size_t kRoom = 1000;  // marks it
    TapeStorage* storage = TapeStorage::acquire();
    const TapeId id = storage->id;
    storage->held.reserve(kRoom);
    storage->state = TapeState::consumed;
    storage->walked = 7;
    TapeStorage::release(storage);
    storage = TapeStorage::acquire();
    CHECK(storage->held.capacity() >= kRoom);
    CHECK(storage->id > id);
    CHECK(storage->state == TapeState::fresh);
    CHECK(storage->walked == 0);
    for (int i = 0; i < (1 << 16); ++i) storage->nodes.emplace();
    TapeStorage::release(storage);
    storage = TapeStorage::acquire();
    CHECK(storage->held.capacity() >= kRoom);
    CHECK(storage->nodes.size() == 0);
    for (int i = 0; i <= (1 << 16); ++i) storage->nodes.emplace();
    TapeStorage::release(storage);
    storage = TapeStorage::acquire();
    CHECK(storage->held.capacity() < kRoom);
    TapeStorage::release(storage);
  }).join();
}
