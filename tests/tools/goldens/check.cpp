// Distinguishes the kinds of cases.
#include "tests/tools/goldens/check.h"

namespace tapescope::goldens {

Known check_case(const Json& test, Driver& driver, Comparison& comparison) {
  const std::string op = test.at("op").get<std::string>();
  if (op == "optimizer") {
    check_optimizer(test, driver, comparison);
    return Known::yes;
  }
  if (op == "clip_by_global_norm") {
    check_clip_by_global_norm(test, driver, comparison);
    return Known::yes;
  }
  if (check_jacobian(test, driver, comparison) == Known::yes) return Known::yes;
  return test.contains("weights") ? check_layer(test, driver, comparison)
                                  : check_function(test, driver, comparison);
}

}  // namespace tapescope::goldens
