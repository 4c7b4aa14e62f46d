// Reads a run up to a step, and puts that step into a snapshot of the run.
#include "viewer/debugger/look_back.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "engine/core/error.h"
#include "engine/events/records/steps.h"
#include "viewer/store/ingest.h"
#include "viewer/store/place_in.h"

namespace tapescope {
namespace {

// Figures of gradients may be written a little later than the step they are of.
constexpr int kBlocksForFigures = 64;

// Feeds the records before the first step of program A behind `step`.
class UpToStep {
 public:
  UpToStep(Store& store, std::uint64_t step) : stores_{&store, &other_}, router_(stores_), step_(step) {}

  void add(const record::EventBlock& block) {
    std::size_t at = 0;
    for (const record::EventBlock::Batch& batch : block.batches) {
      const auto records = std::span(block.records).subspan(at, batch.count);
      at += batch.count;
      const auto later = std::ranges::find_if(records, [&](const Record& record) {
        if (!record.is<StepBeginRecord>()) return false;
        const auto begin = record.as<StepBeginRecord>();
        return begin.program == 0 && begin.step > step_;
      });
      router_.add(batch.thread, {records.begin(), later});
      over_ = over_ || later != records.end();
      if (over_) return;
    }
  }
  bool over() const { return over_; }

 private:
  Store other_{1};  // where program B's records go
  Store* const stores_[2];
  Router router_;
  const std::uint64_t step_;
  bool over_ = false;
};

// Where an alert stands in the step: as that step's own says, else at the op that does the same there.
void place(AlertRow& alert, const Snapshot& run, const Snapshot& then) {
  const auto same = std::ranges::find_if(then.alerts, [&](const AlertRow& other) {
    return other.kind == alert.kind && other.subject == alert.subject && other.step == alert.step;
  });
  if (same == then.alerts.end()) return place_in(*then.complete, *run.shown(), alert);
  alert.op_index = same->op_index;
  alert.node = same->node;
}

std::shared_ptr<const Snapshot> with_step(const Snapshot& run, const Snapshot& then) {
  static std::atomic<std::uint64_t> made{0};
  auto shown = std::make_shared<Snapshot>(run);
  // Another picture than any store's: who draws compares versions.
  shown->version = std::uint64_t{1} << 62 | ++made;
  shown->complete = shown->current = then.complete;
  shown->recent = then.recent;
  shown->held = then.held;
  shown->op_kinds = then.op_kinds;
  shown->gradients = then.gradients;
  shown->tapes = then.tapes;
  for (AlertRow& alert : shown->alerts) place(alert, run, then);
  return shown;
}

}  // namespace

LookBack::LookBack(Replay replay, SourcePaths source_paths, std::function<void()> wake)
    : replay_(std::move(replay)), source_paths_(std::move(source_paths)), wake_(std::move(wake)) {}

LookBack::~LookBack() = default;

// No call waits for a reading that is of no use any more.
void LookBack::let_go() {
  readings_.remove_if([](const Reading& reading) { return reading.over.load(); });
  for (Reading& reading : readings_) reading.thread.request_stop();
}

void LookBack::leave() {
  let_go();
  std::lock_guard lock(mutex_);
  ++asked_;
  wanted_.reset();
  there_.reset();
  then_ = shown_of_ = shown_ = nullptr;
  failure_.clear();
}

void LookBack::go_to(std::uint64_t step) {
  let_go();
  std::uint64_t number = 0;
  {
    std::lock_guard lock(mutex_);
    number = ++asked_;
    failure_.clear();
    wanted_.reset();
    if (there_ == step) return;
    wanted_ = step;
  }
  Reading& reading = readings_.emplace_back();
  reading.thread = std::jthread([this, &reading, step, number](const std::stop_token& stop) {
    std::shared_ptr<const Snapshot> then;
    std::string failure;
    try {
      then = read(step, stop);
    } catch (const Error& error) {
      failure = error.what();
    }
    {
      std::lock_guard lock(mutex_);
      reading.over = true;
      if (asked_ != number) return;
      wanted_.reset();
      failure_ = std::move(failure);
      if (then) {
        then_ = std::move(then);
        there_ = step;
        shown_of_ = shown_ = nullptr;
      }
    }
    wake_();
  });
}

std::shared_ptr<const Snapshot> LookBack::read(std::uint64_t step, const std::stop_token& stop) const {
  Store store(0, {.source_paths = source_paths_});
  UpToStep up_to(store, step);
  int blocks_behind = 0;
  bool has_figures = false;
  replay_({.events =
               [&](const record::EventBlock& block) {
                 if (up_to.over()) ++blocks_behind;
                 else up_to.add(block);
                 return !stop.stop_requested() && blocks_behind < kBlocksForFigures && !has_figures;
               },
           .statistics =
               [&](std::span<const StatsEntry> entries) {
                 std::vector<StatsEntry> until;
                 std::ranges::copy_if(entries, std::back_inserter(until),
                                      [&](const StatsEntry& entry) { return entry.step <= step; });
                 store.add_stats(until);
                 has_figures = up_to.over() && until.size() < entries.size();
                 return !stop.stop_requested() && !has_figures;
               }});
  if (stop.stop_requested()) return nullptr;
  store.publish();
  auto then = store.snapshot();
  if (!then->complete || then->complete->step != step) {
    throw Error(ErrorKind::surroundings,
                "the ops of this step are not kept: a long run has those of its beginning and its end, and a "
                "narrow line those of some steps");
  }
  return then;
}

std::optional<std::uint64_t> LookBack::step() const {
  std::lock_guard lock(mutex_);
  return wanted_ ? wanted_ : there_;
}

bool LookBack::reads() const {
  std::lock_guard lock(mutex_);
  return wanted_.has_value();
}

std::string LookBack::take_failure() {
  std::lock_guard lock(mutex_);
  return std::exchange(failure_, {});
}

std::shared_ptr<const Snapshot> LookBack::of(const std::shared_ptr<const Snapshot>& run) const {
  std::lock_guard lock(mutex_);
  if (!then_ || !run->shown()) return run;
  if (shown_of_ != run) {
    shown_ = with_step(*run, *then_);
    shown_of_ = run;
  }
  return shown_;
}

}  // namespace tapescope
