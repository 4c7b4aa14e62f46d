// Optimizers give TensorFlow's values, keep their state in variables, and treat None as Keras does.
#include "engine/nn/optimizers.h"

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <span>

#include <nlohmann/json.hpp>

#include "engine/core/pool.h"
#include "engine/kernels/map.h"
#include "engine/ops/creation.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"

using namespace tapescope;
using nlohmann::json;

namespace {

Tensor tensor_of(const json& j) {
  Shape shape;
  for (std::int64_t size : j["shape"]) shape.push_back(size);
  const auto values = j["data"].get<std::vector<double>>();
  return make_tensor(values, shape, dtype_named(j["dtype"].get<std::string>()));
}

std::unique_ptr<Optimizer> make_optimizer(const std::string& id, const json& attrs) {
  const double rate = attrs["learning_rate"];
  const auto number = [&](const char* name) { return attrs.value(name, 0.0); };
  const auto common = [&](auto options) {
    options.clipnorm = number("clipnorm");
    options.global_clipnorm = number("global_clipnorm");
    options.clipvalue = number("clipvalue");
    if (attrs.contains("weight_decay")) options.weight_decay = number("weight_decay");
    return options;
  };
  if (id.starts_with("sgd")) {
    auto options = common(SgdOptions{});
    options.momentum = number("momentum");
    options.nesterov = attrs.value("nesterov", false);
    return std::make_unique<SGD>(rate, options);
  }
  if (id.starts_with("adamw")) return std::make_unique<AdamW>(rate, common(AdamWOptions{}));
  if (id.starts_with("adam")) {
    auto options = common(AdamOptions{});
    options.amsgrad = attrs.value("amsgrad", false);
    return std::make_unique<Adam>(rate, options);
  }
  if (id.starts_with("rmsprop")) {
    auto options = common(RmsPropOptions{});
    options.momentum = number("momentum");
    options.centered = attrs.value("centered", false);
    return std::make_unique<RMSprop>(rate, options);
  }
  return std::make_unique<Adagrad>(rate, common(AdagradOptions{}));
}

json golden_cases() {
  std::ifstream file(tests_folder() + "/goldens/optimizers.json");
  REQUIRE(file.good());
  json cases = json::array();
  const json all = json::parse(file);
  for (const json& c : all["cases"]) {
    if (c["op"] == "optimizer") cases.push_back(c);
  }
  return cases;
}

}  // namespace

TEST_CASE("optimizers: six steps of every golden case give TensorFlow's variables") {
  const json cases = golden_cases();
  REQUIRE(cases.size() == 12);
  for (const kernels::Instructions most : kernels::kInstructions) {
    kernels::limit_instructions(most);
    for (const json& c : cases) {
      const std::string id = c["id"];
      const auto optimizer = make_optimizer(id, c["attrs"]);
      std::vector<Variable> variables;
      for (const json& start : c["start"])
        variables.emplace_back(tensor_of(start), VariableOptions{.name = "v"});
      int step = 0;
      for (const json& expected : c["steps"]) {
        std::vector<Tensor> gradients;
        for (const json& gradient : expected["gradients"]) gradients.push_back(tensor_of(gradient));
        optimizer->apply_gradients(gradients, variables);
        for (std::size_t v = 0; v < variables.size(); ++v) {
          const std::vector<double> got = elements(variables[v].peek()),
                                    wanted = expected["variables"][v]["data"];
          for (std::size_t i = 0; i < got.size(); ++i) {
            INFO(id << ", step " << step << ", variable " << v << ", element " << i);
            CHECK(got[i] == Approx(wanted[i]).epsilon(1e-5).margin(1e-5));
          }
        }
        ++step;
      }
      CHECK(element(optimizer->iterations().peek(), 0) == 6);
    }
  }
  kernels::limit_instructions(kernels::Instructions::avx512);
}

