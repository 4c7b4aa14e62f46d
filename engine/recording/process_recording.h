// The recording of a process: a session, and a thread that writes what it hears into a file while the program
// goes on.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/events/session.h"
#include "engine/recording/process_tap.h"
#include "engine/recording/program_values.h"
#include "engine/recording/writer.h"

namespace tapescope::record {

class ProcessRecording {
 public:
  // Begins to listen and to write. Throws Error: a file that cannot be written (surroundings), another
  // session that is active. One that keeps values of steps lives as long as the process, and is the only one.
  explicit ProcessRecording(const std::string& path, const ValueOptions& values = {});
  // Finishes, unless finish() did.
  ~ProcessRecording() { finish(); }
  ProcessRecording(const ProcessRecording&) = delete;
  ProcessRecording& operator=(const ProcessRecording&) = delete;

  // Writes the rest and ends the thread; `how` says how the program ended. In a child that was forked it does
  // nothing: there is no such thread, and the file is the
  // and the file is the parent's.
  void finish(const std::string& how = "finished");
  // Gets what is written; null for none. False once it has ended.
  bool tap(ProcessTap* tap);

 private:
  void loop();
  void report();

  Session session_;
  RecordingWriter writer_;
  std::unique_ptr<ProgramValues> values_;  // null where the rule names no step
  pid_t owner_;
  std::mutex tap_mutex_;
  ProcessTap* tap_ = nullptr;
  std::atomic<bool> stopping_{false};
  bool reported_ = false;
  std::string how_;  // set before stopping_
  std::thread thread_;
};

}  // namespace tapescope::record
