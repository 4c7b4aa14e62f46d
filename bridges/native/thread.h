// What the bridge knows of the calling thread, and what all threads share.
#pragma once
#include <unistd.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bridges/native/follow.h"
#include "bridges/native/foreign_ids.h"
#include "engine/events/lasting.h"
#include "engine/events/records/tensors.h"
#include "engine/events/threads.h"

namespace tapescope::bridge {

struct Thread : ThreadPort {
  ThreadTapes tapes;
  std::uint64_t step = 0;
  bool trains = false;                 // it has begun a training step
  bool recorded = false;               // its last op, by a tape
  std::vector<FollowedInput> offered;  // the inputs of an op, to its tapes
  const bool is_main = gettid() == getpid();

  bool listens() const { return (listen.load(std::memory_order_relaxed) & kListenEvents) != 0; }
  // Writes a record, with its `order` where the kind has one and it is 0.
  template <RecordStruct R>
  void note(R record) {
    if (!listens()) return;
    if constexpr (requires { record.order; }) {
      if (record.order == 0) record.order = peek_tensor_id();
    }
    writer.write(record);
  }
};

// Made on the thread's first call, and lives as long as the thread. One pointer of thread-local storage: the
// module is loaded after the interpreter has started, when there is little of it.
extern constinit thread_local Thread* t_thread;
Thread& make_thread();
inline Thread& this_thread() { return t_thread ? *t_thread : make_thread(); }

// A variable's handle, and what is known before the variable itself.
struct Handle {
  SiteId site = 0;
  std::vector<AssignRecord> waiting;        // what was assigned to it before that
  std::unique_ptr<LastingRecord> variable;  // once it was recorded
};

// Tables of the process. The framework's interpreter mostly serializes the calls already.
struct Shared {
  std::mutex mutex;
  ForeignIds ids;
  std::unordered_map<TapeId, std::shared_ptr<FollowedTape>> tapes;
  std::vector<FollowedTape::Followed> spare;  // of tapes that are gone: the next ones use their memory again
  std::vector<std::uint32_t> never;           // inputs that get no gradient, by op
  std::atomic<bool> has_rules = false;  // `never` has entries; an op without identities needs no lock else
  std::unordered_map<TensorId, Handle> handles;
  std::vector<std::unique_ptr<LastingRecord>> lasting;  // functions, their traces
};
Shared& shared();

}  // namespace tapescope::bridge
