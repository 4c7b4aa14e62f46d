// What explanations say to programs in Python, whose tapes are TensorFlow's: the same remedies in its words.
#pragma once
#include <string>
#include <string_view>

#include "engine/explain/breaks.h"

namespace tapescope {

// Whether a place, "train.py:12", is in a program in Python.
bool is_python(std::string_view location);

// The remedy in TensorFlow's words; empty where the common one says it already.
std::string python_fix(const Asked& asked, const Break& cut, const Explanation& explanation);
// A sentence with what C++ and TensorFlow call differently in TensorFlow's words.
std::string python_message(std::string message);

}  // namespace tapescope
