// The sample none-gradients: each variant ends with the reason it is named after, found in a session's
// records.
#include <algorithm>

#include "samples/sample.h"
#include "tests/engine/explain/explained.h"
#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("each variant of none-gradients has the reason it is named after", "[explain][samples]") {
  const SampleInfo& info = find_sample("none-gradients");
  CHECK(info.variants[0] == "not-watched");
  for (const std::string& variant : info.variants) {
    INFO(variant);
    StepContext context;
    const std::vector<Explanation> found = explained([&] { info.make({.variant = variant})->step(context); });
    REQUIRE(found.size() == 1);
    std::string expected = variant;
    std::replace(expected.begin(), expected.end(), '-', '_');
    INFO(found[0].message);
    CHECK(name_of(found[0].reason) == expected);
    CHECK(found[0].location.starts_with("none_gradients.cpp:"));
    CHECK_FALSE(found[0].fix.empty());
    CHECK_FALSE(found[0].path.empty());
    const auto none =
        std::count_if(context.outputs.begin(), context.outputs.end(), [](const auto& o) { return !o.value; });
    CHECK(none == (variant == "empty-sources" ? 0 : 1));
  }
}
