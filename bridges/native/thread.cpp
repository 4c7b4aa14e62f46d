// The calling thread's port.
#include "bridges/native/thread.h"

#include <utility>

namespace tapescope::bridge {

constinit thread_local Thread* t_thread = nullptr;

namespace {

struct AtEnd {
  ~AtEnd() { delete std::exchange(t_thread, nullptr); }
};

}  // namespace

Thread& make_thread() {
  static thread_local const AtEnd end;
  t_thread = new Thread;
  return *t_thread;
}

Shared& shared() {
  static Shared* instance = new Shared;  // never destroyed: threads may outlive static objects
  return *instance;
}

}  // namespace tapescope::bridge
