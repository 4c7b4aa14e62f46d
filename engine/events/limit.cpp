// One word holds both the session and the count, so that no lock is needed.
#include "engine/events/limit.h"

namespace tapescope {
namespace {

constexpr int kCountBits = 32;
constinit std::atomic<std::uint64_t> g_sessions{0};

}  // namespace

bool Limit::allows() {
  const std::uint64_t session = g_sessions.load(std::memory_order_relaxed) << kCountBits;
  std::uint64_t known = known_.load(std::memory_order_relaxed), next = 0;
  do {
    const std::uint64_t counted = known >> kCountBits == session >> kCountBits ? known - session : 0;
    if (counted >= most_) return false;
    next = session + counted + 1;
  } while (!known_.compare_exchange_weak(known, next, std::memory_order_relaxed));
  return true;
}

void restart_limits() { g_sessions.fetch_add(1, std::memory_order_relaxed); }

}  // namespace tapescope
