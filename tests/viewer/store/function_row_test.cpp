// What is said of a function's traces.
#include "viewer/store/function_row.h"

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("a change is between two values, or is said in words", "[store]") {
  CHECK(change_of({.kind = "value", .argument = "scale", .from = "1", .to = "2"}) ==
        "scale went from 1 to 2");
  CHECK(change_of({.kind = "new_function", .argument = "f", .from = "a.cpp:7", .to = "a.cpp:7"}) ==
        "f was made again at a.cpp:7");
  CHECK(change_of({.kind = "new_function", .argument = "f"}) == "f was made again");
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

TEST_CASE("of several causes of traces the one with the most values comes first", "[functions]") {
  const auto retrace = [](std::uint64_t call, std::string kind, std::string argument, std::string from,
                          std::string to) {
    return Retrace{.call = call,
                   .kind = kind,
                   .argument = argument,
                   .from = from,
                   .to = to,
                   .location = "train.py:9",
                   .fix = "mend " + argument};
  };
  // A shorter last batch is traced again in each epoch, as the epoch is a number of Python's.
  const Retrace retraces[] = {
      retrace(5, "shape", "rows", "[16]", "[6]"), retrace(6, "value", "epoch", "0", "1"),
      retrace(10, "shape", "rows", "[16]", "[6]"), retrace(11, "value", "epoch", "1", "2"),
      retrace(15, "shape", "rows", "[16]", "[6]")};
  std::vector<const Retrace*> all;
  for (const Retrace& one : retraces) all.push_back(&one);
  const RetraceCauses both = causes_of(all);
  CHECK(both.main == &retraces[3]);
  CHECK(both.text == "epoch went from 1 to 2, and at other times because rows went from [16] to [6]");
  CHECK(both.fix == "mend epoch; mend rows");
  const RetraceCauses one = causes_of(std::span(all).first(1));
  CHECK(one.main == &retraces[0]);
  CHECK(one.text == "rows went from [16] to [6]");
  CHECK(one.fix == "mend rows");
  CHECK(causes_of({}).main == nullptr);
}
