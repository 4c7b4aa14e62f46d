// What a recording and a viewer say of this process beside its events.
#pragma once
#include <string>
#include <string_view>

#include "engine/recording/contents.h"

namespace tapescope::record {

// The facts every program has: its name, process and start; and those that were set.
ProgramFacts process_facts();
// A fact of this program for recordings and viewers from now on. Any thread.
void set_process_fact(const std::string& key, const std::string& value);
// Those that were set until now.
ProgramFacts facts_that_were_set();
// "TensorFlow 2.21", "PyTorch 2.13"; empty for a program of none, or where that is not known yet.
std::string framework_text(const ProgramFacts& facts);
// Before a file's name: the fact that says where that file of the program is.
inline constexpr std::string_view kSourceFact = "source ";
// Before a file's name: the fact that holds source_mark() of that file.
inline constexpr std::string_view kSourceMarkFact = "source_mark ";
// Identifies a file as it is now, without opening it: inode, bytes and the time of its last change in
// nanoseconds. A recording of another machine cannot have it. Empty where no regular file is there.
std::string source_mark(const std::string& path);

}  // namespace tapescope::record
