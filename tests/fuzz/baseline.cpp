// Fuzz target: any bytes as the JSON of an earlier run: a baseline comes out or nothing.
#include <cstdint>
#include <string>

#include "viewer/export/baseline.h"

using namespace tapescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (const auto then = read_baseline(std::string(reinterpret_cast<const char*>(data), size)))
    regressions(RunReport{}, *then);
  return 0;
}
