// Parts of tensors and variables by x[..] and x(..).
#include <sstream>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"

using namespace tapescope;

TEST_CASE("indices read as in Python") {
  const Tensor x = reshape(range(12), {3, 4});
  CHECK(values_text(x[0]) == "[0, 1, 2, 3]");
  CHECK(values_text(x[-1]) == "[8, 9, 10, 11]");
  CHECK(values_text(x[1][2]) == "6");
  CHECK(values_text(x(1, 2)) == "6");
  CHECK(values_text(x(all, 0)) == "[0, 4, 8]");
  CHECK(values_text(x(range(1, 3))) == "[[4, 5, 6, 7], [8, 9, 10, 11]]");
  CHECK(values_text(x(range(1, 9), 0)) == "[4, 8]");
  CHECK(values_text(x(ellipsis, -1)) == "[3, 7, 11]");
  CHECK(x(all, newaxis).shape() == Shape({3, 1, 4}));
  CHECK(values_text(x(range(2, std::nullopt), range(std::nullopt, -2))) == "[[8, 9]]");
  CHECK(values_text(x(0, range(std::nullopt, std::nullopt, 2))) == "[0, 2]");
  CHECK(values_text(x(0, range(3, 0, -2))) == "[3, 1]");
  CHECK(values_text(x[x > 9]) == "[10, 11]");
  CHECK_THROWS_WITH(x[3], contains_text("index 3 is out of range") && contains_text("slicing_test.cpp"));
  CHECK_THROWS_AS(x(0, 0, 0), Error);
}

TEST_CASE("a scalar tensor picks, other tensors are refused with the remedy") {
  const Tensor x = reshape(range(12), {3, 4});
  CHECK(values_text(x[constant(1)]) == "[4, 5, 6, 7]");
  CHECK(values_text(x[constant(-1)]) == "[8, 9, 10, 11]");
  CHECK(values_text(x(all, constant(2))) == "[2, 6, 10]");
  CHECK(values_text(x(constant(1), constant(2))) == "6");
  CHECK(values_text(x(constant(1), range(1, 3))) == "[5, 6]");
  CHECK_THROWS_AS(x[constant(3)], Error);
  CHECK(kind_of([&] { return x[constant({0, 1})]; }) == ErrorKind::type);
  CHECK_THAT(error_of([&] { return x[constant(1.0)]; }), contains_text("gather(x, indices, axis)"));
}

TEST_CASE("a part of a variable has the gradient of the slice, and variables go where tensors go") {
  const Variable w({1.0, 2.0, 3.0}, {.name = "w"});
  const Tensor x = constant({4.0});
  const auto twice = [](const Tensor& t) { return t * 2.0; };
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = reduce_sum(concat({w, x, twice(w)}, 0)) + w[0] * 5.0 + reduce_sum(w(range(1, 3)));
  }
  CHECK(values_text(tape.gradient(y, w)) == "[8, 4, 4]");
  CHECK(w.dim(0) == 3);
  CHECK(w.dim(-1) == 3);
  CHECK(w.rank() == 1);
  CHECK(item(Variable(2.5)) == 2.5);
  CHECK(stack({w, w}).shape() == Shape({2, 3}));
  const Tensor before = w;
  w += 1;
  w -= constant({0.0, 0.0, 1.0});
  CHECK(values_text(w.value()) == "[2, 3, 3]");
  CHECK(values_text(before) == "[1, 2, 3]");
  w.assign(7);
  CHECK(values_text(w) == "[7, 7, 7]");
  Tensor total = constant(0.0);
  total += w[0];
  total *= 2;
  CHECK(values_text(total) == "14");
}

TEST_CASE("gradient() and watch() take vectors, maps and both in braces") {
  const Variable w(2.0, {.name = "w"}), b(3.0, {.name = "b"});
  const Tensor x = constant(5.0), z = constant(7.0);
  GradientTape tape({.persistent = true});
  Tensor y, more;
  {
    auto recording = tape.record();
    tape.watch(std::vector<Tensor>{x, z});
    y = w * x + b * z;
    more = w * 10.0;
  }
  const std::map<std::string, Variable> parameters{{"weight", w}, {"bias", b}};
  const std::map<std::string, Tensor> by_name = tape.gradient(y, parameters);
  CHECK(item(by_name.at("weight")) == 5);
  CHECK(item(by_name.at("bias")) == 7);
  CHECK(item(tape.gradient(y, {{"w", w}, {"x", x}}).at("x")) == 2);
  CHECK(item(tape.gradient(y, std::vector<Variable>{w, b})[1]) == 7);
  CHECK(item(tape.gradient({y, more}, {w, b})[0]) == 15);
  CHECK(item(tape.gradient(std::vector<Tensor>{y, more}, w)) == 15);
  CHECK(item(tape.gradient(y, {x, z})[1]) == 3);
}

TEST_CASE("a stream shows values and type, and None") {
  std::ostringstream text;
  text << constant({1.0, 2.5}) << " / " << Tensor() << " / " << Variable(3);
  CHECK(text.str() == "[1, 2.5] float32[2] / None / 3 int32[]");
}
