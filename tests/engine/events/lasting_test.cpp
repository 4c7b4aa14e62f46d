// What a listener gets that begins in the middle of a program.
#include "engine/events/lasting.h"

#include <algorithm>

#include "engine/events/chunk.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/events/records/tensors.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "engine/tape/variable.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

template <class R>
bool lasts(std::string_view name) {
  const auto all = lasting_records();
  return std::any_of(all.begin(), all.end(), [&](const Lasting& kept) {
    return kept.records.front().is<R>() && name_text(kept.records.front().as<R>().name) == name;
  });
}

}  // namespace

TEST_CASE("variables and functions are sent as long as they live", "[events]") {
  const std::size_t before = lasting_records().size();
  {
    const Variable kept(constant({1.0, 2.0}), {.name = "kept_variable"});
    {
      const Variable shared = kept;
      CHECK(lasts<VariableRecord>("kept_variable"));
    }
    CHECK(lasts<VariableRecord>("kept_variable"));
    const auto all = lasting_records();
    CHECK(std::any_of(all.begin(), all.end(), [&](const Lasting& l) {
      return l.records.front().is<VariableRecord>() &&
             l.records.front().as<VariableRecord>().handle == kept.id() && l.thread == this_thread_id();
    }));
    const Function<Tensor(Tensor)> doubled("kept_function", [](const Tensor& x) { return x * 2.0; });
    CHECK(lasts<FunctionMadeRecord>("kept_function"));
  }
  CHECK_FALSE(lasts<VariableRecord>("kept_variable"));
  CHECK_FALSE(lasts<FunctionMadeRecord>("kept_function"));
  CHECK(lasting_records().size() == before);
}

TEST_CASE("what led to a gradient inside a function is sent as long as its graph lives", "[events]") {
  const std::size_t before = lasting_records().size();
  const auto questions = [] {
    std::ptrdiff_t found = 0;
    for (const Lasting& kept : lasting_records())
      found += std::ranges::count_if(kept.records, [](const Record& r) { return r.is<GradientAskRecord>(); });
    return found;
  };
  {
    const Variable w(constant({1.0, 2.0}), {.name = "w"});
    Function slope("slope", [&](const Tensor& x) {
      GradientTape tape;
      tape.enter();
      const Tensor y = reduce_sum(x * w);
      tape.exit();
      return tape.gradient(y, w);
    });
    Function plain("plain", [&](const Tensor& x) { return x * w; });
    slope(ones({2}));
    slope(zeros({2}));
    plain(ones({2}));
    CHECK(questions() == 1);
    const auto all = lasting_records();
    const auto block = std::ranges::find_if(all, [](const Lasting& kept) { return kept.records.size() > 1; });
    REQUIRE(block != all.end());
    // The ops on the way, and then the call that made the trace.
    CHECK(std::ranges::count_if(block->records, [](const Record& r) {
            return r.is<OpRecord>() && (r.as<OpRecord>().flags & OpRecord::kTraced);
          }) >= 3);
    CHECK(std::next(block) != all.end());
    CHECK(std::next(block)->records.front().is<FunctionCallRecord>());
  }
  CHECK(questions() == 0);
  CHECK(lasting_records().size() == before);
}
