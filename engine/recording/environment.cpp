// Begins a recording before main, and ends it after main.
#include "engine/recording/environment.h"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "engine/core/error.h"
#include "engine/recording/job.h"
#include "engine/recording/process_recording.h"

namespace tapescope::record {
namespace {

ProcessRecording* recording = nullptr;  // never destroyed: threads of the program may outlive main
std::atomic<int> exit_code_of_process{0};

// By exit() and by the end of main, in the reverse order of registration: the program's own handlers and most
// of its static objects come before.
void finish_at_exit(int exit_code, void*) {
  note_exit_code(exit_code);
  finish_process_recording();
}

}  // namespace

std::string recording_path(std::string path, pid_t process) {
  ProgramFacts job;
  for (std::size_t at = path.find('%'); at != std::string::npos && at + 1 < path.size();
       at = path.find('%', at)) {
    std::string text;
    if (job.empty()) job = job_facts();
    switch (path[at + 1]) {
      case 'p': text = std::to_string(process == 0 ? getpid() : process); break;
      case 'h': text = job["host"]; break;
      case 'r': text = job.contains("rank") ? job["rank"] : "0"; break;
      default: ++at; continue;
    }
    path.replace(at, 2, text);
    at += text.size();
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
  if (!recording) return;
  recording->finish({.how = ProgramEnd::exit, .code = exit_code_of_process});
  recording->guard_end();
}

void note_exit_code(int code) { exit_code_of_process = code & 0xff; }  // what the parent gets of it

}  // namespace tapescope::record

extern "C" void tapescope_begin_from_environment() {
  using namespace tapescope::record;
  if (tapescope_has_its_own_sessions || recording) return;
  const char* path = std::getenv("TAPESCOPE_RECORD");
  if (!path || !*path) return;
  try {
    recording = new ProcessRecording(recording_path(path), values_from_environment());
    on_exit(finish_at_exit, nullptr);
    std::at_quick_exit([] {
      if (recording) recording->finish({.how = tapescope::ProgramEnd::quick_exit});
    });
    pthread_atfork(nullptr, nullptr, [] {
      if (recording) recording->leave_to_parent();
      recording = nullptr;
    });
  } catch (const std::exception& error) {
    fmt::print(stderr, "tapescope: {}\n", error.what());
  }
}

namespace {
const bool begun = (tapescope_begin_from_environment(), true);
}
