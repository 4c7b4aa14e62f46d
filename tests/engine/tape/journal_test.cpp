// What a tape remembers for explanations: its own nodes, whole, whatever its thread's records still hold.
#include "engine/tape/journal.h"

#include "engine/ops/ops.h"
#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("each node of a tape is in its history as it was recorded", "[tape][explain]") {
  GradientTape tape({.persistent = true});
  Tensor x = constant({1.0, 2.0, 3.0, 4.0, 5.0});
  {
    auto recording = tape.record();
    tape.watch(x);
    // Far more than the thread keeps records of.
    for (int round = 0; round < 400; ++round) {
      const std::vector<Tensor> parts = unstack(x * 0.5);
      x = stack(parts) +
          reduce_sum(stack(std::vector<Tensor>(7, parts[static_cast<std::size_t>(round % 5)])));
    }
  }
  const TapeStorage& storage = tape.storage();
  const History history = history_of(storage);
  REQUIRE(storage.nodes.size() > 2000);
  for (std::uint32_t n = 0; n < storage.nodes.size(); ++n) {
    const Node& node = storage.nodes[n];
    const HistoryOp* op = history.producer(node.output);
    INFO("node " << n << ", " << node.op->name);
    REQUIRE(op);
    CHECK(op->op == node.op->id);
    CHECK(op->outputs == node.outputs);
    CHECK(history.answer(*op, storage.id) == TapeAnswer::recorded);
    REQUIRE(history.inputs(*op).size() == node.inputs);
    for (std::uint32_t i = 0; i < node.inputs; ++i)
      CHECK(history.inputs(*op)[i] == storage.inputs[node.first_input + i].id);
    for (std::uint32_t k = 0; k < node.outputs; ++k) {
      CHECK(history.producer(node.output + k) == op);
      CHECK(history.type_of(node.output + k) == storage.values[node.first_value + k].type);
    }
  }
}
