// What lies in a framework's buffer: a fingerprint, what is wrong with it, its statistics.
#pragma once
#include <cstdint>

#include "bridges/native/tapescope_c.h"
#include "engine/events/records/values.h"
#include "engine/events/stats.h"

namespace tapescope::bridge {

// Of the number of elements and of all of them, of many a sample, through float: a number is known again in
// another element type. 0 for elements it cannot read.
std::uint16_t values_mark(const tapescope_values& values);
// Bits TAPESCOPE_ALL_ZERO, TAPESCOPE_HAS_NAN, TAPESCOPE_HAS_INFINITY.
int look(const tapescope_values& values);
// False where there is none that can be read.
bool first_value(const tapescope_values& values, double& value);
TensorStats stats_of(const tapescope_values& values);
// All but the tensor's id. False for elements that cannot be read.
bool describe(const tapescope_values& values, TensorValuesRecord& record);

}  // namespace tapescope::bridge
