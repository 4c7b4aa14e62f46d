// Samples of layers, optimizers and precision: variants that do the same work agree, and each lesson's claim
// is seen.
#include <cmath>

#include "samples/sample.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

using Parameters = std::map<std::string, std::string>;

struct LayersRun {
  std::vector<double> losses;
  StepContext last;
};

LayersRun run(const std::string& name, const std::string& variant, int steps,
              const Parameters& parameters = {}) {
  const SampleInfo& info = find_sample(name);
  const std::unique_ptr<Sample> sample =
      info.make(checked_options(info, {.variant = variant, .parameters = parameters}));
  LayersRun result;
  for (int i = 0; i < steps; ++i) {
    result.last.step = static_cast<std::uint64_t>(i);
    sample->step(result.last);
    result.losses.push_back(*result.last.loss_value);
  }
  return result;
}

// The largest difference of any gradient's element, relative to its gradient's largest one.
double gradient_difference(const LayersRun& a, const LayersRun& b) {
  REQUIRE(a.last.gradients.size() == b.last.gradients.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.last.gradients.size(); ++i) {
    CHECK(a.last.gradients[i].name == b.last.gradients[i].name);
    const std::vector<double> x = elements(a.last.gradients[i].value),
                              y = elements(b.last.gradients[i].value);
    REQUIRE(x.size() == y.size());
    double largest = 0, difference = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      largest = std::max(largest, std::abs(x[k]));
      difference = std::max(difference, std::abs(x[k] - y[k]));
    }
    worst = std::max(worst, largest > 0 ? difference / largest : difference);
  }
  return worst;
}

void check_agree(const std::string& name, const std::string& a, const std::string& b, double tolerance,
                 const Parameters& parameters = {}) {
  INFO(name << ": " << a << " and " << b);
  const LayersRun first = run(name, a, 3, parameters), second = run(name, b, 3, parameters);
  for (std::size_t i = 0; i < 3; ++i) CHECK(first.losses[i] == Approx(second.losses[i]).epsilon(tolerance));
  CHECK(gradient_difference(first, second) <= tolerance);
}

}  // namespace

TEST_CASE("samples: cells and convolutions by hand agree with the layers to 1e-5") {
  check_agree("rnn-cell", "unoptimized", "optimized", 1e-5);
  check_agree("rnn-cell", "unoptimized", "optimized", 1e-5, {{"cell", "lstm"}});
  for (const char* cell : {"simple_rnn", "lstm"}) {
    for (const char* function : {"unrolled-function", "while-loop"})
      check_agree("rnn-cell", "optimized", function, 1e-5, {{"cell", cell}});
  }
  check_agree("convolution", "unoptimized", "optimized", 1e-5);
  CHECK_THROWS_AS(run("rnn-cell", "optimized", 1, {{"cell", "gru"}}), Error);
}

TEST_CASE("samples: momentum from scratch and the optimizer's, a tape and fit: the same bits") {
  for (const char* momentum : {"0.9", "0"}) {
    CHECK(run("momentum", "from-scratch", 50, {{"momentum", momentum}}).losses ==
          run("momentum", "optimizer", 50, {{"momentum", momentum}}).losses);
  }
  const LayersRun tape = run("binary-classification", "tape", 4),
                  fit = run("binary-classification", "fit", 4);
  CHECK(tape.losses == fit.losses);
  CHECK(gradient_difference(tape, fit) == 0);
}

TEST_CASE("samples: momentum carries flat directions along") {
  const double with = run("momentum", "from-scratch", 300).losses.back();
  const double without = run("momentum", "from-scratch", 300, {{"momentum", "0"}}).losses.back();
  CHECK(with < 0.1 * without);
}

TEST_CASE("samples: without clipping the run ends in NaN, with it or with smaller weights it learns") {
  CHECK(std::isnan(run("gradient-clipping", "unclipped", 10).losses.back()));
  const LayersRun clipped = run("gradient-clipping", "clipped", 300);
  CHECK(clipped.losses.back() < 0.01 * clipped.losses.front());
  CHECK(run("gradient-clipping", "unclipped", 100, {{"gain", "0.9"}}).losses.back() < 0.1);
}

TEST_CASE("samples: pure float16 breaks at Adam's second step, a larger epsilon mends it") {
  const LayersRun half = run("low-precision", "float16", 3);
  CHECK(half.losses[0] == Approx(std::log(10)).margin(0.2));
  CHECK_FALSE(half.losses[1] < 5);
  const LayersRun mended = run("low-precision", "float16", 3, {{"epsilon", "1e-3"}});
  CHECK(mended.losses[2] < 2.6);
}

TEST_CASE("samples: mixed precision follows float32, and skips steps while its scale is too large") {
  const LayersRun exact = run("low-precision", "float32", 40);
  for (const char* variant : {"mixed-float16", "mixed-bfloat16"}) {
    const LayersRun mixed = run("low-precision", variant, 40);
    CHECK(mixed.losses.back() == Approx(exact.losses.back()).epsilon(0.03));
  }
  const LayersRun scaled = run("low-precision", "mixed-float16", 40, {{"loss_scale", "1e9"}});
  CHECK(scaled.last.metrics.at("skipped_steps") > 0);
  CHECK(scaled.last.metrics.at("loss_scale") == 1e9 / std::pow(2, scaled.last.metrics.at("skipped_steps")));
  CHECK(scaled.losses.back() < scaled.losses.front());
}

TEST_CASE("samples: a layer of one's own learns its slopes") {
  const LayersRun custom = run("custom-layer", "default", 500);
  CHECK(custom.losses.back() < 0.01 * custom.losses.front());
  REQUIRE(custom.last.gradients.size() == 5);
  CHECK(custom.last.gradients[2].name == "learned_slope/slope");
}

TEST_CASE(
    "samples: recomputing gives the same gradients, and its peak grows as the square root of the depth") {
  check_agree("checkpointing", "unoptimized", "optimized", 1e-5, {{"depth", "16"}, {"batch", "32"}});
  const auto peak = [](const char* variant, const char* depth) {
    return run("checkpointing", variant, 2, {{"depth", depth}}).last.metrics.at("peak_bytes");
  };
  // Weights' gradients grow with the depth whatever one does: rows enough that they hardly count.
  const double shallow = peak("optimized", "16"), deep = peak("optimized", "64");
  CHECK(deep < 2.5 * shallow);
  CHECK(peak("unoptimized", "64") > 3.2 * peak("unoptimized", "16"));
  CHECK(deep < 0.5 * peak("unoptimized", "64"));
}
