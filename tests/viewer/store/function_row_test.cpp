// What is said of a function's traces.
#include "viewer/store/function_row.h"

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("a change is between two values, or is said in words", "[store]") {
  CHECK(change_of({.kind = "value", .argument = "scale", .from = "1", .to = "2"}) ==
        "scale went from 1 to 2");
  CHECK(change_of({.kind = "new_function", .argument = "f", .from = "a.cpp:7", .to = "a.cpp:7"}) ==
        "f was made again at a.cpp:7");
  // Two arguments became one variable: its type is the same.
  CHECK(change_of({.kind = "aliasing", .argument = "w", .from = "float32[2]", .to = "float32[2]"}) ==
        "w is the variable of another argument in one call alone");
}

TEST_CASE("what a library traces again is counted and not listed, as its user cannot change it", "[store]") {
  FunctionAccount account{.name = "f", .calls = 4, .traces = 2};
  account.retraces.push_back({.call = 3, .kind = "value", .argument = "x"});
  CHECK(function_row(account).retraces.size() == 1);
  account.library = true;
  const FunctionRow row = function_row(account);
  CHECK(row.retraces.empty());
  CHECK(row.library);
  CHECK(row.traces == 2);
}
