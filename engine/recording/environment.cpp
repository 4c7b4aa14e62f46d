// Begins a recording before main, and ends it after main.
#include "engine/recording/environment.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <mutex>

#include "engine/core/error.h"
#include "engine/recording/process_recording.h"

namespace tapescope::record {
namespace {

ProcessRecording* recording = nullptr;  // never destroyed: threads of the program may outlive main

}  // namespace

std::string recording_path(std::string path) {
  for (std::size_t at = path.find("%p"); at != std::string::npos; at = path.find("%p", at)) {
    path.replace(at, 2, std::to_string(getpid()));
  }
  return path;
}

ValueOptions values_from_environment() {
  const char* rule = std::getenv("TAPESCOPE_RECORD_VALUES");
  const char* megabytes = std::getenv("TAPESCOPE_RECORD_BUDGET");
  double budget = kDefaultMegabytes;
  if (megabytes && *megabytes) {
    char* end = nullptr;
    budget = std::strtod(megabytes, &end);
    if (*end != '\0' || !(budget >= 0 && budget <= 1e6)) {
      throw Error(ErrorKind::value,
                  fmt::format("TAPESCOPE_RECORD_BUDGET: '{}' is no number of megabytes from 0 to a million",
                              megabytes));
    }
  }
  if (!rule || !*rule) return {};
  try {
    return ValueOptions::of(ValueRule::parse(rule), budget);
  } catch (const Error& error) {
    throw Error(ErrorKind::value, fmt::format("TAPESCOPE_RECORD_VALUES: {}", error.what()));
  }
}

bool tap_process_recording(ProcessTap* tap) { return recording && recording->tap(tap); }

void finish_process_recording() {
  if (recording) recording->finish();
}

struct SetFacts {
  std::mutex mutex;
  ProgramFacts facts;
};
SetFacts& set_facts() {
  static SetFacts* instance = new SetFacts;
  return *instance;
}

void set_process_fact(const std::string& key, const std::string& value) {
  SetFacts& set = set_facts();
  std::lock_guard lock(set.mutex);
  set.facts[key] = value;
}

ProgramFacts process_facts() {
  ProgramFacts facts{{"name", program_invocation_short_name},
                     {"pid", std::to_string(getpid())},
                     {"started", std::to_string(std::time(nullptr))}};
  // Ticks count from the machine's start; the kernel names each start of each machine.
  if (std::string boot; std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot))
    facts["boot"] = boot;
  SetFacts& set = set_facts();
  std::lock_guard lock(set.mutex);
  for (const auto& [key, value] : set.facts) facts[key] = value;
  return facts;
}

}  // namespace tapescope::record

extern "C" void tapescope_begin_from_environment() {
  using namespace tapescope::record;
  if (tapescope_has_its_own_sessions || recording) return;
  const char* path = std::getenv("TAPESCOPE_RECORD");
  if (!path || !*path) return;
  try {
    recording = new ProcessRecording(recording_path(path), values_from_environment());
    std::atexit(finish_process_recording);
  } catch (const std::exception& error) {
    fmt::print(stderr, "tapescope: {}\n", error.what());
  }
}

namespace {
const bool begun = (tapescope_begin_from_environment(), true);
}
