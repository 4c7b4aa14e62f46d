// What a process does not survive is handed to its recording first, then to what handled it before:
// std::terminate, and the signals that end a process.
#pragma once
#include "engine/events/records/endings.h"

namespace tapescope::record {

// Notes made where nothing may be allocated.
struct FatalNote {
  ProgramEnd how = ProgramEnd::signal;
  int code = 0;  // number of the signal
  // Of the exception; cut where it is longer. A template's type can have thousands of letters.
  char type[256] = "";
  char text[2048] = "";
  bool dies = true;  // false: a handler of the program follows, which may let it live
};

class FatalListener {
 public:
  // In the handler: async-signal-safe. Returns when the note is kept, or cannot be.
  virtual void note(const FatalNote& note) noexcept = 0;

 protected:
  ~FatalListener() = default;
};

// From now on `listener` gets the process's notes; null: none does. Handlers are installed at the first call
// and stay: signals that the program ignores or handles itself are left to it, but for faults (SIGSEGV,
// SIGABRT ...), whose former handlers follow ours.
void listen_to_fatal(FatalListener* listener);

}  // namespace tapescope::record
