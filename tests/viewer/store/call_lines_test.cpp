// Functions and their calls in the text of a program.
#include "viewer/store/call_lines.h"

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

const SourceFile kShop{.path = "shop.cpp",
                       .lines = {
                           "class Shop {",                                               // 1
                           " public:",                                                   // 2
                           "  Tensor loss(const Tensor& days,",                          // 3
                           "              const Tensor& orders) {",                      // 4
                           "    for (int i = 0; i < 2; ++i) {",                          // 5
                           "      if (i > 0)",                                           // 6
                           "        keep(model(days));",                                 // 7
                           "    }",                                                      // 8
                           "    return square(days);",                                   // 9
                           "  }",                                                        // 10
                           "  Tensor twice(const Tensor& x) { return double_of(x); }",   // 11
                           "};",                                                         // 12
                           "",                                                           // 13
                           "Tensor loss(const Tensor&);",                                // 14
                           "int main() {",                                               // 15
                           "  const auto error = [&](const Tensor& x) {",                // 16
                           "    return x - shop.twice(x);  // not loss(x)",              // 17
                           "  };",                                                       // 18
                           "  const Tensor first = shop.loss(days, orders);",            // 19
                           "  const Tensor other = my_loss(days) + 2.0 * error(days);",  // 20
                           "  return print(shop.loss(days, orders));",                   // 21
                           "}",                                                          // 22
                           "const auto half = [] { return tanh(0.5); };",                // 23
                       }};
const SourceFile kPython{.path = "shop.py",
                         .lines = {
                             "class Shop:",                          // 1
                             "    def loss(self, days):",            // 2
                             "        if days:",                     // 3
                             "            return square(days)",      // 4
                             "        return 0",                     // 5
                             "for day in days:",                     // 6
                             "    first = shop.loss(day)",           // 7
                             "    other = shop.loss(day)  # loss(",  // 8
                         }};

using Lines = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("a line's function is that whose body it stands in", "[callers]") {
  for (const std::uint32_t line : {5, 7, 9}) {
    CHECK(function_around(kShop, line).name == "loss");
    CHECK(function_around(kShop, line).line == 3);
  }
  CHECK(function_around(kShop, 11).name == "twice");
  CHECK(function_around(kShop, 17).name == "error");
  CHECK(function_around(kShop, 19).name == "main");
  CHECK(function_around(kShop, 23).name == "half");
  CHECK(function_around(kPython, 4).name == "loss");
  for (const std::uint32_t line : {0, 1, 3, 14, 15, 99}) CHECK(function_around(kShop, line).name.empty());
  CHECK(function_around(kPython, 7).name.empty());
}

TEST_CASE("declarations, other names and comments are no calls", "[callers]") {
  CHECK(lines_that_call(kShop, function_around(kShop, 9)) == Lines{19, 21});
  CHECK(lines_that_call(kShop, function_around(kShop, 11)) == Lines{17});
  CHECK(lines_that_call(kShop, function_around(kShop, 17)) == Lines{20});
  CHECK(lines_that_call(kPython, function_around(kPython, 4)) == Lines{7, 8});
  CHECK(lines_that_call(kShop, {}).empty());
}

TEST_CASE("the call that is meant is the second one, or that between two lines", "[callers]") {
  CHECK(calling_line(kShop, 9, {.again = true}) == 21);
  CHECK(calling_line(kShop, 9, {.first = 20, .last = 22}) == 21);
  CHECK(calling_line(kShop, 9, {.again = true, .last = 21}) == 21);
  CHECK(calling_line(kShop, 9, {.again = true, .last = 20}) == 0);
  // twice() is a part of error(), which line 20 calls.
  CHECK(calling_line(kShop, 11, {.first = 19, .last = 21}) == 20);
  CHECK(calling_line(kShop, 19, {}) == 0);
}
