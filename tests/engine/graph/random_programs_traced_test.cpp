// Random programs and their gradients as traced functions: the bits of eager execution while no pass may
// re-associate, close to them where passes may.
#include <cstdlib>
#include <cstring>

#include "engine/graph/function.h"
#include "engine/ops/slices.h"
#include "engine/tape/tape.h"
#include "tests/engine/tape/random_run.h"
#include "tests/support/catch.h"
#include "tests/support/graph_maker.h"

using namespace tapescope;
using namespace tapescope::test;
using namespace tapescope::random_programs;

namespace {

std::vector<Tensor> leaves_of(const Program& program) {
  std::vector<Tensor> leaves;
  for (const Leaf& leaf : program.leaves) leaves.push_back(make_tensor(leaf.values, leaf.shape, leaf.dtype));
  return leaves;
}

std::vector<Tensor> targets_of(const Program& program, std::vector<Tensor> leaves) {
  run_program(program, leaves);
  std::vector<Tensor> targets;
  for (const int target : program.targets) targets.push_back(leaves[static_cast<std::size_t>(target)]);
  return targets;
}

using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

// The targets, then the gradient of each leaf that is watched and connected.
std::vector<Tensor> differentiated(const Program& program, const std::vector<Tensor>& leaves,
                                   const Body& forward) {
  GradientTape tape;
  std::vector<Tensor> results;
  std::vector<Traced> sources;
  {
    const auto recording = tape.record();
    for (std::size_t l = 0; l < leaves.size(); ++l) {
      if (!program.leaves[l].watched) continue;
      tape.watch(leaves[l]);
      sources.push_back(leaves[l]);
    }
    results = forward(leaves);
  }
  if (sources.empty()) return results;
  const std::vector<Traced> targets(results.begin(), results.end());
  for (const Tensor& gradient : tape.gradient(targets, sources)) {
    results.push_back(gradient ? to_dense(gradient) : Tensor());
  }
  return results;
}

Function<std::vector<Tensor>(const std::vector<Tensor>&)> traced(const Body& body, bool reassociating) {
  OptimizeOptions options;
  options.reassociating = reassociating;
  return {
      "program", [body](const std::vector<Tensor>& leaves) { return body(leaves); }, {.optimize = options}};
}

bool equal_or_none(const Tensor& a, const Tensor& b) {
  if (!a || !b) return !a && !b;
  return same_bits(a, b);
}

bool close(const Tensor& a, const Tensor& b) {
  if (!a || !b) return !a && !b;
  double size = 1;
  for (const double value : elements(a)) size = std::max(size, std::fabs(value));
  const double tolerance = 1e-4 * size;  // programs cast to float32 and back
  for (std::int64_t i = 0; i < a.numel(); ++i) {
    if (!(std::fabs(element(a, i) - element(b, i)) <= tolerance)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("random programs traced give the bits of eager ones, with the tape outside and inside",
          "[random][graph]") {
  const std::uint64_t programs = std::getenv("TAPESCOPE_LONG") ? 5000 : 150;
  for (std::uint64_t seed = 1; seed <= programs; ++seed) {
    const Program program = random_program(seed, 30);
    INFO(program.text());
    const std::vector<Tensor> leaves = leaves_of(program);
    const Body forward = [&](const std::vector<Tensor>& given) { return targets_of(program, given); };
    const std::vector<Tensor> expected = differentiated(program, leaves, forward);
    for (const bool reassociating : {false, true}) {
      const auto function = traced(forward, reassociating);
      const auto step =
          traced([&](const std::vector<Tensor>& given) { return differentiated(program, given, forward); },
                 reassociating);
      const std::vector<Tensor> outside =
          differentiated(program, leaves, [&](const std::vector<Tensor>& given) { return function(given); });
      const std::vector<Tensor> inside = step(leaves);
      REQUIRE(outside.size() == expected.size());
      REQUIRE(inside.size() == expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO("result " << i << (reassociating ? ", re-associating" : ""));
        CHECK((reassociating ? close(expected[i], outside[i]) : equal_or_none(expected[i], outside[i])));
        CHECK((reassociating ? close(expected[i], inside[i]) : equal_or_none(expected[i], inside[i])));
      }
    }
  }
}
