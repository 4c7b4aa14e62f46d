// All that a store knows of a program, as texts that can be compared.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "viewer/store/snapshot.h"

namespace tapescope::test {

// The parts of the snapshot, each with its name: a line a row.
std::vector<std::pair<std::string, std::string>> texts_of(const Snapshot& snapshot);

// Each decimal number with more than five digits is rounded to five: sums differ in the last ones from one
// compiler to another.
std::string rounded(const std::string& text);

// "34 lines, 8f3c5d0112345678", in place of a text that is too long to be read.
std::string digest_of(const std::string& text);

}  // namespace tapescope::test
