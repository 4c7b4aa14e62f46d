// The sample none-gradients: each variant ends with the reason it is named after, told from a session's records.
#include <algorithm>
#include <set>

#include "engine/events/session.h"
#include "engine/explain/explain.h"
#include "engine/explain/history.h"
#include "samples/registry.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

std::vector<Explanation> explained(const std::string& variant, const SampleInfo& info, StepContext& context) {
  Session session;
  session.start();
  info.make({.variant = variant})->step(context);
  session.stop();
  History history;
  session.drain([&](std::uint32_t thread, std::span<const Record> records) { history.add(thread, records); });
  std::vector<Explanation> found;
  for (const Question& question : history.questions()) {
    if (question.source_count == 0) found.push_back(explain_none(history, question.tape, question.targets[0], 0));
    for (const Question::Source& source : question.sources) {
      if (source.answered && source.result == ResultKind::value) continue;
      found.push_back(explain_none(history, question.tape, question.targets[0], source.id));
    }
  }
  return found;
}

}  // namespace

TEST_CASE("each variant of none-gradients has the reason it is named after", "[explain][samples]") {
  const SampleInfo info = none_gradients_sample();
  CHECK(info.variants[0] == "not-watched");
  for (const std::string& variant : info.variants) {
    INFO(variant);
    StepContext context;
    const std::vector<Explanation> found = explained(variant, info, context);
    REQUIRE(found.size() == 1);
    std::string expected = variant;
    std::replace(expected.begin(), expected.end(), '-', '_');
    INFO(found[0].message);
    CHECK(name_of(found[0].reason) == expected);
    CHECK(found[0].location.starts_with("none_gradients.cpp:"));
    CHECK_FALSE(found[0].fix.empty());
    CHECK_FALSE(found[0].path.empty());
    const auto none = std::count_if(context.outputs.begin(), context.outputs.end(), [](const auto& o) { return !o.value; });
    CHECK(none == (variant == "empty-sources" ? 0 : 1));
  }
}
