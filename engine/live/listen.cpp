// The one server of a process, and its end.
#include "engine/live/listen.h"

#include <fmt/format.h>
#include <pthread.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "engine/core/error.h"
#include "engine/events/session.h"
#include "engine/live/server.h"
#include "engine/recording/environment.h"

namespace tapescope::live {
namespace {

struct Process {
  std::mutex mutex;
  Server* server = nullptr;  // never destroyed: threads of the program may outlive main
  bool prepared = false;
};
Process& process() {
  static Process* instance = new Process;
  return *instance;
}

void finish(int exit_code, void*) {
  record::note_exit_code(exit_code);
  Process& p = process();
  std::lock_guard lock(p.mutex);
  if (p.server) p.server->finish();
}

// The lock is held.
void serve(Process& p, bool will_stand) {
  p.server = new Server(socket_folder(true), kSilence, will_stand);
  if (std::exchange(p.prepared, true)) return;
  on_exit(finish, nullptr);
  Session::prepare_for_forks();
  // The lock is held over the fork, so that the child finds it free.
  pthread_atfork([] { process().mutex.lock(); }, [] { process().mutex.unlock(); },
                 [] {
                   Process& child = process();
                   if (child.server) child.server->leave_to_parent();
                   child.server = nullptr;
                   child.mutex.unlock();
                 });
}

}  // namespace

void listen() {
  Process& p = process();
  std::lock_guard lock(p.mutex);
  if (!p.server) serve(p, false);
}

bool listen_and_stand() {
  Process& p = process();
  Server* server = nullptr;
  std::uint64_t left = 0;
  {
    std::lock_guard lock(p.mutex);
    if (p.server) left = p.server->expect_stand();
    else serve(p, true);
    server = p.server;
  }
  return server->stand(left);
}

bool listening() { return !listening_at().empty(); }

bool attached() {
  Process& p = process();
  std::lock_guard lock(p.mutex);
  return p.server && p.server->attached();
}

std::string listening_at() {
  Process& p = process();
  std::lock_guard lock(p.mutex);
  return p.server ? p.server->path() : std::string();
}

}  // namespace tapescope::live

extern "C" void tapescope_listen_from_environment() {
  using namespace tapescope;
  if (tapescope_has_its_own_sessions || live::listening()) return;
  const char* wanted = std::getenv("TAPESCOPE_LISTEN");
  if (!wanted || !*wanted || std::string_view(wanted) == "0") return;
  tapescope_begin_from_environment();  // a viewer that comes first would have the session
  try {
    if (std::string_view(wanted) == "wait") live::listen_and_stand();
    else live::listen();
  } catch (const std::exception& error) {
    fmt::print(stderr, "tapescope: {}\n", error.what());
  }
}

namespace {
const bool begun = (tapescope_listen_from_environment(), true);
}