TEST_CASE(
    "optimizers: vectors and single elements of a pass give the same numbers, on every instruction set") {
  // 37 elements are vectors and a rest on every instruction set; one element alone is always the rest.
  const std::vector<double> first = elements(stateless_random_normal({37}, {1, 2}));
  std::vector<double> slopes = elements(stateless_random_normal({37}, {1, 3}));
  // Near the ends of the half types' ranges: subnormal squares, squares beyond the range, and what is no
  // number.
  const double odd[] = {1e-4,
                        3e-8,
                        1e-30,
                        300,
                        6e4,
                        -0.0,
                        std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::quiet_NaN()};
  std::copy(std::begin(odd), std::end(odd), slopes.begin() + 3);
  const std::vector<std::function<std::unique_ptr<Optimizer>()>> makers = {
      [] { return std::make_unique<SGD>(0.1); },
      [] { return std::make_unique<SGD>(0.1, SgdOptions{.momentum = 0.9, .nesterov = true}); },
      [] { return std::make_unique<Adam>(0.1); },
      [] {
        return std::make_unique<Adam>(0.1,
                                      AdamOptions{.epsilon = 1e-3, .amsgrad = true, .weight_decay = 0.1});
      },
      [] { return std::make_unique<RMSprop>(0.1, RmsPropOptions{.momentum = 0.5, .centered = true}); },
      [] { return std::make_unique<Adagrad>(0.1); },
  };
  const auto after = [&](const auto& make, DType type, std::span<const double> start,
                         std::span<const double> gradient) {
    const Shape shape{static_cast<std::int64_t>(start.size())};
    Variable w(make_tensor(start, shape, type), {.name = "w"});
    const auto optimizer = make();
    for (int step = 0; step < 3; ++step)
      optimizer->apply_gradients(std::vector{make_tensor(gradient, shape, type)}, {w});
    return elements(w.peek());
  };
  for (const DType type : {DType::f32, DType::f64, DType::f16, DType::bf16}) {
    for (std::size_t m = 0; m < makers.size(); ++m) {
      kernels::limit_instructions(kernels::Instructions::baseline);
      std::vector<double> alone;
      for (std::size_t i = 0; i < first.size(); ++i) {
        alone.push_back(
            after(makers[m], type, std::span(first).subspan(i, 1), std::span(slopes).subspan(i, 1))[0]);
      }
      for (const kernels::Instructions most : kernels::kInstructions) {
        kernels::limit_instructions(most);
        const std::vector<double> together = after(makers[m], type, first, slopes);
        for (std::size_t i = 0; i < first.size(); ++i) {
          INFO(name_of(type) << ", optimizer " << m << ", element " << i << ": " << alone[i] << ", "
                             << together[i]);
          CHECK((alone[i] == together[i] || (std::isnan(alone[i]) && std::isnan(together[i]))));
        }
      }
    }
  }
  kernels::limit_instructions(kernels::Instructions::avx512);
}

TEST_CASE("optimizers: float16 rounds after every operation, as a pure half model does") {
  Variable w(make_full({1}, 1, DType::f16), {.name = "w"});
  SGD sgd(1e-4);
  // 1e-4 is far below half a unit in the last place of 1 in float16: the step is lost.
  sgd.apply_gradients(std::vector{make_full({1}, 1, DType::f16)}, {w});
  CHECK(element(w.peek(), 0) == 1);
  Variable f(make_full({1}, 1, DType::f64), {.name = "f"});
  SGD plain(0.5);
  plain.apply_gradients(std::vector{make_full({1}, 0.25, DType::f64)}, {f});
  CHECK(element(f.peek(), 0) == 0.875);
}

TEST_CASE("optimizers: all state is in variables, in Keras's order, made by build()") {
  VariableCollector collector;
  Variable kernel(zeros({2, 3}), {.name = "dense/kernel"}), bias(zeros({3}), {.name = "dense/bias"});
  Adam adam;
  adam.build(std::vector{kernel, bias});
  std::vector<std::string> names;
  for (const Variable& variable : adam.variables()) names.emplace_back(variable.name());
  CHECK(names == std::vector<std::string>{"adam/iteration", "adam/learning_rate",
                                          "adam/dense_kernel_momentum", "adam/dense_kernel_velocity",
                                          "adam/dense_bias_momentum", "adam/dense_bias_velocity"});
  CHECK(collector.variables().size() == 8);
  for (const Variable& variable : adam.variables()) CHECK_FALSE(variable.trainable());
  CHECK(adam.variables()[2].shape() == Shape{2, 3});

  // Putting all of them back undoes a step exactly.
  const std::vector<Tensor> gradients{ones({2, 3}), ones({3})};
  std::vector<Tensor> saved;
  for (const Variable& variable : collector.variables()) saved.push_back(variable.peek());
  adam.apply_gradients(gradients, {kernel, bias});
  const std::vector<double> after = elements(kernel.peek());
  for (std::size_t i = 0; i < saved.size(); ++i) collector.variables()[i].assign(saved[i]);
  CHECK(elements(kernel.peek()) == std::vector<double>(6, 0));
  adam.apply_gradients(gradients, {kernel, bias});
  CHECK(elements(kernel.peek()) == after);
}

