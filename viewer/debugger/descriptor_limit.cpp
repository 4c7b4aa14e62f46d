// By the soft limit, which a process may move below its hard one.
#include "viewer/debugger/descriptor_limit.h"

#include <algorithm>
#include <optional>

namespace tapescope {
namespace {

constexpr rlim_t kWanted = 65536;
std::optional<rlimit> former;

}  // namespace

void raise_descriptor_limit() {
  rlimit limit{};
  if (former || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  former = limit;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kWanted));
  setrlimit(RLIMIT_NOFILE, &limit);
}

FormerDescriptorLimit::FormerDescriptorLimit() {
  if (former && getrlimit(RLIMIT_NOFILE, &raised_) == 0) setrlimit(RLIMIT_NOFILE, &*former);
}

FormerDescriptorLimit::~FormerDescriptorLimit() {
  if (raised_.rlim_cur != 0) setrlimit(RLIMIT_NOFILE, &raised_);
}

}  // namespace tapescope
