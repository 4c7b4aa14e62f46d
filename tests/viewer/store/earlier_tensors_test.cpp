// Who begins to listen later knows the shapes of what was made before.
#include <algorithm>

#include "engine/events/records/tensors.h"
#include "engine/ops/ops.h"
#include "engine/tape/variable.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;

TEST_CASE("ops that read tensors from before the session have their shapes and costs", "[store]") {
  const Tensor x = ones({64, 32});
  const Variable w(ones({32, 48}) * 0.5, {.name = "w"});
  const auto snapshot = test::snapshot_of(
      [&](std::uint64_t) {
        GradientTape tape;
        Tensor y;
        {
          const auto recording = tape.record();
          y = matmul(x, w);
        }
        tape.gradient(y, w);
      },
      6);
  const StepView& view = *snapshot->complete;
  const auto product = std::ranges::find_if(
      view.ops, [](const OpRow& row) { return row.op == "MatMul" && row.direction == Direction::forward; });
  REQUIRE(product != view.ops.end());
  CHECK(product->types == "64×32 · 32×48");
  CHECK(product->flops == 2.0 * 64 * 32 * 48);
  CHECK(product->saved_bytes == 4 * (64 * 32 + 32 * 48));
  CHECK(view.counts.saved_bytes >= product->saved_bytes);
}

TEST_CASE("such a tensor is noted once, and none that the session saw being made", "[store]") {
  const Tensor before = ones({4, 4});
  Session session;
  session.start();
  Tensor y = ones({4, 4});
  for (int i = 0; i < 5; ++i) y = matmul(y, before);
  session.stop();
  std::vector<TensorId> noted;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) {
      if (record.is<EarlierTensorRecord>()) noted.push_back(record.as<EarlierTensorRecord>().tensor);
    }
  });
  CHECK(noted == std::vector<TensorId>{before.id()});
}
