// What a framework's hooks found out themselves, as records.
#include <algorithm>

#include "bridges/native/graph_waits.h"
#include "bridges/native/tapescope_c.h"
#include "bridges/native/thread.h"
#include "engine/core/names.h"
#include "engine/events/clock.h"
#include "engine/events/records/findings.h"
#include "engine/events/records/replicas.h"
#include "engine/events/replica_hash.h"

using namespace tapescope;
using bridge::this_thread;

void tapescope_finding(const tapescope_found* found) {
  this_thread().note(FindingRecord{.about = static_cast<FindingKind>(found->about),
                                   .op = found->op,
                                   .subject = found->subject,
                                   .reason = found->reason,
                                   .site = found->site,
                                   .message = found->message,
                                   .fix = found->fix,
                                   .detail = found->detail,
                                   .target = found->target});
}

void tapescope_finding_figures(double norm, uint64_t elements, uint64_t count) {
  this_thread().note(FindingFiguresRecord{.norm = norm, .elements = elements, .count = count});
}

void tapescope_finding_step(uint16_t op, uint32_t name, uint32_t site) {
  this_thread().note(FindingStepRecord{.op = op, .name = name, .site = site});
}

void tapescope_replica(uint32_t index, uint32_t name, tapescope_tensor source, int value, uint64_t hash) {
  this_thread().note(ReplicaRecord{.value = static_cast<std::uint8_t>(value != 0),
                                   .index = static_cast<std::uint16_t>(std::min(index, 0xffffu)),
                                   .name = name,
                                   .source = source,
                                   .hash = hash});
}

int tapescope_graph_wait(const void* trace, size_t bytes, uint32_t site) {
  GraphWaitRecord record{.site = site, .ticks = ticks()};
  const auto wait = trace == nullptr
                        ? std::nullopt
                        : bridge::wait_in_trace({static_cast<const std::uint8_t*>(trace), bytes});
  if (wait) {
    record.measured = 1;
    record.op = intern_op_name(wait->exchange);
    record.waited = static_cast<std::uint64_t>(static_cast<double>(wait->ns) / nanoseconds_per_tick());
  }
  this_thread().note(record);
  return wait.has_value();
}

uint64_t tapescope_hash(const void* data, size_t bytes) { return replica_hash(data, bytes); }
