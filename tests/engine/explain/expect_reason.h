// Explains hand-written records, and compares the words with the approved file.
#pragma once
#include <fmt/format.h>

#include "tests/engine/explain/record_program.h"
#include "tests/support/approval.h"

namespace tapescope {

inline std::string item_text(const PathItem& item) {
  return fmt::format("{} '{}' {}", item.op, item.name, item.location);
}

inline std::string text_of(const Explanation& e) {
  std::string text = fmt::format("reason: {}\nmessage: {}\nfix: {}\nlocation: {}\nedge: {}\n",
                                 name_of(e.reason), e.message, e.fix, e.location, item_text(e.edge));
  for (const PathItem& item : e.path) text += fmt::format("path: {}\n", item_text(item));
  return text;
}

inline void expect(const RecordProgram& program, Reason reason, TensorId target, TensorId source,
                   std::string_view file = "", TapeId tape = 1) {
  const Explanation e = explain_none(program.history(), tape, target, source);
  CHECK(name_of(e.reason) == name_of(reason));
  approve(fmt::format("engine/approved/explain/{}.txt", file.empty() ? name_of(reason) : file), text_of(e));
}

}  // namespace tapescope
