// Any bytes as a recording that is shown: tables, explanations and alerts come out of whatever records it
// holds, and read the same when it is read again.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "engine/core/error.h"
#include "viewer/store/recording_source.h"

using namespace tapescope;

namespace {

struct Shown {
  std::uint64_t events = 0;
  std::size_t ops = 0, gradients = 0, alerts = 0;
  bool operator==(const Shown&) const = default;
};

Shown show(int file) {
  lseek(file, 0, SEEK_SET);
  record::RecordingReader reader(dup(file), "fuzz", {});
  Store first(0), second(1);
  Store* stores[] = {&first, &second};
  Router router(stores);
  read_into(reader, router, stores);
  Shown shown;
  for (Store* store : stores) {
    store->publish();
    const auto snapshot = store->snapshot();
    if (const auto view = snapshot->shown()) shown.ops += view->ops.size();
    shown.events += snapshot->events;
    shown.gradients += snapshot->gradients.size();
    shown.alerts += snapshot->alerts.size();
  }
  return shown;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const int file = memfd_create("recording", MFD_CLOEXEC);
  if (file < 0 || write(file, data, size) != static_cast<ssize_t>(size)) std::abort();
  try {
    const Shown shown = show(file);
    if (show(file) != shown) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::surroundings) std::abort();
  }
  close(file);
  return 0;
}
