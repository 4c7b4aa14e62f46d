// The recording of a process: a session, and a thread that writes what it hears into a file while the program
// goes on.
#pragma once
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "engine/events/session.h"
#include "engine/recording/ending.h"
#include "engine/recording/fatal.h"
#include "engine/recording/process_tap.h"
#include "engine/recording/program_values.h"
#include "engine/recording/writer.h"

namespace tapescope::record {

class ProcessRecording final : public FatalListener {
 public:
  // Begins to listen and to write. Throws Error: a file that cannot be written (surroundings), another
  // session that is active. One that keeps values of steps lives as long as the process, and is the only one.
  explicit ProcessRecording(const std::string& path, const ValueOptions& values = {});
  // Finishes, unless finish() did.
  ~ProcessRecording();
  ProcessRecording(const ProcessRecording&) = delete;
  ProcessRecording& operator=(const ProcessRecording&) = delete;

  // Writes the rest and ends the thread. In a child that was forked it does nothing: there is no such thread,
  // and the file is the parent's.
  void finish(const Ending& ending = {});
  // After finish(): what the process does not survive takes the end of the recording away, so that it reads
  // as one that was cut off. What runs after the end, as destructors of static objects, is the program's,
  // too.
  void guard_end();
  // Writes what is there, and how the program dies. Waits until that is done: two seconds at most, as the
  // thread that dies may hold a lock that the writing takes.
  void note(const FatalNote& note) noexcept override;
  // In a child that was forked: closes what is the parent's. Never destroy it there.
  void leave_to_parent();
  // Gets what is written; null for none. False once it has ended.
  bool tap(ProcessTap* tap);

 private:
  void loop();
  void write(bool last, bool dying);
  // Where something throws, such as an allocation: the program goes on without its recording.
  void give_up();
  void pass_over();
  // What a framework sets when it is imported, after the recording began.
  void write_new_facts();
  void write_ending(const Ending& ending);
  void write_note();
  void report();

  Session session_;
  ProgramFacts facts_;  // set by the program, and written
  RecordingWriter writer_;
  std::unique_ptr<ProgramValues> values_;  // null where the rule names no step
  pid_t owner_;
  std::mutex tap_mutex_;
  ProcessTap* tap_ = nullptr;
  std::atomic<bool> stopping_{false};
  bool reported_ = false, given_up_ = false;
  std::chrono::steady_clock::time_point flushed_, saved_;
  Ending ending_;             // set before stopping_
  std::uint64_t end_at_ = 0;  // bytes before the ending; 0 until it is written
  bool guarded_ = false;
  // A note is made by one thread at a time: taken, then asked for, then written.
  std::atomic<bool> note_taken_{false}, note_asked_{false}, note_written_{false};
  FatalNote note_;
  std::atomic<pid_t> writing_thread_{0};
  std::thread thread_;
};

}  // namespace tapescope::record
