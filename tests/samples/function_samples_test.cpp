// The samples of traced functions: how often they are traced, and that they compute what their eager variants
// do.
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "samples/sample.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// The losses of the first steps, and what the last of them reported.
struct Ran {
  std::vector<double> losses;
  StepContext context;
};

Ran run(const std::string& name, const std::string& variant, std::int64_t steps) {
  SampleOptions options;
  options.variant = variant;
  const std::unique_ptr<Sample> sample = find_sample(name).make(checked_options(find_sample(name), options));
  Ran ran;
  for (std::int64_t i = 0; i < steps; ++i) {
    ran.context.step = static_cast<std::uint64_t>(i);
    sample->step(ran.context);
    if (ran.context.loss_value) ran.losses.push_back(*ran.context.loss_value);
  }
  sample->finish(ran.context);
  return ran;
}

}  // namespace

TEST_CASE("retracing traces once a call, or as often as its remedy says") {
  const std::map<std::string, double> expected = {
      {"unoptimized", 8}, {"python-scalar", 8}, {"new-object", 8}, {"optimized", 1}, {"relaxed", 2}};
  const std::vector<double> losses = run("retracing", "optimized", 8).losses;
  for (const auto& [variant, traces] : expected) {
    const Ran ran = run("retracing", variant, 8);
    INFO(variant);
    CHECK(ran.context.metrics.at("traces") == traces);
    if (variant == "relaxed" || variant == "unoptimized") CHECK(ran.losses == losses);
  }
}

TEST_CASE("traced variants train as the eager ones") {
  for (const std::string name : {"graph-function", "train-step", "redundant-ops", "linear-regression"}) {
    const Ran eager = run(name, "unoptimized", 40);
    for (const std::string& variant : find_sample(name).variants) {
      const Ran traced = run(name, variant, 40);
      INFO(name << " " << variant);
      REQUIRE(traced.losses.size() == 40);
      for (std::size_t i = 0; i < 40; ++i) CHECK(traced.losses[i] == Approx(eager.losses[i]).epsilon(1e-5));
      REQUIRE(traced.context.gradients.size() == eager.context.gradients.size());
      for (std::size_t g = 0; g < eager.context.gradients.size(); ++g) {
        CHECK(traced.context.gradients[g].name == eager.context.gradients[g].name);
        CHECK(elements(traced.context.gradients[g].value)[0] ==
              Approx(elements(eager.context.gradients[g].value)[0]).epsilon(1e-4).margin(1e-7));
      }
    }
  }
}

TEST_CASE("static-gradients shows rows and their sum") {
  const Ran ran = run("jacobian", "static-gradients", 1);
  REQUIRE(ran.context.outputs.size() == 2);
  CHECK(elements(ran.context.outputs[0].value) == std::vector<double>{4, 12});
  CHECK(elements(ran.context.outputs[1].value) == std::vector<double>{16});
}
