// Fuzz target: any bytes as a program's files, C++ and Python: functions, calls and expressions, or none. A
// form feed ends a file.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <string_view>

#include "viewer/store/call_lines.h"
#include "viewer/store/expressions.h"

using namespace tapescope;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_short(const std::string& text) { return text.size() <= 40 && text.find('\n') == std::string::npos; }

SourceFiles files_of(std::string_view text, std::string_view ending) {
  SourceFiles files;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\f', at), text.size());
    SourceFile file;
    file.path = std::to_string(files.size()).append(ending);
    for (std::size_t line = at; line <= end;) {
      const std::size_t stop = std::min(text.find('\n', line), end);
      file.lines.emplace_back(text.substr(line, stop - line));
      line = stop + 1;
    }
    files.emplace(file.path, std::move(file));
    at = end + 1;
  }
  return files;
}

void read(const SourceFiles& files, const std::string& name, const SourceFile& file) {
  const auto last = static_cast<std::uint32_t>(file.lines.size());
  // Sixteen lines or so, other ones in a text of another length.
  const std::uint32_t stride = 1 + last / 16;
  for (std::uint32_t line = last % stride; line <= last + 1; line += stride) {
    const FunctionText function = function_around(file, line);
    require(function.line <= line && std::ranges::all_of(function.name, of_word));
    const std::vector<std::uint32_t> calls = lines_that_call(file, function);
    require(std::ranges::is_sorted(calls) && std::ranges::count(calls, function.line) == 0);
    require(calls.empty() || (calls.front() > 0 && calls.back() <= last));
    for (const bool again : {false, true}) {
      const SourcePlace call =
          calling_line(files, {name, line}, {.again = again, .file = name, .first = 1, .last = line});
      // Behind the wanted lines, too: there are calls from them that lead to it.
      const auto found = files.find(call.file);
      require(call.line == 0 || (found != files.end() && call.line <= found->second.lines.size()));
    }
    for (const std::size_t sources : {0u, 1u, 3u}) {
      const AskedExpressions asked = asked_expressions(file, line, sources);
      require(asked.sources.empty() || asked.sources.size() == sources);
      require(is_short(asked.target) && std::ranges::all_of(asked.sources, is_short));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // Each line is looked up in all of them.
  constexpr std::size_t kLongest = 4096;
  const std::string_view text(reinterpret_cast<const char*>(data), std::min(size, kLongest));
  for (const std::string_view ending : {".cpp", ".py"}) {
    const SourceFiles files = files_of(text, ending);
    for (const auto& [name, file] : files) read(files, name, file);
  }
  return 0;
}
