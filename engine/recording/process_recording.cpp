// The thread that drains the session.
#include "engine/recording/process_recording.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "engine/recording/environment.h"
#include "engine/recording/recorder.h"

namespace tapescope::record {
namespace {

// The program's own pace matters more than its recording: what a slow disk cannot take is dropped and
// counted.
constexpr FullPolicy kPolicy = FullPolicy::drop;
constexpr auto kPause = std::chrono::milliseconds(2);

}  // namespace

ProcessRecording::ProcessRecording(const std::string& path, const ValueOptions& values)
    : session_({.policy = kPolicy}), writer_(open_sink(path), process_facts()), owner_(getpid()) {
  session_.start();
  if (!values.rule.empty()) {
    values_ = std::make_unique<ProgramValues>(values);
    set_process_gate(values_.get());
  }
  thread_ = std::thread([this] { loop(); });
}

void ProcessRecording::finish(const std::string& how) {
  if (getpid() != owner_ || !thread_.joinable()) return;
  session_.stop();
  if (values_) values_->finish();
  how_ = how;
  stopping_ = true;
  thread_.join();
}

bool ProcessRecording::tap(ProcessTap* tap) {
  std::lock_guard lock(tap_mutex_);
  tap_ = tap;
  return !stopping_;
}

void ProcessRecording::loop() {
  auto flushed = std::chrono::steady_clock::now();
  while (true) {
    const bool last = stopping_;
    const std::vector<StatsEntry> statistics = session_.take_stats();
    {
      std::lock_guard lock(tap_mutex_);
      session_.drain([this](std::uint32_t thread, std::span<const Record> records) {
        if (tap_) tap_->add(thread, records);
        writer_.add(thread, records);
      });
      if (tap_) tap_->add_statistics(statistics);
    }
    writer_.add_statistics(statistics);
    if (values_) {
      for (const Bytes& payload : values_->take()) writer_.add_values(payload);
    }
    // Here, and not in finish(): what belongs to the main thread alone is gone when that runs.
    if (last) writer_.finish(how_, session_.lost(), session_.lost_stats());
    const auto now = std::chrono::steady_clock::now();
    if (now - flushed >= kFlushInterval) {
      writer_.flush();
      flushed = now;
    }
    if (!writer_.failure().empty() && !reported_) report();
    if (last) return;
    std::this_thread::sleep_for(kPause);
  }
}

void ProcessRecording::report() {
  reported_ = true;
  fmt::print(stderr, "tapescope: {}\n", writer_.failure());
}

}  // namespace tapescope::record
