// What the optimizer did is in records: graphs, passes, rewrites with their marks and lines, and runs.
#include "engine/explain/graph_log.h"
#include "engine/events/records/graphs.h"

#include <algorithm>

#include "engine/explain/retrace.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/function_accounts.h"

using namespace tapescope;
using tapescope::test::accounts_of;

namespace {

FunctionAccount account_of(const auto& program) {
  const auto accounts = accounts_of(program);
  REQUIRE(accounts.size() == 1);
  return accounts[0];
}

const RewriteAccount* rewrite_by(const GraphAccount& graph, std::string_view rule) {
  const auto found = std::find_if(graph.rewrites.begin(), graph.rewrites.end(),
                                  [&](const auto& r) { return r.rule == rule; });
  return found == graph.rewrites.end() ? nullptr : &*found;
}

const auto scaled_square = [](const Tensor& x) { return pow(x, 2.0) / 3.0; };

}  // namespace

TEST_CASE("a graph that ran has a record of its passes and each rewrite with its mark and line") {
  const FunctionAccount f = account_of([] {
    Function function("f", scaled_square);
    function(ones({4}));
    function(ones({4}));
  });
  REQUIRE(f.graphs.size() == 1);
  const GraphAccount& graph = *f.graphs[0];
  CHECK(graph.name == "f");
  CHECK(graph.trace == 1);
  REQUIRE(graph.passes.size() > 8);
  CHECK(graph.passes[0].pass == "prune");
  CHECK(graph.passes[0].round == 1);
  CHECK(graph.before().nodes == 2);
  CHECK(graph.before().flops > 0);
  CHECK(graph.after().nodes == 1);
  CHECK(graph.after().bytes < graph.before().bytes);
  const RewriteAccount* power = rewrite_by(graph, "convert_pow");
  REQUIRE(power);
  CHECK(power->pass == "arithmetic");
  CHECK(location_text(site_with_id(power->site)).starts_with("graph_log_test.cpp:"));
  const bool marked = std::any_of(graph.rewrites.begin(), graph.rewrites.end(),
                                  [](const auto& r) { return r.kind == RewriteKind::reassociating; });
  CHECK(marked);
  CHECK(f.calls == 2);
  CHECK(f.runs == 2);
  CHECK(f.nodes == 1);
}

TEST_CASE("a pass that is switched off says so and changes nothing") {
  const FunctionAccount f = account_of([] {
    OptimizeOptions options;
    options.switch_off(Pass::arithmetic);
    options.switch_off(Pass::elementwise_fusion);
    Function function("f", scaled_square, {.optimize = options});
    function(ones({4}));
  });
  REQUIRE(f.graphs.size() == 1);
  CHECK(f.graphs[0]->rewrites.empty());
  CHECK(f.graphs[0]->after().nodes == 2);
  CHECK(std::count_if(f.graphs[0]->passes.begin(), f.graphs[0]->passes.end(),
                      [](const auto& p) { return p.off; }) == 3);
}

TEST_CASE("the forward and backward graphs of a call under a tape have separate accounts") {
  const FunctionAccount g = account_of([] {
    Function function("g", [](const Tensor& x) { return reduce_sum(exp(x)); });
    const Tensor x = ones({4});
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(x);
      y = function(x);
    }
    REQUIRE(tape.gradient(y, x));
  });
  REQUIRE(g.graphs.size() == 2);
  CHECK(g.graphs[0]->name == "__forward_g");
  CHECK(g.graphs[1]->name == "__backward___forward_g");
}

TEST_CASE("a function without end keeps its latest graphs and counts the others") {
  GraphLog log;
  for (std::uint32_t trace = 1; trace <= 200; ++trace) {
    log.add(0, GraphRecord{.name = intern_name("f"), .function = 7, .trace = trace}, 3);
    log.add(0, GraphPassRecord{.round = 1, .pass = intern_name("prune"), .nodes_before = 5, .nodes_after = 4},
            0);
  }
  const GraphLog::Graphs graphs = log.graphs(3);
  CHECK(graphs.kept.size() + graphs.dropped == 200);
  CHECK(graphs.kept.back()->trace == 200);
  CHECK(graphs.kept.back()->after().nodes == 4);
  CHECK(graphs.dropped > 0);
  CHECK(log.graphs(7).kept.empty());
}
