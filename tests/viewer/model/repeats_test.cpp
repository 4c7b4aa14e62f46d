// What repeats is found whole, and what does not is left alone.
#include "viewer/model/repeats.h"

#include <string_view>

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

std::vector<Repeat> repeats(std::string_view text, std::uint32_t least_times = 3, std::uint32_t least = 6) {
  const std::vector<std::uint64_t> elements(text.begin(), text.end());
  return find_repeats(elements, least_times, least, 100);
}

}  // namespace

TEST_CASE("copies of one body are one repeat, whatever stands around them", "[model]") {
  CHECK(repeats("xyabcabcabcabcz") == std::vector<Repeat>{{2, 3, 4}});
  CHECK(repeats("aaaaaaaa") == std::vector<Repeat>{{0, 1, 8}});
  // A body in which an op occurs twice, and two loops one after the other.
  CHECK(repeats("aabaabaabaab") == std::vector<Repeat>{{0, 3, 4}});
  CHECK(repeats("ababababcdcdcdcd") == std::vector<Repeat>{{0, 2, 4}, {8, 2, 4}});
}

TEST_CASE("too few copies, or too small ones, are none", "[model]") {
  CHECK(repeats("abcabc").empty());
  CHECK(repeats("abcdefgh").empty());
  CHECK(repeats("aaaa", 3, 6).empty());
  CHECK(repeats("").empty());
}

TEST_CASE("a long sequence takes linear time", "[model]") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "abcde";
  CHECK(repeats(text) == std::vector<Repeat>{{0, 5, 20'000}});
}