TEST_CASE("optimizers: a variable without a gradient keeps its value, all without is a ValueError") {
  Variable a(ones({2}), {.name = "a"}), b(ones({2}), {.name = "b"});
  SGD sgd(0.5);
  sgd.apply_gradients(std::vector{ones({2}), Tensor()}, {a, b});
  CHECK(element(a.peek(), 0) == 0.5);
  CHECK(element(b.peek(), 0) == 1);
  try {
    sgd.apply_gradients(std::vector{Tensor(), Tensor()}, {a, b});
    FAIL("expected a ValueError");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::value);
    CHECK(std::string(error.what()).find("['a', 'b']") != std::string::npos);
  }
  CHECK(element(sgd.iterations().peek(), 0) == 1);
}

TEST_CASE("optimizers: misuse is refused before anything changes") {
  Variable a(ones({2}), {.name = "a"}), b(ones({3}), {.name = "b"}),
      stranger(ones({2}), {.name = "stranger"});
  Adam adam;
  const auto kind_of = [](auto call) {
    try {
      call();
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  CHECK(kind_of([&] { adam.apply_gradients({}, std::span<const Variable>{}); }) == ErrorKind::value);
  CHECK(kind_of([&] { adam.apply_gradients(std::vector{ones({2})}, {a, b}); }) == ErrorKind::value);
  CHECK(kind_of([&] {
          adam.apply_gradients(std::vector{ones({2}), ones({2})}, {a, b});
        }) == ErrorKind::invalid_argument);
  CHECK(element(a.peek(), 0) == 1);
  CHECK(kind_of([&] { adam.apply_gradients(std::vector{ones({2})}, {stranger}); }) == ErrorKind::value);
  AdamOptions both;
  both.clipnorm = 1;
  both.clipvalue = 1;
  CHECK(kind_of([&] { Adam adam2(0.1, both); }) == ErrorKind::value);
}

TEST_CASE(
    "optimizers: a snapshot read before an update keeps the old value, and no tape records the update") {
  Variable w(ones({4}), {.name = "w"});
  SGD sgd(1);
  const Tensor before = w.value();
  GradientTape tape;
  {
    auto recording = tape.record();
    sgd.apply_gradients(std::vector{ones({4})}, {w});
  }
  CHECK(tape.counts().recorded == 0);
  CHECK(element(before, 0) == 1);
  CHECK(element(w.peek(), 0) == 0);
}

TEST_CASE("optimizers: an update asks the pool for nothing") {
  Variable w(zeros({101770}), {.name = "w"});
  const std::vector<Tensor> gradients{ones({101770})};
  const std::vector<Variable> variables{w};
  Adam adam;
  adam.apply_gradients(gradients, variables);
  const auto before = pool_stats();
  for (int i = 0; i < 10; ++i) adam.apply_gradients(gradients, variables);
  CHECK(pool_stats().acquired == before.acquired);
}

TEST_CASE("optimizer: options of every optimizer are named beside those of the kind", "[optimizer]") {
  const Variable w(constant({3.0, 4.0}), {.name = "w"});
  SGD(1, {.clipnorm = 1, .name = "short"}).apply_gradients({constant({3.0, 4.0})}, {w});
  CHECK(element(w.peek(), 0) == Approx(3 - 0.6));
  CHECK(Adam(1e-3, {.beta_1 = 0.5, .name = "mine"}).name() == "mine");
  // In braces before those of the kind.
  const Variable u(constant({3.0, 4.0}), {.name = "u"});
  SGD braced(1, {{.clipnorm = 1}, 0.5});
  for (int i = 0; i < 2; ++i) braced.apply_gradients({constant({3.0, 4.0})}, {u});
  CHECK(element(u.peek(), 0) == Approx(3 - 0.6 - 0.9));
  CHECK(Adam(1e-3, {{.name = "hers"}}).name() == "hers");
  // A weight decay that is not the default's.
  const Variable v(constant(1.0), {.name = "v"});
  AdamW(0.5, {.weight_decay = 0.5}).apply_gradients({constant(0.0)}, {v});
  CHECK(element(v.peek(), 0) == Approx(0.75));
}
