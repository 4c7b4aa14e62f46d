// The records of functions while a program runs.
#pragma once
#include <vector>

#include "engine/events/session.h"
#include "engine/explain/retrace.h"

namespace tapescope::test {

// The accounts of the functions that `program` makes and calls, from its records.
inline std::vector<FunctionAccount> accounts_of(const auto& program) {
  Session session;
  session.start();
  program();
  session.stop();
  FunctionLog log;
  session.drain([&](std::uint32_t thread, std::span<const Record> records) {
    for (const Record& record : records) log.add(thread, record);
  });
  return log.accounts();
}

}  // namespace tapescope::test
