// What is told to those who begin to listen in the middle of a program.
#include "engine/events/lasting.h"

#include <algorithm>

#include "engine/events/chunk.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/variable.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

bool lasts(RecordKind kind, std::string_view name) {
  const auto all = lasting_records();
  return std::any_of(all.begin(), all.end(), [&](const Lasting& kept) {
    const NameId id = kind == RecordKind::variable ? kept.record.b : static_cast<NameId>(kept.record.y);
    return kept.record.kind == kind && name_text(id) == name;
  });
}

}  // namespace

TEST_CASE("variables and functions are told as long as they live", "[events]") {
  const std::size_t before = lasting_records().size();
  {
    const Variable kept(constant({1.0, 2.0}), {.name = "kept_variable"});
    {
      const Variable shared = kept;
      CHECK(lasts(RecordKind::variable, "kept_variable"));
    }
    CHECK(lasts(RecordKind::variable, "kept_variable"));
    const auto all = lasting_records();
    CHECK(std::any_of(all.begin(), all.end(), [&](const Lasting& l) {
      return l.record.x == kept.id() && l.thread == this_thread_id();
    }));
    const Function<Tensor(Tensor)> doubled("kept_function", [](const Tensor& x) { return x * 2.0; });
    CHECK(lasts(RecordKind::function_made, "kept_function"));
  }
  CHECK_FALSE(lasts(RecordKind::variable, "kept_variable"));
  CHECK_FALSE(lasts(RecordKind::function_made, "kept_function"));
  CHECK(lasting_records().size() == before);
}
