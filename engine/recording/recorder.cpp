// Two buffers: one is filled while the other is written.
#include "engine/recording/recorder.h"

#include <iterator>

namespace tapescope::record {
namespace {

constexpr std::size_t kMostPending = 1u << 20;  // records, 32 MiB

}  // namespace

Recorder::Recorder(std::unique_ptr<ByteSink> sink, ProgramFacts facts)
    : writer_(std::move(sink), std::move(facts)), thread_([this] { loop(); }) {}

Recorder::~Recorder() {
  if (!finished_) finish("given up", {}, {}, 0, 0);
}

void Recorder::add(std::uint32_t thread, std::span<const Record> records) {
  std::unique_lock lock(mutex_);
  if (pending_.records.size() > kMostPending) {
    wake_.notify_one();
    taken_.wait(lock, [&] { return pending_.records.size() <= kMostPending; });
  }
  pending_.add(thread, records);
  if (pending_.records.size() >= kMaxBlockRecords) wake_.notify_one();
}

void Recorder::add_statistics(std::span<const StatsEntry> entries) {
  if (entries.empty()) return;
  std::lock_guard lock(mutex_);
  statistics_.insert(statistics_.end(), entries.begin(), entries.end());
}

void Recorder::add_values(std::vector<Bytes> payloads) {
  std::lock_guard lock(mutex_);
  values_.insert(values_.end(), std::make_move_iterator(payloads.begin()),
                 std::make_move_iterator(payloads.end()));
}

void Recorder::loop() {
  EventBlock block;
  std::vector<Bytes> values;
  std::vector<StatsEntry> statistics;
  auto flushed = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait_for(lock, kFlushInterval, [&] {
      return stopping_ || asked_ != answered_ || pending_.records.size() >= kMaxBlockRecords;
    });
    const std::uint64_t asked = asked_;
    const bool stop = stopping_;
    std::swap(block, pending_);
    statistics.swap(statistics_);
    values.swap(values_);
    taken_.notify_all();
    lock.unlock();
    std::size_t at = 0;
    for (const EventBlock::Batch& batch : block.batches) {
      writer_.add(batch.thread, std::span(block.records).subspan(at, batch.count));
      at += batch.count;
    }
    writer_.add_statistics(statistics);
    for (const Bytes& payload : values) writer_.add_values(payload);
    const auto now = std::chrono::steady_clock::now();
    if (asked != answered_ || now - flushed >= kFlushInterval) {
      writer_.flush();
      flushed = now;
    }
    block.clear();
    statistics.clear();
    values.clear();
    lock.lock();
    failure_ = writer_.failure();
    bytes_ = writer_.bytes();
    answered_ = asked;
    taken_.notify_all();
    if (stop) return;
  }
}

void Recorder::flush() {
  std::unique_lock lock(mutex_);
  const std::uint64_t mine = ++asked_;
  wake_.notify_one();
  taken_.wait(lock, [&] { return answered_ >= mine; });
}

void Recorder::finish(const std::string& reason, std::span<const ProgramResults> results,
                      const ProgramFacts& facts, std::uint64_t lost_events, std::uint64_t lost_statistics) {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    wake_.notify_one();
  }
  thread_.join();
  finished_ = true;
  for (const ProgramResults& program : results) writer_.add_results(program);
  if (!facts.empty()) writer_.add_facts(facts);
  writer_.finish(reason, lost_events, lost_statistics);
  failure_ = writer_.failure();
  bytes_ = writer_.bytes();
}

std::string Recorder::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

std::uint64_t Recorder::bytes() const {
  std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace tapescope::record
