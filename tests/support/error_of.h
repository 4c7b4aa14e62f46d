// What a call throws, for tests of mistakes.
#pragma once
#include <optional>
#include <string>

#include "engine/core/error.h"

namespace tapescope {

// The message of the Error that `call` throws; empty where it throws none.
template <class Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// The kind of it; nothing where it throws none.
template <class Call>
std::optional<ErrorKind> kind_of(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error.kind();
  }
  return std::nullopt;
}

}  // namespace tapescope
