// Explanations of a program that really ran, from a session's records.
#pragma once
#include <functional>
#include <vector>

#include "engine/explain/explain_none.h"

namespace tapescope {

// Of every None that `program` was answered, in the order of its questions; those without sources count too.
std::vector<Explanation> explained(const std::function<void()>& program);

}  // namespace tapescope
