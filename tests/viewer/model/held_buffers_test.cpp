// Memory at the peak is called by what is held, not by who reads it.
#include "viewer/model/held_buffers.h"

#include <algorithm>

#include "engine/ops/ops.h"
#include "engine/tape/variable.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;

TEST_CASE("a buffer has the name, the shape and the maker of what it holds", "[model]") {
  Variable kernel;
  Tensor images;
  const auto make = [&] {
    kernel = Variable(ones({96, 32}) * 0.5, {.name = "kernel"});
    images = ones({8, 96}).named("images");
  };
  const auto snapshot = test::snapshot_after(make, [&](std::uint64_t) {
    GradientTape tape;
    Tensor y;
    {
      const auto recording = tape.record();
      y = tanh(matmul(images, kernel));
    }
    tape.gradient(y, kernel);
  });
  const StepView& view = *snapshot->complete;
  const auto buffers = buffers_at_peak(view);
  const auto named = [&](const char* name) {
    const auto found = std::ranges::find(buffers, name, &HeldBuffer::name);
    REQUIRE(found != buffers.end());
    return *found;
  };
  const HeldBuffer held = named("kernel");
  CHECK(held.type == "96×32 float32");
  CHECK(held.bytes == 96 * 32 * 4);
  CHECK(held.maker == kNoOp);
  CHECK(maker_text(view, held) == "a variable");
  CHECK(view.ops[held.saved_by].op == "MatMul");
  CHECK(named("images").type == "8×96 float32");
  int made = 0;
  for (const HeldBuffer& one : buffers) {
    if (one.maker == kNoOp) continue;
    const OpRow& row = view.ops[one.maker];
    CHECK(one.name == row.name);
    CHECK(maker_text(view, one) == row.name);
    CHECK(one.type == std::string(row.output_type) + " float32");
    CHECK(one.bytes == row.output_bytes);
    ++made;
  }
  CHECK(made > 0);
  CHECK(std::ranges::none_of(
      buffers, [](const HeldBuffer& one) { return one.name == "MatMul" && one.bytes > 8 * 32 * 4; }));
}
