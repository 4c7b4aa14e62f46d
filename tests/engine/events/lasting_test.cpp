// What a listener gets that begins in the middle of a program.
#include "engine/events/lasting.h"

#include <algorithm>

#include "engine/events/chunk.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/tensors.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/variable.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

template <class R>
bool lasts(std::string_view name) {
  const auto all = lasting_records();
  return std::any_of(all.begin(), all.end(), [&](const Lasting& kept) {
    return kept.record.is<R>() && name_text(kept.record.as<R>().name) == name;
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
      return l.record.is<VariableRecord>() && l.record.as<VariableRecord>().handle == kept.id() &&
             l.thread == this_thread_id();
    }));
    const Function<Tensor(Tensor)> doubled("kept_function", [](const Tensor& x) { return x * 2.0; });
    CHECK(lasts<FunctionMadeRecord>("kept_function"));
  }
  CHECK_FALSE(lasts<VariableRecord>("kept_variable"));
  CHECK_FALSE(lasts<FunctionMadeRecord>("kept_function"));
  CHECK(lasting_records().size() == before);
}
