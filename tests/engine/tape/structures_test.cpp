// Gradients come in the structure of the sources.
#include "engine/tape/structures.h"

#include <string>

#include "engine/ops/ops.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

struct Model {
  Variable w{constant(2.0, DType::f64), {.name = "w"}};
  Variable b{constant(3.0, DType::f64), {.name = "b"}};
};

}  // namespace

TEST_CASE("gradients have the structure of their sources", "[tape][structures]") {
  const Model model;
  const Tensor x = constant({1, 4}, DType::f64);
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = reduce_sum(x * model.w) + square(model.b);
  }
  const auto by_name = gradient_of(tape, y, std::map<std::string, Variable>{{"w", model.w}, {"b", model.b}});
  REQUIRE(by_name.size() == 2);
  CHECK(element(by_name.at("w"), 0) == 5);
  CHECK(element(by_name.at("b"), 0) == 6);

  const auto mixed = gradient_of(
      tape, y, std::tuple{x, std::pair{model.b, std::vector{model.w, model.w}}, std::vector<Tensor>{}});
  CHECK(elements(std::get<0>(mixed)) == std::vector<double>{2, 2});
  CHECK(element(std::get<1>(mixed).first, 0) == 6);
  REQUIRE(std::get<1>(mixed).second.size() == 2);
  CHECK(element(std::get<1>(mixed).second[1], 0) == 5);
  CHECK(std::get<2>(mixed).empty());

  const Tensor one = gradient_of(tape, y, model.w);
  CHECK(element(one, 0) == 5);
}

TEST_CASE("targets of a structure are summed, each with its own cotangent where one is given",
          "[tape][structures]") {
  const Model model;
  GradientTape tape({.persistent = true});
  std::map<std::string, std::vector<Tensor>> targets;
  {
    auto recording = tape.record();
    targets["first"] = {square(model.w), model.w * model.b};
    targets["second"] = {model.b * 10};
  }
  const auto sources = std::pair{model.w, model.b};
  const auto summed = gradient_of(tape, targets, sources);
  CHECK(element(summed.first, 0) == 4 + 3);
  CHECK(element(summed.second, 0) == 2 + 10);
  const auto weighted =
      gradient_of(tape, targets, sources,
                  {.output_gradients = {constant(1.0, DType::f64), constant(2.0, DType::f64),
                                        constant(3.0, DType::f64)}});
  CHECK(element(weighted.first, 0) == 4 + 2 * 3);
  CHECK(element(weighted.second, 0) == 2 * 2 + 3 * 10);
}

TEST_CASE("what no target depends on is None in its place of the structure, or zeros", "[tape][structures]") {
  const Model model;
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    y = square(model.w);
  }
  const std::vector<std::pair<Variable, Variable>> sources{{model.b, model.w}};
  const auto none = gradient_of(tape, y, sources);
  CHECK_FALSE(none[0].first);
  CHECK(element(none[0].second, 0) == 4);
  CHECK(element(gradient_of(tape, y, sources, {.unconnected = Unconnected::zero})[0].first, 0) == 0);
}
