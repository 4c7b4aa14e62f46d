// The one exception type: what happened, expected, got, hint, with the kind TensorFlow would raise.
#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

#include "engine/core/names.h"
#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

enum class ErrorKind {
  value,             // ValueError
  type,              // TypeError
  runtime,           // RuntimeError
  attribute,         // AttributeError
  lookup,            // LookupError: no gradient registered
  invalid_argument,  // InvalidArgumentError: shapes or dtypes that a kernel refuses
  internal,          // InternalError: a tape whose backward pass raised
  not_implemented,   // NotImplementedError
  surroundings,      // a file or device that is missing, damaged or not writable
};

// TensorFlow's name of the kind, "ValueError".
std::string_view name_of(ErrorKind kind);

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

// Throws "[where] message (at file:line)"; the place is left out when it is unknown.
[[noreturn]] void fail(ErrorKind kind, std::string_view where, std::string_view message,
                       const Location* location = nullptr);

}  // namespace tapescope
