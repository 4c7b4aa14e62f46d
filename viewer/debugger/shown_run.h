// What is known of the run that is shown, whether it ran here or is a recording.
#pragma once
#include "viewer/debugger/run_control.h"

namespace tapescope {

class ShownRun {
 public:
  virtual ~ShownRun() = default;
  virtual const RunRequest& request() const = 0;
  // Programs A and B; B only in a comparison. Valid at rest.
  virtual const ProgramResult& result(int program) const = 0;
  virtual const ComparisonResult& comparison() const = 0;
};

}  // namespace tapescope
