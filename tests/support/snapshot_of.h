// What a piece of a program tells of itself: its records in a store, as the window would see them.
#pragma once
#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/events/session.h"
#include "engine/ops/state.h"
#include "tests/support/catch.h"
#include "viewer/store/ingest.h"

namespace tapescope::test {

// Runs `setup()`, then `step(n)` as training step n, for each of `steps`.
template <class Setup, class Step>
std::shared_ptr<const Snapshot> snapshot_after(Setup&& setup, Step&& step, std::uint64_t steps = 1) {
  Session session;
  Store store;
  Store* stores[] = {&store};
  Router router(stores);
  session.start();
  setup();
  for (std::uint64_t n = 0; n < steps; ++n) {
    note_step_begin(n, 0);
    step(n);
    note_step_end(n, 0);
  }
  session.stop();
  session.drain([&](std::uint32_t thread, std::span<const Record> records) { router.add(thread, records); });
  const std::vector<StatsEntry> stats = session.take_stats();
  store.add_stats(stats);
  store.publish();
  return store.snapshot();
}

template <class Step>
std::shared_ptr<const Snapshot> snapshot_of(Step&& step, std::uint64_t steps = 1) {
  return snapshot_after([] {}, std::forward<Step>(step), steps);
}

// The first op of that name, which must be there.
inline const OpRow& row_of(const StepView& view, std::string_view name) {
  const auto found = std::find_if(view.ops.begin(), view.ops.end(), [&](const OpRow& row) { return row.op == name; });
  REQUIRE(found != view.ops.end());
  return *found;
}

}  // namespace tapescope::test
