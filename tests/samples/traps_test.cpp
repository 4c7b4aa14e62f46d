// nan-hunt falls into its traps where it should and nowhere else; custom-op computes the same in both
// variants.
#include <cmath>

#include "engine/gate/op.h"
#include "samples/sample.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

std::vector<StepContext> run(const char* name, const char* variant, int steps) {
  const SampleInfo& info = find_sample(name);
  const std::unique_ptr<Sample> sample = info.make(checked_options(info, {.variant = variant}));
  std::vector<StepContext> contexts(static_cast<std::size_t>(steps));
  for (int i = 0; i < steps; ++i) {
    contexts[static_cast<std::size_t>(i)].step = static_cast<std::uint64_t>(i);
    sample->step(contexts[static_cast<std::size_t>(i)]);
  }
  return contexts;
}

// Whether every element of that gradient is finite.
bool finite(const StepContext& context, std::string_view source) {
  for (const SampleOutput& gradient : context.gradients) {
    if (gradient.name != source) continue;
    for (const double value : elements(gradient.value)) {
      if (!std::isfinite(value)) return false;
    }
    return true;
  }
  FAIL("there is no gradient of " << source);
  return false;
}

}  // namespace

TEST_CASE("nan-hunt: each trap spoils one gradient in the first step") {
  struct Trap {
    const char *variant, *spoiled;
    bool loss_is_finite;  // in the first step
  };
  for (const Trap& trap : {Trap{"log-of-softmax", "w", false}, Trap{"where-trap", "scale", true},
                           Trap{"norm-at-zero", "offset", true}}) {
    INFO(trap.variant);
    const std::vector<StepContext> steps = run("nan-hunt", trap.variant, 2);
    for (const char* source : {"w", "scale", "offset"})
      CHECK(finite(steps[0], source) == (std::string_view(source) != trap.spoiled));
    CHECK(std::isfinite(*steps[0].loss_value) == trap.loss_is_finite);
    // A NaN is not above 0: the where() hides it from the loss, but the variable is lost.
    CHECK(std::isnan(*steps[1].loss_value) == (std::string_view(trap.variant) != "where-trap"));
  }
}

TEST_CASE("nan-hunt: without the traps everything stays finite") {
  for (const StepContext& step : run("nan-hunt", "optimized", 20)) {
    CHECK(std::isfinite(*step.loss_value));
    for (const char* source : {"w", "scale", "offset"}) CHECK(finite(step, source));
  }
}

TEST_CASE("custom-op: one op of the program's own gives what the small ops give, and learns") {
  const std::vector<StepContext> small = run("custom-op", "unoptimized", 30),
                                 one = run("custom-op", "optimized", 30);
  CHECK(find_op("Swish") != nullptr);
  for (std::size_t i = 0; i < 10; ++i) {
    CHECK(*one[i].loss_value == Approx(*small[i].loss_value).epsilon(1e-5));
    const std::vector<double> a = elements(one[i].gradients[0].value),
                              b = elements(small[i].gradients[0].value);
    REQUIRE(a.size() == b.size());
    for (std::size_t k = 0; k < a.size(); ++k) CHECK(a[k] == Approx(b[k]).epsilon(1e-4).margin(1e-7));
  }
  CHECK(*one.back().loss_value < *one.front().loss_value);
}
