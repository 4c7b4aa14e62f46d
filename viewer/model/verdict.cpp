// Endings in words, and the verdict.
#include "viewer/model/verdict.h"

#include <algorithm>

#include <fmt/format.h>

#include "viewer/model/report.h"

namespace tapescope {
namespace {

std::string remedy_of(const RunEnding& ending) {
  if (ending.damaged)
    return "make the recording again, or save what can be read by 'tapescope recover FILE -o OUT'";
  if (!ending.program)
    return "find out what killed the program (its exit status, the kernel's log where memory ran out), and "
           "record it to "
           "its end";
  switch (ending.program->how) {
    case ProgramEnd::exception: return "catch it, or mend what throws it, and record the program to its end";
    case ProgramEnd::signal:
    case ProgramEnd::terminate:
      return "find the place in a debugger or a core file, and record the program to its end";
    case ProgramEnd::interrupted: return "record the program to its end";
    default: return "look at what the program printed, and record it until it succeeds";
  }
}

}  // namespace

std::string_view name_of(const RunEnding& ending) {
  if (ending.damaged) return "damaged";
  if (!ending.program) return ending.loss.empty() ? "running" : "cut_off";
  switch (ending.program->how) {
    case ProgramEnd::exit: return ending.program->code == 0 ? "finished" : "exit";
    case ProgramEnd::quick_exit: return "finished";
    case ProgramEnd::exception: return "exception";
    case ProgramEnd::terminate: return "terminate";
    case ProgramEnd::signal: return "signal";
    case ProgramEnd::interrupted: return "interrupted";
    case ProgramEnd::left: return "left";
    case ProgramEnd::unknown: return "cut_off";
  }
  return "cut_off";
}

std::string sentence_of(const RunEnding& ending) {
  if (!ending.damaged && !ending.program && ending.loss.empty()) return "the program runs";
  if (ending.damaged || !ending.program) return ending.loss;
  return sentence_of(*ending.program);
}

std::optional<AlertRow> alert_of(const RunEnding& ending) {
  if (ending.well()) return std::nullopt;
  AlertRow alert;
  alert.kind = kTruncated;
  alert.subject = ending.program && !ending.damaged ? "program" : "recording";
  alert.message = sentence_of(ending) + "; what came after is not known, so that no alert is no proof";
  alert.fix = remedy_of(ending);
  return alert;
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::wrong: return "wrong";
    case Verdict::nothing_found: return "nothing_found";
    case Verdict::cannot_say: return "cannot_say";
  }
  return "cannot_say";
}

Verdict verdict_of(const RunReport& report) {
  const bool wrong =
      std::any_of(report.gradients.begin(), report.gradients.end(),
                  [](const GradientRow& row) { return row.status != GradientStatus::value; }) ||
      std::any_of(report.alerts.begin(), report.alerts.end(),
                  [](const AlertRow& alert) { return alert.kind != kTruncated; });
  if (wrong) return Verdict::wrong;
  return doubt_of(report).empty() ? Verdict::nothing_found : Verdict::cannot_say;
}

std::string doubt_of(const RunReport& report) {
  return report.ending.well() ? report.unseen : sentence_of(report.ending);
}

}  // namespace tapescope
