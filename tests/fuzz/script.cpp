// Fuzz target: any bytes as a script: lines in order, and what each would wait for.
#include <cmath>
#include <cstdlib>
#include <string>

#include "viewer/window/script.h"

using namespace tapescope::ui;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  int last = 0;
  for (const ScriptLine& line : parse_script({reinterpret_cast<const char*>(data), size})) {
    if (line.number <= last || line.text.empty() || line.text.front() == '#') std::abort();
    last = line.number;
    std::string wrong;
    std::string_view text = line.text;
    if (text.starts_with("wait ")) text.remove_prefix(5);
    const auto wait = parse_wait(text, wrong);
    if (wait.has_value() != wrong.empty() || (wait && !(wait->limit >= 0))) std::abort();
  }
  return 0;
}
