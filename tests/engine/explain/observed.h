// The history of a program that ran while a session listened.
#pragma once
#include "engine/events/session.h"
#include "engine/explain/history.h"

namespace tapescope {

template <class Program>
History observed(Program&& program, const SessionOptions& options = {}) {
  Session session(options);
  session.start();
  program();
  session.stop();
  History history;
  session.drain([&](std::uint32_t thread, std::span<const Record> records) { history.add(thread, records); });
  return history;
}

}  // namespace tapescope
