// Starts a session before main and a thread that writes what it hears; ends both after main.
#include "engine/record/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <thread>

#include "engine/core/error.h"
#include "engine/record/process_tap.h"
#include "engine/record/writer.h"

namespace tapescope::record {
namespace {

// The program's own pace matters more than its recording: what a slow disk cannot take is dropped and counted.
constexpr SessionOptions kOptions{.policy = FullPolicy::drop};
constexpr auto kPause = std::chrono::milliseconds(2);
constexpr auto kFlushInterval = std::chrono::milliseconds(200);  // what a killed program loses at most

class ProcessRecording {
 public:
  explicit ProcessRecording(const std::string& path) : writer_(open_sink(path), process_facts()), owner_(getpid()) {
    session_.start();
    thread_ = std::thread([this] { loop(); });
  }

  // After main. A child that was forked has no such thread and must not write into its parent's file.
  void finish() {
    if (getpid() != owner_ || !thread_.joinable()) return;
    session_.stop();
    stopping_ = true;
    thread_.join();
  }

  // False once it has ended.
  bool tap(ProcessTap* tap) {
    std::lock_guard lock(tap_mutex_);
    tap_ = tap;
    return !stopping_;
  }

 private:
  void loop() {
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
      // Here, and not in finish(): what belongs to the main thread alone is gone when that runs.
      if (last) writer_.finish("finished", session_.lost(), session_.lost_stats());
      const auto now = std::chrono::steady_clock::now();
      if (now - flushed >= kFlushInterval) {
        writer_.flush();
        flushed = now;
      }
      if (!writer_.failure().empty() && !told_) tell();
      if (last) return;
      std::this_thread::sleep_for(kPause);
    }
  }

  void tell() {
    told_ = true;
    fmt::print(stderr, "tapescope: {}\n", writer_.failure());
  }

  Session session_{kOptions};
  RecordingWriter writer_;
  pid_t owner_;
  std::mutex tap_mutex_;
  ProcessTap* tap_ = nullptr;
  std::atomic<bool> stopping_{false};
  bool told_ = false;
  std::thread thread_;
};

ProcessRecording* recording = nullptr;  // never destroyed: threads of the program may outlive main

}  // namespace

std::string recording_path(std::string path) {
  for (std::size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p", at)) {
    path.replace(at, 2, std::to_string(getpid()));
  }
  return path;
}

bool tap_process_recording(ProcessTap* tap) { return recording && recording->tap(tap); }

void finish_process_recording() {
  if (recording) recording->finish();
}

ProgramFacts process_facts() {
  return {{"name", program_invocation_short_name},
          {"pid", std::to_string(getpid())},
          {"started", std::to_string(std::time(nullptr))}};
}

}  // namespace tapescope::record

extern "C" void tapescope_begin_from_environment() {
  using namespace tapescope::record;
  if (tapescope_has_its_own_sessions || recording) return;
  const char* path = std::getenv("TAPESCOPE_RECORD");
  if (!path || !*path) return;
  try {
    recording = new ProcessRecording(recording_path(path));
    std::atexit(finish_process_recording);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tapescope: {}\n", error.what());
  }
}

namespace {
const bool begun = (tapescope_begin_from_environment(), true);
}
