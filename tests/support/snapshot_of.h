// A piece of a program: its records in a store, as the window would see them.
#pragma once
#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/events/session.h"
#include "engine/gate/implied_steps.h"
#include "engine/program.h"
#include "engine/tape/tape.h"
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

// Runs a program that marks no steps: what other tests of this process marked is forgotten.
template <class Program>
std::shared_ptr<const Snapshot> snapshot_of_unmarked(Program&& program) {
  implied_steps::forget_marks();
  return snapshot_after(
      std::forward<Program>(program), [](std::uint64_t) {}, 0);
}

// Each step asks a tape for the gradient of what `forward()` gives.
template <class Forward>
std::shared_ptr<const Snapshot> snapshot_of_gradient(Forward&& forward, const Variable& of,
                                                     std::uint64_t steps = 1) {
  return snapshot_of(
      [&](std::uint64_t) {
        GradientTape tape;
        Tensor loss;
        {
          const auto recording = tape.record();
          loss = forward();
        }
        tape.gradient(loss, of);
      },
      steps);
}

inline const OpKindRow& kind_of(const Snapshot& snapshot, std::string_view name) {
  const auto& kinds = snapshot.op_kinds;
  const auto found =
      std::find_if(kinds.begin(), kinds.end(), [&](const OpKindRow& kind) { return kind.op == name; });
  REQUIRE(found != kinds.end());
  return *found;
}

// The first op of that name, which must be there.
inline const OpRow& row_of(const StepView& view, std::string_view name) {
  const auto found =
      std::find_if(view.ops.begin(), view.ops.end(), [&](const OpRow& row) { return row.op == name; });
  REQUIRE(found != view.ops.end());
  return *found;
}

}  // namespace tapescope::test
