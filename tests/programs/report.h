// What a program of the corpus prints for its proof, one line a source: "rate value", "bias none". Leaves no
// records.
#pragma once
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "engine/tapescope.h"

namespace tapescope {

inline const char* status_of(const Tensor& gradient) {
  if (!gradient) return "none";
  bool zero = true;
  for (double x : elements(gradient)) {
    if (!std::isfinite(x)) return "nonfinite";
    zero = zero && x == 0;
  }
  return zero ? "zero" : "value";
}

inline void report(std::string_view source, const Tensor& gradient) {
  const int length = static_cast<int>(source.size());
  std::printf("%.*s %s\n", length, source.data(), status_of(gradient));
  if (!gradient || !std::getenv("WITNESS_OPS")) return;  // the values, to compare two runs by
  std::printf("gradient %.*s", length, source.data());
  for (double x : elements(gradient)) std::printf(" %.5g", x);
  std::printf("\n");
}
// "traces train_step 3"
template <class F>
void report_traces(const F& function) {
  std::printf("traces %s %zu\n", function.name().c_str(), function.tracing_count());
}
// "cost recorded 12": what a repaired program has less of than the broken one, where that is not ops.
inline void report_cost(std::string_view what, double amount) {
  std::printf("cost %.*s %.0f\n", static_cast<int>(what.size()), what.data(), amount);
}
// "error RuntimeError", of an exception that the program catches.
inline void report_error(const Error& error) {
  const std::string_view kind = name_of(error.kind());
  std::printf("error %.*s\n", static_cast<int>(kind.size()), kind.data());
}

}  // namespace tapescope
