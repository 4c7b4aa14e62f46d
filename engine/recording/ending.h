// How a recorded program ended: what its last record and the last chunk of its recording say.
#pragma once
#include <string>
#include <string_view>

#include "engine/events/records/endings.h"

namespace tapescope::record {

struct Ending {
  ProgramEnd how = ProgramEnd::exit;
  int code = 0;            // exit code, or number of the signal
  std::string type, text;  // of an exception; the type of a signal is its name

  // Whether the program did all it was written to do, as far as it says itself.
  bool well() const { return (how == ProgramEnd::exit && code == 0) || how == ProgramEnd::quick_exit; }
  bool operator==(const Ending&) const = default;
};

// "SIGSEGV"; "signal 77" for one without a name.
std::string signal_name(int number);

// As the last chunk says it: "finished", "exited with 3", "ended by std::runtime_error: no such file",
// "ended by SIGSEGV", "interrupted".
std::string reason_of(const Ending& ending);
// Reads what reason_of() wrote; any other text is that of an exception.
Ending ending_of_reason(std::string_view reason);

// Interns the texts.
ProgramEndRecord record_of(const Ending& ending);
Ending ending_of(const ProgramEndRecord& record);

// For a person, without a full stop: "the program ended by SIGSEGV (Segmentation fault)".
std::string sentence_of(const Ending& ending);

}  // namespace tapescope::record
