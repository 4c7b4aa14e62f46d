// Any bytes as a recording that is shown: tables, explanations and alerts come out of whatever records it
// holds, and read the same when it is read again.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "engine/core/error.h"
#include "tests/fuzz/memory_file.h"
#include "viewer/store/recording_source.h"

using namespace tapescope;

namespace {

struct Shown {
  std::uint64_t events = 0;
  std::size_t ops = 0, gradients = 0, alerts = 0;
  bool operator==(const Shown&) const = default;
};

Shown show(const MemoryFile& file, bool digests) {
  file.rewind();
  record::RecordingReader reader(dup(file.descriptor()), "fuzz", {.digests = digests});
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
  const MemoryFile file({data, size});
  try {
    const Shown shown = show(file, size % 2 == 1);
    // Of one input in four: it takes as long as the first time.
    if (size % 4 == 0 && show(file, false) != shown) std::abort();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::surroundings) std::abort();
  }
  return 0;
}
