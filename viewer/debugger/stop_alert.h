// The alert of a program that stands at an op which makes the first value that is not finite: its step, which
// is not over, has none of that yet.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "viewer/debugger/run_control.h"
#include "viewer/store/snapshot.h"

namespace tapescope {

// Of a NaN whose op read none, or where a breakpoint was met also of an infinity; nothing elsewhere.
std::optional<AlertRow> alert_at(const FrameView& stop, const Snapshot& run);

class StopAlert {
 public:
  // `run`, which may be null, with such an alert first, for as long as the step it is of is not over. Itself
  // where there is none, or where the run has an alert of that kind itself.
  std::shared_ptr<const Snapshot> put_into(std::shared_ptr<const Snapshot> run, const RunStatus& status);

 private:
  std::uint64_t generation_ = 0;
  std::weak_ptr<const FrameView> stop_;  // looked at last
  std::optional<AlertRow> alert_;
  std::shared_ptr<const Snapshot> of_, completed_;
  std::uint64_t made_ = 0;
};

}  // namespace tapescope
