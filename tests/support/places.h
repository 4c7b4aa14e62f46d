// Where the tests and the program of this build are: one file knows, and the others compile alike anywhere.
#pragma once
#include <string>

namespace tapescope {

// Folder tests/ of the checkout, without a slash at its end.
std::string tests_folder();
// The program `tapescope` of this build.
std::string tapescope_binary();

}  // namespace tapescope
