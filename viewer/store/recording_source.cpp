// From chunks to the stores.
#include "viewer/store/recording_source.h"

#include "engine/core/error.h"

namespace tapescope {
namespace {

using record::RecordingReader;
using Item = RecordingReader::Item;
using Sink = std::function<void(std::uint32_t, std::span<const Record>)>;

// Chunks at a time: some 10 ms, so that pictures can be made between.
constexpr int kPortion = 8;
// A recording that takes longer is shown as far as it was read.
constexpr auto kShortReading = std::chrono::milliseconds(300);
// Drains without anything new after which what is there is taken for all: some hundred milliseconds.
constexpr int kQuiet = 8;

std::size_t hand_over(const record::EventBlock& block, const Sink& sink) {
  std::size_t at = 0;
  for (const record::EventBlock::Batch& batch : block.batches) {
    sink(batch.thread, std::span(block.records).subspan(at, batch.count));
    at += batch.count;
  }
  return at;
}

void note_end(const RecordingReader& reader, RecordingSource::State& state) {
  state.ending = reader.ending();
  state.damaged = reader.damaged();
  state.has_end = reader.has_end();
}

// A program's later results replace its earlier ones.
void keep(std::vector<record::ProgramResults>& all, const record::ProgramResults& results) {
  std::erase_if(all, [&](const record::ProgramResults& r) { return r.program == results.program; });
  all.push_back(results);
}

}  // namespace

std::shared_ptr<const record::ProgramFacts> RecordingSource::no_facts() {
  static const auto none = std::make_shared<const record::ProgramFacts>();
  return none;
}

RecordingSource::State RecordingSource::state() const {
  std::lock_guard lock(mutex_);
  State whole = state_;
  whole.results = results_;
  return whole;
}

RecordingSource::State RecordingSource::without_results() const {
  std::lock_guard lock(mutex_);
  return state_;
}

void RecordingSource::end(const std::string& loss) {
  ended_ = true;
  std::lock_guard lock(mutex_);
  state_.ended = state_.caught_up = true;
  state_.loss = loss;
  note_end(reader_, state_);
}

std::size_t RecordingSource::drain(const Sink& sink) {
  if (!take_turn()) return 0;
  const std::size_t records = drain_portion(sink);
  taken_ = reader_.position();
  if (ended_ || quiet_ > 0) leave_turn();
  return records;
}

bool RecordingSource::take_turn() {
  if (turns_ != nullptr && !has_turn_) {
    has_turn_ = turns_->try_acquire();
    turn_began_ = std::chrono::steady_clock::now();
  }
  return turns_ == nullptr || has_turn_;
}

bool RecordingSource::worth_showing() const {
  return turns_ == nullptr || std::chrono::steady_clock::now() - turn_began_ > kShortReading;
}

void RecordingSource::leave_turn() {
  if (std::exchange(has_turn_, false)) turns_->release();
  turns_ = nullptr;
}

std::size_t RecordingSource::drain_portion(const Sink& sink) {
  std::size_t records = 0;
  for (int i = 0; i < kPortion && !ended_; ++i) {
    Item item{};
    try {
      item = reader_.next();
    } catch (const Error& error) {
      end(error.what());
      break;
    }
    if (item == Item::events) {
      records += hand_over(reader_.events(), sink);
    } else if (item == Item::statistics) {
      stats_.insert(stats_.end(), reader_.statistics().begin(), reader_.statistics().end());
    } else if (item == Item::waiting) {
      if (++quiet_ != kQuiet) break;
      std::lock_guard lock(mutex_);
      state_.caught_up = true;
      state_.loss = reader_.loss_if_over();
      break;
    } else if (item == Item::end) {
      end(reader_.loss());
      break;
    } else {
      if (item == Item::finished) lost_ = reader_.summary().lost_events;
      std::lock_guard lock(mutex_);
      if (item == Item::facts) state_.facts = std::make_shared<const record::ProgramFacts>(reader_.facts());
      step_base_ = step_base_of(*state_.facts);
      note_end(reader_, state_);
      if (item == Item::results) keep(results_, reader_.results());
      if (item == Item::values)
        state_.values.push_back(std::make_shared<record::StepFrames>(std::move(reader_.values())));
    }
    if (quiet_ >= kQuiet) {
      std::lock_guard lock(mutex_);
      state_.caught_up = false;
    }
    quiet_ = 0;
  }
  return records;
}

std::uint64_t step_base_of(const record::ProgramFacts& facts) {
  return facts.contains("variant") || facts.contains("framework") ? 1 : 0;
}

RecordingSource::State read_into(RecordingReader& reader, Router& router, std::span<Store* const> stores) {
  RecordingSource::State state;
  for (Item item = reader.next(); item != Item::end && item != Item::waiting; item = reader.next()) {
    if (item == Item::events) {
      hand_over(reader.events(),
                [&](std::uint32_t thread, std::span<const Record> part) { router.add(thread, part); });
    } else if (item == Item::statistics) {
      for (Store* store : stores) store->add_stats(reader.statistics());
    } else if (item == Item::results) {
      keep(state.results, reader.results());
    } else if (item == Item::values) {
      state.values.push_back(std::make_shared<record::StepFrames>(std::move(reader.values())));
    }
  }
  state.facts = std::make_shared<const record::ProgramFacts>(reader.facts());
  for (Store* store : stores) store->set_step_base(step_base_of(*state.facts));
  state.loss = reader.loss();
  note_end(reader, state);
  state.caught_up = state.ended = true;
  return state;
}

}  // namespace tapescope
