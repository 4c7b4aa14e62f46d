// Why functions are traced again, by their records; TensorFlow's warning, by the table of 13.2.
#include "engine/explain/retrace.h"

#include <string>
#include <vector>

#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "tests/support/catch.h"
#include "tests/support/function_accounts.h"

using namespace tapescope;
using tapescope::test::accounts_of;

namespace {

// "TTTThhT" to "7: 5 of 7; ".
std::string warnings(const std::string& sequence) {
  RetraceDetector detector;
  std::string text;
  for (std::size_t i = 0; i < sequence.size(); ++i) {
    if (detector.called(sequence[i] == 'T')) {
      text += std::to_string(i + 1) + ": " + std::to_string(detector.traced()) + " of " +
              std::to_string(detector.calls()) + "; ";
    }
  }
  return text;
}

std::string times(int count, const std::string& part) {
  std::string text;
  for (int i = 0; i < count; ++i) text += part;
  return text;
}

struct Config : Identity {};

// The one retrace of a function of anything that is called with each of the values.
RetraceReason reason_of(const std::vector<Value>& values, FunctionOptions options = {.arguments = {"x"}}) {
  const auto accounts = accounts_of([&] {
    Function f(
        "f", [](const Value&) { return constant(1.0); }, options);
    for (const Value& value : values) f(value);
  });
  REQUIRE(accounts.size() == 1);
  REQUIRE(accounts[0].retraces.size() == 1);
  return accounts[0].retraces[0];
}

std::string text_of(const RetraceReason& r) {
  return std::to_string(r.call) + " " + r.kind + " " + r.argument + ": " + r.from + " -> " + r.to;
}

}  // namespace

TEST_CASE("a retrace is compared with the trace that it missed by least") {
  const auto accounts = accounts_of([&] {
    Function f("f", [](const Tensor&, double) { return constant(1.0); }, {.arguments = {"x", "rate"}});
    const Tensor three = constant({1.0, 2.0, 3.0}), four = constant({1.0, 2.0, 3.0, 4.0});
    f(three, 0.5);
    f(four, 0.25);
    f(three, 0.125);  // this shape was there before: the number is new
    f(four, 0.0625);
  });
  REQUIRE(accounts.size() == 1);
  std::string texts;
  for (const RetraceReason& reason : accounts[0].retraces) texts += text_of(reason) + "; ";
  CHECK(texts == "2 shape x: [3] -> [4]; 3 value rate: 0.5 -> 0.125; 4 value rate: 0.25 -> 0.0625; ");
}

TEST_CASE("the detector warns as TensorFlow's does") {
  CHECK(warnings(times(12, "T")) == "5: 5 of 5; 6: 6 of 6; ");
  CHECK(warnings(times(8, "Th")) == "9: 5 of 9; 11: 6 of 11; ");
  CHECK(warnings(times(8, "Thh")) == "13: 5 of 13; 16: 5 of 13; ");
  CHECK(warnings("TTTT" + times(5, "h") + "T") == "10: 5 of 10; ");
  CHECK(warnings("TTTT" + times(6, "h") + "T") == "11: 5 of 11; ");
  CHECK(warnings("TTTT" + times(7, "h") + "TT").empty());
  CHECK(warnings("T" + times(5, "h") + "TTTTT") == "10: 5 of 10; 11: 6 of 11; ");
  CHECK(warnings("T" + times(20, "h") + "TTTTT") == "25: 5 of 25; 26: 6 of 26; ");
  CHECK(warnings("hhh" + times(8, "T")) == "7: 5 of 7; 8: 6 of 8; ");
}

TEST_CASE("each cause of a retrace is given with its argument, old and new") {
  const auto shape = reason_of({ones({4, 3}), ones({4, 3}), ones({5, 3})});
  CHECK(text_of(shape) == "3 shape x: [4, 3] -> [5, 3]");
  CHECK(shape.dimension == 0);
  CHECK(shape.relaxing_avoids);
  CHECK(shape.signature_avoids);
  CHECK(shape.ticks > 0);
  CHECK(location_text(site_with_id(shape.site)).starts_with("retrace_test.cpp:"));
  CHECK(text_of(reason_of({ones({4}), ones({4, 3})})) == "2 shape x: [4] -> [4, 3]");
  CHECK(text_of(reason_of({ones({4}), ones({4}, DType::f64)})) == "2 dtype x: float32 -> float64");
  CHECK(text_of(reason_of({0, 1})) == "2 value x: 0 -> 1");
  CHECK(text_of(reason_of({1, 1.0})) == "2 value x: 1 -> 1.0");
  CHECK(text_of(reason_of({"relu", "tanh"})) == "2 value x: 'relu' -> 'tanh'");
  Config a, b;
  CHECK(text_of(reason_of({Value::object(a), Value::object(b)})) == "2 identity x: Config#1 -> Config#2");
  CHECK(text_of(reason_of({Value::list({1, 2}), Value::list({1, 2, 3})})) ==
        "2 structure x: list of 2 -> list of 3");
  CHECK(text_of(reason_of({Value::map({{"a", 1}}), Value::map({{"b", 1}, {"a", 1}})})) ==
        "2 structure x: keys a -> keys a, b");
  CHECK(text_of(reason_of({Value(), ones({2})})) == "2 structure x: None -> tensor");
  CHECK(text_of(reason_of({Value::list({ones({2}), 1}), Value::list({ones({2}), 2})})) ==
        "2 value x[1]: 1 -> 2");
  const Variable v(zeros({2})), w(zeros({2}));
  CHECK(reason_of({Value::tuple({v, w}), Value::tuple({v, v})}).kind == "aliasing");
}

TEST_CASE("a relaxed function's second shape is a retrace, its third is a hit") {
  const auto r = reason_of({ones({2}), ones({3}), ones({4})}, {.arguments = {"x"}, .reduce_retracing = true});
  CHECK(text_of(r) == "2 shape x: [2] -> [3]");
  CHECK_FALSE(r.relaxing_avoids);
}

TEST_CASE("a context that comes is given, and so is a callable that is wrapped again") {
  const auto contexts = accounts_of([] {
    Function f("f", [] { return constant(1.0); });
    f();
    const TraceContext policy("mixed_float16");
    f();
  });
  REQUIRE(contexts[0].retraces.size() == 1);
  CHECK(text_of(contexts[0].retraces[0]) == "2 context context: none -> mixed_float16");
  const auto anew = accounts_of([] {
    for (int i = 0; i < 6; ++i) {
      Function f("f", [](const Tensor& x) { return x + 1.0; });
      f(constant(1.0));
    }
  });
  REQUIRE(anew.size() == 1);
  CHECK(anew[0].calls == 6);
  CHECK(anew[0].traces == 6);
  CHECK(anew[0].retraces.size() == 5);
  CHECK(anew[0].retraces[0].kind == "new_function");
  REQUIRE(anew[0].warnings.size() == 2);
  CHECK(anew[0].warnings[0].call == 5);
  CHECK(anew[0].warnings[1].traced == 6);
}

TEST_CASE("five shapes warn, and only the function that is called itself") {
  const auto accounts = accounts_of([] {
    Function g("g", [](const Tensor& x) { return x * 2.0; });
    Function f("f", [&](const Tensor& x) { return g(x); });
    for (int i = 1; i <= 8; ++i) f(ones({i}));
  });
  REQUIRE(accounts.size() == 2);
  CHECK(accounts[0].name == "g");
  CHECK(accounts[0].warnings.empty());
  CHECK(accounts[0].retraces.size() == 7);
  CHECK(accounts[1].warnings.size() == 2);
}
