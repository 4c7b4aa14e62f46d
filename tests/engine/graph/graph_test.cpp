// A graph as text.
#include "engine/graph/graph.h"

#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("a graph's text has each output of a node with its type", "[graph]") {
  Function product("product", [](const Tensor& x) {
    const auto rows = unstack(x, 0);
    return rows[0] * rows[1];
  });
  const std::string text = product.get_concrete_function({zeros({2, 3})}).graph_text();
  CHECK_THAT(text, contains_text("%1, %2 = Unpack(%0) : float32[3], float32[3]\n"));
  CHECK_THAT(text, contains_text("%3 = Mul(%1, %2) : float32[3]\n  return %3\n"));
}
