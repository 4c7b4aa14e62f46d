// Recording and listening of the C interface.
#include <pthread.h>

#include <memory>
#include <mutex>
#include <string>

#include "bridges/native/tapescope_c.h"
#include "engine/core/error.h"
#include "engine/live/listen.h"
#include "engine/recording/ending.h"
#include "engine/recording/environment.h"
#include "engine/recording/process_facts.h"
#include "engine/recording/process_recording.h"

using namespace tapescope;

namespace {

struct Process {
  std::mutex mutex;
  std::unique_ptr<record::ProcessRecording> recording;
};
Process& process() {
  static Process* instance = new Process;  // never destroyed: its thread writes until tapescope_finish
  return *instance;
}

// A child that is forked leaves the recording to its parent; it may begin one itself. The lock is held over
// the fork, so that the child finds it free.
void prepare_for_forks() {
  static const int prepared = pthread_atfork([] { process().mutex.lock(); }, [] { process().mutex.unlock(); },
                                             [] {
                                               Process& child = process();
                                               if (child.recording)
                                                 child.recording.release()->leave_to_parent();
                                               child.mutex.unlock();
                                             });
  static_cast<void>(prepared);
}

// Runs `action`; the sentence of what it threw, or null.
template <class Action>
const char* sentence_of(Action&& action) {
  static thread_local std::string* sentence = nullptr;
  try {
    action();
    return nullptr;
  } catch (const std::exception& error) {
    if (!sentence) sentence = new std::string;
    *sentence = error.what();
    return sentence->c_str();
  }
}

}  // namespace

void tapescope_fact(const char* key, const char* value) { record::set_process_fact(key, value); }

const char* tapescope_record(const char* path) {
  return sentence_of([&] {
    std::lock_guard lock(process().mutex);
    if (process().recording)
      throw Error(ErrorKind::runtime, "this process is being recorded already; finish that recording first");
    process().recording = std::make_unique<record::ProcessRecording>(record::recording_path(path),
                                                                     record::values_from_environment());
    prepare_for_forks();
  });
}

void tapescope_finish(const char* how) {
  std::lock_guard lock(process().mutex);
  if (!process().recording) return;
  process().recording->finish(record::ending_of_reason(how));
  process().recording.reset();
}

const char* tapescope_listen(int wait) {
  return sentence_of([&] {
    if (wait) live::listen_and_stand();
    else live::listen();
  });
}

int tapescope_attached(void) { return live::attached(); }

// The application of a bridge begins its recordings itself.
extern "C" void tapescope_has_its_own_sessions() {}
