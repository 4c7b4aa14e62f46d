// Endings as records, reasons and sentences.
#include "engine/recording/ending.h"

#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <cstring>

#include "engine/events/clock.h"

namespace tapescope::record {
namespace {

constexpr std::string_view kFinished = "finished", kUnknown = "cut off", kInterrupted = "interrupted",
                           kExited = "exited with ", kEndedBy = "ended by ", kLeftWith = "left with ",
                           kTerminate = "std::terminate", kQuickExit = "std::quick_exit";

// The number of a signal of that name; 0 for none.
int signal_of(std::string_view name) {
  for (int number = 1; number < NSIG; ++number) {
    if (name == signal_name(number)) return number;
  }
  return 0;
}

}  // namespace

std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return name ? fmt::format("SIG{}", name) : fmt::format("signal {}", number);
}

std::string reason_of(const Ending& ending) {
  switch (ending.how) {
    case ProgramEnd::unknown: return std::string(kUnknown);
    case ProgramEnd::exit:
      return ending.code == 0 ? std::string(kFinished) : fmt::format("{}{}", kExited, ending.code);
    case ProgramEnd::exception:
      if (ending.type.empty()) return ending.text;
      return fmt::format("{}{}{}{}", kEndedBy, ending.type, ending.text.empty() ? "" : ": ", ending.text);
    case ProgramEnd::terminate: return fmt::format("{}{}", kEndedBy, kTerminate);
    case ProgramEnd::signal: return fmt::format("{}{}", kEndedBy, signal_name(ending.code));
    case ProgramEnd::interrupted: return std::string(kInterrupted);
    case ProgramEnd::quick_exit: return fmt::format("{}{}", kEndedBy, kQuickExit);
    case ProgramEnd::left: return fmt::format("{}{}", kLeftWith, ending.code);
  }
  return {};
}

Ending ending_of_reason(std::string_view reason) {
  if (reason == kFinished) return {};
  if (reason == kUnknown) return {.how = ProgramEnd::unknown};
  if (reason == kInterrupted) return {.how = ProgramEnd::interrupted};
  if (reason.starts_with(kExited)) {
    const std::string_view number = reason.substr(kExited.size());
    int code = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), code).ec == std::errc())
      return {.how = ProgramEnd::exit, .code = code};
    // Python's sys.exit() takes a sentence as well: exit code 1.
    return {.how = ProgramEnd::exit, .code = 1, .text = std::string(number)};
  }
  if (reason.starts_with(kLeftWith)) {
    const std::string_view number = reason.substr(kLeftWith.size());
    int code = 0;
    std::from_chars(number.data(), number.data() + number.size(), code);
    return {.how = ProgramEnd::left, .code = code};
  }
  if (!reason.starts_with(kEndedBy)) return {.how = ProgramEnd::exception, .text = std::string(reason)};
  const std::string_view by = reason.substr(kEndedBy.size());
  if (by == kTerminate) return {.how = ProgramEnd::terminate};
  if (by == kQuickExit) return {.how = ProgramEnd::quick_exit};
  if (const int number = signal_of(by))
    return {.how = ProgramEnd::signal, .code = number, .type = std::string(by)};
  const std::size_t colon = by.find(": ");
  if (colon == std::string_view::npos) return {.how = ProgramEnd::exception, .type = std::string(by)};
  return {.how = ProgramEnd::exception,
          .type = std::string(by.substr(0, colon)),
          .text = std::string(by.substr(colon + 2))};
}

ProgramEndRecord record_of(const Ending& ending) {
  return {.how = ending.how,
          .type = intern_name(ending.type),
          .code = static_cast<std::uint32_t>(ending.code),
          .text = intern_name(ending.text),
          .ticks = ticks()};
}

Ending ending_of(const ProgramEndRecord& record) {
  const int code = static_cast<int>(record.code);
  const bool unnamed = record.how == ProgramEnd::signal && record.type == 0;
  return {.how = record.how,
          .code = code,
          .type = unnamed ? signal_name(code) : std::string(name_text(record.type)),
          .text = std::string(name_text(record.text))};
}

std::string sentence_of(const Ending& ending) {
  switch (ending.how) {
    case ProgramEnd::unknown: return "how the program ended is not known: its recording was cut off";
    case ProgramEnd::exit:
      if (ending.code == 0) return "the program ran to its end";
      return fmt::format("the program ended with exit code {}{}{}", ending.code,
                         ending.text.empty() ? "" : ": ", ending.text);
    case ProgramEnd::exception:
      if (ending.type.empty()) return fmt::format("the program ended by an error: {}", ending.text);
      return fmt::format("the program ended by an exception, {}{}{}", ending.type,
                         ending.text.empty() ? "" : ": ", ending.text);
    case ProgramEnd::terminate: return "the program called std::terminate without an exception";
    case ProgramEnd::signal: {
      const char* words = sigdescr_np(ending.code);
      return fmt::format("the program ended by {}{}", signal_name(ending.code),
                         words ? fmt::format(" ({})", words) : std::string());
    }
    case ProgramEnd::interrupted: return "the program was interrupted by its user";
    case ProgramEnd::quick_exit: return "the program called std::quick_exit";
    case ProgramEnd::left:
      return fmt::format("the program left with exit code {} by _exit, or became another program",
                         ending.code);
  }
  return "the program ended in a way that only a newer Tapescope knows";
}

}  // namespace tapescope::record
