// FLOP and bytes of ops, from the types of what they read and write.
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;
using test::row_of;

TEST_CASE("what ops made before the first step has its type in every step", "[store]") {
  Tensor x;
  const auto snapshot = test::snapshot_after([&] { x = ones({16, 64}) * 0.5; },
                                             [&](std::uint64_t) { matmul(x, ones({64, 8})); }, 3);
  const OpRow& product = row_of(*snapshot->complete, "MatMul");
  CHECK(product.types == "16×64 · 64×8");
  CHECK(product.flops == 2.0 * 16 * 64 * 8);
}

TEST_CASE("a fused product has the figures of its parts", "[store]") {
  Function f("f", [](const Tensor& x, const Tensor& w, const Tensor& b) { return relu(bias_add(matmul(x, w), b)); });
  const auto snapshot = test::snapshot_of([&](std::uint64_t) { f(ones({16, 64}), ones({64, 32}), ones({32})); }, 2);
  const OpRow& fused = row_of(*snapshot->complete, "_FusedMatMul");
  CHECK(fused.flops == 2.0 * 16 * 64 * 32 + 2.0 * 16 * 32);
  CHECK(fused.bytes == 4.0 * (16 * 64 + 64 * 32 + 32 + 16 * 32));
}
