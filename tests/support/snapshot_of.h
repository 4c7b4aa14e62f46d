// What a piece of a program tells of itself: its records in a store, as the window would see them.
#pragma once
#include "engine/events/session.h"
#include "engine/ops/state.h"
#include "viewer/store/ingest.h"

namespace tapescope::test {

// Runs `step(n)` as training step n, for each of `steps`.
template <class Step>
std::shared_ptr<const Snapshot> snapshot_of(Step&& step, std::uint64_t steps = 1) {
  Session session;
  Store store;
  Store* stores[] = {&store};
  Router router(stores);
  session.start();
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

}  // namespace tapescope::test
