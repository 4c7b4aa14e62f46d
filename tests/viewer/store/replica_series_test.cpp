// In which step a process held what it noted.
#include "viewer/store/replica_series.h"

#include "engine/core/names.h"
#include "engine/events/records/steps.h"
#include "tests/support/catch.h"
#include "viewer/store/store.h"

using namespace tapescope;

TEST_CASE("hashes of replicas are of the step in which they came, or of none", "[store][job]") {
  const auto replica = [](std::uint64_t hash) {
    return Record(ReplicaRecord{.value = 1, .name = intern_name("w"), .hash = hash});
  };
  const auto steps_of = [&](std::initializer_list<Record> records) {
    Store store(0, {});
    store.add(1, std::vector<Record>(records));
    store.publish();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    for (const ReplicaSeries& series : store.snapshot()->replicas) {
      for (std::size_t i = 0; i < series.points.size(); ++i)
        found.emplace_back(series.points[i].step, series.points[i].value);
    }
    return found;
  };
  using Points = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
  const auto begin = [](std::uint64_t step) {
    return Record(StepBeginRecord{.step = step, .ticks = 100 * step + 1});
  };
  const auto end = [](std::uint64_t step) {
    return Record(StepEndRecord{.step = step, .ticks = 100 * step + 50});
  };
  // From the start: a worker leaves its first hashes before its first step begins.
  CHECK(steps_of({replica(5), begin(0), replica(6), end(0), begin(1), replica(7), end(1)}) ==
        Points{{0, 6}, {1, 7}});
  CHECK(steps_of({replica(5), begin(1), replica(6), end(1)}) == Points{{0, 5}, {1, 6}});
  // Attached in the middle of a step.
  CHECK(steps_of({replica(5), end(968), begin(969), replica(6), end(969)}) == Points{{969, 6}});
  // The end of step 3 and the beginning of step 4 were lost; then the line was narrow.
  CHECK(steps_of({begin(3), replica(5), LostRecord{.records = 9}, replica(6), end(4), begin(5), replica(7),
                  LostRecord{.thinned = 1, .records = 9}, end(5), begin(6), replica(8), end(6)}) ==
        Points{{3, 5}, {5, 7}, {6, 8}});
}
