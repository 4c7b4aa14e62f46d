// What a run's answers amount to: something is wrong, nothing was found, or that cannot be said.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/recording/ending.h"

namespace tapescope {

struct RunReport;
struct AlertRow;

// How a run ended, and how far that is known.
struct RunEnding {
  std::optional<record::Ending> program;  // nothing where the program runs, or its recording ends before it
  std::string loss;                       // why the recording is not whole; empty where it is
  bool damaged = false;

  // Whether all that the program did so far was seen, and it did not end badly.
  bool well() const { return loss.empty() && (!program || program->well()); }
};
// "running", "finished", "exit", "exception", "terminate", "signal", "interrupted", "left", "cut_off",
// "damaged"
std::string_view name_of(const RunEnding& ending);
// For a person, without a full stop.
std::string sentence_of(const RunEnding& ending);
// The alert `truncated`; nothing for a run that ended well.
std::optional<AlertRow> alert_of(const RunEnding& ending);

// Kinds of alerts that a program which was not observed for all may hold unseen.
inline constexpr std::array<std::string_view, 6> kOfValues = {"none",      "zero",      "nonfinite",
                                                              "vanishing", "exploding", "dead"};

enum class Verdict : std::uint8_t {
  wrong,
  nothing_found,
  cannot_say,  // what was observed is fine, and it is not all
};
std::string_view name_of(Verdict verdict);
Verdict verdict_of(const RunReport& report);
// Why a run in which nothing was found is not certified, without a full stop; empty where it is.
std::string doubt_of(const RunReport& report);

inline constexpr std::string_view kTruncated = "truncated";

}  // namespace tapescope
