// Checks of one case in one driver. Each leaves what differs in the comparison, and throws what the engine
// throws.
#pragma once
#include "tests/tools/goldens/driver.h"

namespace tapescope::goldens {

// What is known of the op of a case.
enum class Known : bool { no, yes };

// Any case: finds out what kind it is.
Known check_case(const Json& test, Driver& driver, Comparison& comparison);

// A single op, a loss or a small program: outputs, gradients, second order.
Known check_function(const Json& test, Driver& driver, Comparison& comparison);
// A layer with given weights: outputs, gradients of inputs and weights, weights afterwards.
Known check_layer(const Json& test, Driver& driver, Comparison& comparison);
// The functions of jacobians.json.
Known check_jacobian(const Json& test, Driver& driver, Comparison& comparison);
// Six updates of two variables.
void check_optimizer(const Json& test, Driver& driver, Comparison& comparison);
void check_clip_by_global_norm(const Json& test, Driver& driver, Comparison& comparison);

}  // namespace tapescope::goldens
