// The most this machine was ever seen to do, in a file: one measurement beside a busy program is too low.
#pragma once
#include <string>
#include <string_view>

#include "viewer/model/machine_roof.h"

namespace tapescope::ui {

// Beside the settings; empty where those have no place.
std::string roof_path();
// Processor and host: a home folder may be shared.
std::string machine_name();

// The better of each figure that is kept for `machine` and measured now, which the file holds from then on.
// What the file says of other machines stays; a file that cannot be read counts as none, one that cannot be
// written is left as it is.
MachineRoof keep_roof(const std::string& path, const std::string& machine, const MachineRoof& measured);

}  // namespace tapescope::ui
