// What is said does not depend on the line where a test stands, nor on the tests that ran before it.
#include "tests/engine/explain/ask_why.h"

#include <map>
#include <regex>

#include <fmt/format.h>

#include "tests/engine/explain/expect_reason.h"

namespace tapescope {
namespace {

// "file.cpp:41" as "2 lines above".
std::string with_relative_lines(const std::string& text, const std::string& file, long line) {
  const std::regex place(file + ":([0-9]+)");
  std::string out;
  auto from = text.cbegin();
  for (std::sregex_iterator at(text.begin(), text.end(), place), end; at != end; ++at) {
    const long distance = line - std::stol((*at)[1]);
    out.append(from, (*at)[0].first);
    out += distance == 0 ? "this line" : fmt::format("{} line{} above", distance, distance == 1 ? "" : "s");
    from = (*at)[0].second;
  }
  out.append(from, text.cend());
  return std::regex_replace(out, std::regex("(tensor|tape)[: ][0-9]+"), "$1 N");
}

// "a-name-with-dashes-2" for the second explanation of a test.
std::string file_of_test() {
  static std::map<std::string, int> asked;
  const std::string test = Catch::getResultCapture().getCurrentTestName();
  std::string name = std::regex_replace(test, std::regex("[^A-Za-z0-9_]+"), "-");
  return fmt::format("engine/approved/explain/programs/{}-{}.txt", name, ++asked[test]);
}

}  // namespace

std::string why_after(GradientTape& tape, const Traced& target, const Traced& source, Location place) {
  const Explanation e = tape.explain(target, source);
  INFO(e.message);
  CHECK_FALSE(e.message.empty());
  CHECK_FALSE(e.fix.empty());
  const std::string here = location_text(place), file = here.substr(0, here.find(':'));
  CHECK(e.location.starts_with(file + ':'));
  CHECK(e.location == e.edge.location);
  approve(file_of_test(), with_relative_lines(text_of(e), file, static_cast<long>(place.line())));
  return std::string(name_of(e.reason));
}

std::string why(GradientTape& tape, const Traced& target, const Traced& source, Location place) {
  if (!tape.gradient(target, source, {}, place)) {
    const std::string reason = why_after(tape, target, source, place);
    CHECK(reason != "none");
    return reason;
  }
  const Explanation e = tape.explain(target, source);
  INFO(e.message);
  CHECK(e.reason == Reason::none);
  return std::string(name_of(e.reason));
}

}  // namespace tapescope
