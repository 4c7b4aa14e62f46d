// What goes wrong without ending the program is one sentence on standard error.
#pragma once
#include <string>

namespace tapescope {

// Prints "tapescope: MESSAGE" on standard error.
void complain(const std::string& message);

}  // namespace tapescope
