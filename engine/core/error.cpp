// Error texts of one form: "[where] what happened (at file:line)".
#include "engine/core/error.h"

#include "engine/core/error_place.h"

namespace tapescope {

constinit ErrorPlace error_place = nullptr;

std::string_view name_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::value: return "ValueError";
    case ErrorKind::type: return "TypeError";
    case ErrorKind::runtime: return "RuntimeError";
    case ErrorKind::attribute: return "AttributeError";
    case ErrorKind::lookup: return "LookupError";
    case ErrorKind::invalid_argument: return "InvalidArgumentError";
    case ErrorKind::internal: return "InternalError";
    case ErrorKind::not_implemented: return "NotImplementedError";
    case ErrorKind::surroundings: return "SurroundingsError";
  }
  return "Error";
}

void fail(ErrorKind kind, std::string_view where, std::string_view message, const Location* location) {
  std::string text;
  text.append("[").append(where).append("] ").append(message);
  if (const Location* given = error_place ? error_place() : nullptr) location = given;
  const std::string place = location ? location_text(*location) : std::string();
  if (!place.empty()) text.append(" (at ").append(place).append(")");
  throw Error(kind, text);
}

}  // namespace tapescope
