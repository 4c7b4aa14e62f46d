// Where the backward ops of a traced function stand in the graph: beside the forward op they belong to.
#include "viewer/model/mirrors.h"

#include <algorithm>

#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;

namespace {

// How many backward ops called `op` stand beside this forward op.
std::ptrdiff_t beside(const StepView& step, const std::vector<std::uint32_t>& mirrors, std::uint32_t forward,
                      std::string_view op) {
  std::ptrdiff_t count = 0;
  for (std::size_t i = 0; i < mirrors.size(); ++i) count += mirrors[i] == forward && step.ops[i].op == op;
  return count;
}

std::vector<std::uint32_t> forward_ops(const StepView& step, std::string_view op) {
  std::vector<std::uint32_t> found;
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    if (step.ops[i].op == op && step.ops[i].direction != Direction::backward) found.push_back(i);
  }
  return found;
}

Tensor layer(const Tensor& x, const Variable& kernel, const Variable& bias) {
  return relu(bias_add(matmul(x, kernel), bias));
}

}  // namespace

TEST_CASE("a function's backward ops stand beside the ops of their line whose operands they read",
          "[graph]") {
  const Variable first(ones({3, 4}), {.name = "first"}), second(ones({4, 4}), {.name = "second"}),
      bias(ones({4}), {.name = "bias"});
  const auto train = [&](const Tensor& x) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = reduce_sum(layer(layer(x, first, bias), second, bias));
    }
    return tape.gradient(loss, {first, second, bias});
  };
  // As it was traced: no op is fused with the next.
  Function traced("step", [&](const Tensor& x) { return train(x); }, {.optimize = {.off = ~0u}});
  const auto snapshot = test::snapshot_of([&](std::uint64_t) { traced(ones({2, 3})); });
  const StepView& step = *snapshot->complete;
  const auto mirrors = function_mirrors(step);
  const auto products = forward_ops(step, "MatMul"), sums = forward_ops(step, "BiasAdd"),
             relus = forward_ops(step, "Relu");
  REQUIRE(products.size() == 2);
  REQUIRE(sums.size() == 2);
  REQUIRE(relus.size() == 2);
  // The input wants no gradient: the first layer's product has one of its kernel alone.
  CHECK(beside(step, mirrors, products[0], "MatMul") == 1);
  CHECK(beside(step, mirrors, products[1], "MatMul") == 2);
  for (const std::uint32_t sum : sums) CHECK(beside(step, mirrors, sum, "BiasAddGrad") == 1);
  for (const std::uint32_t relu : relus) CHECK(beside(step, mirrors, relu, "ReluGrad") == 1);
  for (std::uint32_t i = 0; i < step.ops.size(); ++i) {
    if (mirrors[i] == kNoOp) continue;
    CHECK(step.ops[i].direction == Direction::backward);
    CHECK(step.ops[mirrors[i]].site == step.ops[i].site);
  }

  // What a tape walks has its partner, and none beside it.
  const auto eager = test::snapshot_of([&](std::uint64_t) { train(ones({2, 3})); });
  const auto none = function_mirrors(*eager->complete);
  CHECK(std::count(none.begin(), none.end(), kNoOp) == static_cast<std::ptrdiff_t>(none.size()));
}

TEST_CASE("of a loop that was unrolled each turn has its own backward ops beside it", "[graph]") {
  const Variable w(ones({4, 4}), {.name = "w"});
  Function traced("step", [&](const Tensor& x) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      Tensor h = x;
      for (int turn = 0; turn < 4; ++turn) h = tanh(matmul(h, w));
      loss = reduce_sum(h);
    }
    return tape.gradient(loss, w);
  });
  const auto snapshot = test::snapshot_of([&](std::uint64_t) { traced(ones({2, 4})); });
  const StepView& step = *snapshot->complete;
  const auto mirrors = function_mirrors(step);
  const auto products = forward_ops(step, "MatMul"), curves = forward_ops(step, "Tanh");
  REQUIRE(products.size() == 4);
  REQUIRE(curves.size() == 4);
  for (std::size_t turn = 0; turn < 4; ++turn) {
    INFO("turn " << turn);
    CHECK(beside(step, mirrors, products[turn], "MatMul") == (turn == 0 ? 1 : 2));
    CHECK(beside(step, mirrors, curves[turn], "TanhGrad") == 1);
  }
}
