// The calling thread's port.
#include "bridges/native/thread.h"

namespace tapescope::bridge {

Thread& this_thread() {
  // One pointer of thread-local storage: the module is loaded after the interpreter has started, when there
  // is little of it.
  static thread_local const std::unique_ptr<Thread> thread = std::make_unique<Thread>();
  return *thread;
}

Shared& shared() {
  static Shared* instance = new Shared;  // never destroyed: threads may outlive static objects
  return *instance;
}

}  // namespace tapescope::bridge
