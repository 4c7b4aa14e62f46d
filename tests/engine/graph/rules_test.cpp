// Each rule fires where it should, not where it must not, and the results are those of the graph as it was.
#include <algorithm>
#include <functional>

#include "engine/events/records/graphs.h"
#include "engine/graph/optimize.h"
#include "tests/support/graph_maker.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

using Build = std::function<ValueIndex(GraphMaker&, ValueIndex x)>;

struct RuleCase {
  std::string_view rule;
  RewriteKind kind;
  Build fires;
  Build stays;  // nothing that looks like it but must be left alone
};

constexpr RewriteKind kBitExact = RewriteKind::bit_exact, kOrder = RewriteKind::reassociating,
                      kNan = RewriteKind::nan_discarding;
// The parameter of every case.
const Shape kX{3, 4};

Attrs ints(std::initializer_list<int> values) {
  Attrs attrs;
  for (const int value : values) attrs.push(value);
  return attrs;
}
ValueIndex filled(GraphMaker& g, const Shape& shape, double value) {
  return g.graph->add_constant(make_full(shape, value, DType::f32));
}

const std::vector<RuleCase>& cases() {
  using G = GraphMaker&;
  using V = ValueIndex;
  static const std::vector<RuleCase> all = {
      {"unused", kBitExact,
       [](G g, V x) {
         g.op("Exp", {x});
         return g.op("Neg", {x});
       },
       [](G g, V x) { return g.op("Neg", {x}); }},
      {"unused", kBitExact,
       [](G g, V x) {
         g.op("Exp", {x});
         return x;
       },
       [](G g, V x) {
         g.op("Exp", {x}, kNoAttrs, GraphNode::kKeep);
         return g.op("Neg", {x});
       }},
      {"remove_identity", kBitExact,
       [](G g, V x) { return g.op("Exp", {g.op("StopGradient", {g.op("Identity", {x})})}); },
       [](G g, V x) { return g.op("Exp", {x}); }},
      {"merge_equal", kBitExact,
       [](G g, V x) {
         return g.op("Sub", {g.op("Sin", {x}), g.op("Sin", {x})});
       },
       [](G g, V x) {
         return g.op("Sub", {g.op("Sin", {x}), g.op("Cos", {x})});
       }},
      {"merge_equal", kBitExact,
       [](G g, V x) {
         const V y = g.op("Sin", {x});
         return g.op("Sub", {g.op("Mul", {x, y}), g.op("Mul", {y, x})});
       },
       [](G g, V x) {
         const V y = g.op("Sin", {x});
         return g.op("Sub", {g.op("Maximum", {x, y}), g.op("Maximum", {y, x})});
       }},
      {"fold", kBitExact,
       [](G g, V x) {
         return g.op("Mul", {x, g.op("Exp", {filled(g, {3, 4}, 1)})});
       },
       [](G g, V x) {
         return g.op("Mul", {x, g.op("Exp", {x})});
       }},
      {"materialize", kBitExact,
       [](G g, V x) {
         return g.op("Sub", {g.op("OnesLike", {x}), x});
       },
       [](G g, V x) {
         return g.op("Sub", {g.op("Sign", {x}), x});
       }},
      {"remove_neutral", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.op("Mul", {x, g.number(1)})});
       },
       [](G g, V x) {
         return g.op("Mul", {x, filled(g, {2, 3, 4}, 1)});
       }},
      {"remove_neutral", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.op("RealDiv", {x, g.number(1)})});
       },
       [](G g, V x) {
         return g.op("RealDiv", {g.number(1), x});
       }},
      {"remove_neutral", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.op("Sub", {x, g.number(0)})});
       },
       [](G g, V x) {
         return g.op("Sub", {g.number(0), x});
       }},
      {"remove_neutral", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.op("AddV2", {x, g.number(-0.0)})});
       },
       [](G g, V x) {
         return g.op("AddV2", {x, g.number(0.5)});
       }},
      {"remove_neutral", kOrder,
       [](G g, V x) {
         return g.op("Exp", {g.op("AddV2", {g.number(0), x})});
       },
       [](G g, V x) {
         return g.op("AddV2", {filled(g, {2, 3, 4}, 0), x});
       }},
      {"subtract_from_zero", kOrder,
       [](G g, V x) {
         return g.op("Sub", {g.number(0), x});
       },
       [](G g, V x) {
         return g.op("Sub", {x, g.number(0)});
       }},
      {"remove_negation", kBitExact,
       [](G g, V x) {
         return g.op("AddV2", {x, g.op("Neg", {g.op("Exp", {x})})});
       },
       [](G g, V x) {
         return g.op("Mul", {x, g.op("Neg", {g.op("Exp", {x})})});
       }},
      {"remove_negation", kBitExact,
       [](G g, V x) {
         return g.op("Sub", {x, g.op("Neg", {g.op("Exp", {x})})});
       },
       [](G g, V x) {
         return g.op("Sub", {g.op("Neg", {g.op("Exp", {x})}), x});
       }},
      {"constant_push_down", kOrder,
       [](G g, V x) {
         return g.op("AddV2", {g.number(0.1), g.op("AddV2", {g.number(0.2), x})});
       },
       [](G g, V x) {
         return g.op("AddV2", {g.number(0.1), g.op("Mul", {g.number(0.2), x})});
       }},
      {"constant_push_down", kOrder,
       [](G g, V x) {
         return g.op("Mul", {g.op("Mul", {x, g.number(3)}), g.number(0.7)});
       },
       [](G g, V x) {
         const V y = g.op("Mul", {x, g.number(3)});
         return g.op("Sub", {g.op("Mul", {y, g.number(0.7)}), y});
       }},
      {"minimize_broadcasts", kOrder,
       [](G g, V x) {
         return g.op("Mul", {g.op("Mul", {x, g.op("Exp", {g.number(0.3)})}), g.reduce("Mean", x, {0, 1})});
       },
       [](G g, V x) {
         return g.op("Mul", {g.op("Mul", {x, x}), g.reduce("Mean", x, {0, 1})});
       }},
      {"simplify_aggregation", kBitExact,
       [](G g, V x) {
         return g.op("AddN", {x, x});
       },
       [](G g, V x) {
         return g.op("AddN", {x, g.op("Exp", {x})});
       }},
      {"simplify_aggregation", kOrder,
       [](G g, V x) {
         return g.op("AddN", {x, x, x});
       },
       [](G g, V x) {
         return g.op("AddN", {x, x, g.op("Exp", {x})});
       }},
      {"multiply_by_zero", kNan,
       [](G g, V x) {
         return g.op("Mul", {x, g.number(0)});
       },
       [](G g, V x) {
         return g.op("Mul", {x, g.number(2)});
       }},
      {"multiply_by_zero", kNan,
       [](G g, V x) {
         return g.matmul(x, filled(g, {4, 2}, 0));
       },
       [](G g, V x) {
         return g.matmul(x, filled(g, {4, 2}, 1));
       }},
      {"replace_mul_with_square", kBitExact,
       [](G g, V x) {
         return g.op("Mul", {x, x});
       },
       [](G g, V x) {
         return g.op("Mul", {x, g.op("Exp", {x})});
       }},
      {"convert_reciprocal", kBitExact,
       [](G g, V x) {
         return g.op("RealDiv", {g.number(1), x});
       },
       [](G g, V x) {
         return g.op("RealDiv", {g.number(2), x});
       }},
      {"convert_sqrt_div_to_rsqrt_mul", kOrder,
       [](G g, V x) {
         return g.op("RealDiv", {g.op("Exp", {x}), g.op("Sqrt", {x})});
       },
       [](G g, V x) {
         const V r = g.op("Sqrt", {x});
         return g.op("AddV2", {r, g.op("RealDiv", {x, r})});
       }},
      {"divide_by_constant", kBitExact,
       [](G g, V x) {
         return g.op("RealDiv", {x, g.number(8)});
       },
       [](G g, V x) {
         return g.op("RealDiv", {x, g.number(0)});
       }},
      {"divide_by_constant", kOrder,
       [](G g, V x) {
         return g.op("RealDiv", {x, g.number(255)});
       },
       [](G g, V x) {
         return g.op("RealDiv", {x, g.op("Exp", {x})});
       }},
      {"convert_pow", kBitExact,
       [](G g, V x) {
         return g.op("Pow", {x, g.number(2)});
       },
       [](G g, V x) {
         return g.op("Pow", {x, g.number(2.5)});
       }},
      {"convert_pow", kBitExact,
       [](G g, V x) {
         return g.op("Neg", {g.op("Pow", {x, g.number(0)})});
       },
       [](G g, V x) {
         return g.op("Pow", {g.number(2), x});
       }},
      {"convert_pow", kOrder,
       [](G g, V x) {
         return g.op("Pow", {x, g.number(3)});
       },
       [](G g, V x) {
         return g.op("Pow", {x, g.number(4)});
       }},
      {"convert_pow", kOrder,
       [](G g, V x) {
         return g.op("Pow", {x, g.number(0.5)});
       },
       [](G g, V x) {
         return g.op("Pow", {x, x});
       }},
      {"fuse_squared_diff", kBitExact,
       [](G g, V x) {
         return g.op("Square", {g.op("Sub", {x, g.op("Exp", {x})})});
       },
       [](G g, V x) {
         const V d = g.op("Sub", {x, g.op("Exp", {x})});
         return g.op("Mul", {d, g.op("Square", {d})});
       }},
      {"remove_involution", kBitExact,
       [](G g, V x) { return g.op("Exp", {g.op("Neg", {g.op("Neg", {x})})}); },
       [](G g, V x) { return g.op("Neg", {g.op("Exp", {x})}); }},
      {"remove_involution", kOrder,
       [](G g, V x) { return g.op("Exp", {g.op("Reciprocal", {g.op("Reciprocal", {x})})}); },
       [](G g, V x) { return g.op("Reciprocal", {g.op("Exp", {x})}); }},
      {"remove_idempotent", kBitExact,
       [](G g, V x) { return g.op("Relu", {g.op("Relu", {g.op("Sin", {x})})}); },
       [](G g, V x) { return g.op("Tanh", {g.op("Tanh", {x})}); }},
      {"convert_log1p", kOrder,
       [](G g, V x) {
         return g.op("Log", {g.op("AddV2", {g.number(1), x})});
       },
       [](G g, V x) {
         return g.op("Log", {g.op("AddV2", {g.number(2), x})});
       }},
      {"convert_expm1", kOrder,
       [](G g, V x) {
         return g.op("Sub", {g.op("Exp", {x}), g.number(1)});
       },
       [](G g, V x) {
         return g.op("Sub", {g.number(1), g.op("Exp", {x})});
       }},
      {"convert_log_softmax", kOrder, [](G g, V x) { return g.op("Log", {g.op("Softmax", {x}, ints({1}))}); },
       [](G g, V x) { return g.op("Exp", {g.op("Softmax", {x}, ints({1}))}); }},
      {"remove_logical_not", kBitExact,
       [](G g, V x) {
         return g.op("LogicalNot", {g.op("Equal", {x, g.op("Floor", {x})})});
       },
       [](G g, V x) {
         return g.op("LogicalNot", {g.op("Less", {x, g.op("Floor", {x})})});
       }},
      {"remove_select", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.op("SelectV2", {g.op("Less", {x, g.number(1)}), x, x})});
       },
       [](G g, V x) {
         return g.op("SelectV2", {g.op("Less", {x, g.number(1)}), x, g.op("Neg", {x})});
       }},
      {"remove_select", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.op("SelectV2", {g.graph->add_constant(make_full({3, 4}, 1, DType::boolean)), x,
                                               g.number(3)})});
       },
       [](G g, V x) {
         return g.op("SelectV2",
                     {g.graph->add_constant(make_full({3, 4}, 0, DType::boolean)), x, g.number(3)});
       }},
      {"optimize_max_or_min_of_monotonic", kOrder,
       [](G g, V x) { return g.reduce("Max", g.op("Exp", {x}), {1}); },
       [](G g, V x) { return g.reduce("Max", g.op("Neg", {x}), {1}); }},
      {"optimize_max_or_min_of_monotonic", kNan,
       [](G g, V x) { return g.reduce("Min", g.op("Sqrt", {x}), {1}); },
       [](G g, V x) { return g.reduce("Sum", g.op("Sqrt", {x}), {1}); }},
      {"remove_redundant_reshape", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.reshape(g.reshape(x, {12}), {4, 3})});
       },
       [](G g, V x) { return g.op("Exp", {g.reshape(x, {12})}); }},
      {"remove_redundant_cast", kBitExact,
       [](G g, V x) {
         return g.op("Exp",
                     {g.op("Cast", {g.op("Cast", {x}, ints({int(DType::f64)}))}, ints({int(DType::f32)}))});
       },
       [](G g, V x) {
         return g.op("Exp",
                     {g.op("Cast", {g.op("Cast", {x}, ints({int(DType::bf16)}))}, ints({int(DType::f32)}))});
       }},
      {"remove_identity_transpose", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.op("Transpose", {g.op("Transpose", {x}, ints({1, 0}))}, ints({1, 0}))});
       },
       [](G g, V x) {
         return g.op("Transpose", {x}, ints({1, 0}));
       }},
      {"remove_noop", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.op("Tile", {x}, ints({1, 1}))});
       },
       [](G g, V x) {
         return g.op("Tile", {x}, ints({1, 2}));
       }},
      {"remove_noop", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.op("Pad", {x}, ints({0, 0, 0, 0}))});
       },
       [](G g, V x) {
         return g.op("Pad", {x}, ints({0, 0, 1, 0}));
       }},
      {"remove_noop", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.op("Slice", {x}, ints({0, 0, 3, 4}))});
       },
       [](G g, V x) {
         return g.op("Slice", {x}, ints({0, 1, 3, 3}));
       }},
      {"remove_noop", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.op("StridedSlice", {x}, ints({0, 3, 1, 0, 4, 1, 3, 4}))});
       },
       [](G g, V x) {
         return g.op("StridedSlice", {x}, ints({2, 3, -1, 0, 4, 1, 3, 4}));
       }},
      {"remove_noop", kBitExact, [](G g, V x) { return g.op("Exp", {g.op("ConcatV2", {x}, ints({0}))}); },
       [](G g, V x) {
         return g.op("ConcatV2", {x, x}, ints({0}));
       }},
      {"pack_to_expand_dims", kBitExact, [](G g, V x) { return g.op("Exp", {g.op("Pack", {x}, ints({1}))}); },
       [](G g, V x) {
         return g.op("Pack", {x, x}, ints({1}));
       }},
      {"remove_redundant_reduction", kBitExact,
       [](G g, V x) {
         return g.op("Exp", {g.reduce("Max", g.reshape(x, {3, 1, 4}), {1})});
       },
       [](G g, V x) { return g.reduce("Max", x, {1}); }},
      {"remove_redundant_reduction", kOrder,
       [](G g, V x) {
         return g.op("Exp", {g.reduce("Sum", g.reshape(x, {3, 1, 4}), {1})});
       },
       [](G g, V x) { return g.reduce("Sum", x, {0}); }},
      {"implicit_broadcast", kBitExact,
       [](G g, V x) {
         return g.op("Mul", {x, g.op("BroadcastTo", {g.reduce("Mean", x, {0})}, ints({3, 4}))});
       },
       [](G g, V x) {
         return g.op("Mul", {g.reduce("Mean", x, {0}),
                             g.op("BroadcastTo", {g.reduce("Max", x, {1}, true)}, ints({3, 4}))});
       }},
      {"fold_transpose_into_matmul", kOrder,
       [](G g, V x) {
         return g.matmul(x, g.op("Transpose", {x}, ints({1, 0})));
       },
       [](G g, V x) { return g.matmul(x, x, false, true); }},
  };
  return all;
}

struct Outcome {
  std::shared_ptr<Graph> graph;
  OptimizeReport report;
  std::vector<Tensor> before, after;

  Outcome(const Build& build, const OptimizeOptions& options) {
    GraphMaker original, optimized;
    for (GraphMaker* make : {&original, &optimized})
      make->graph->results = {build(*make, make->parameter(kX))};
    graph = optimized.graph;
    report = optimize(*graph, options);
    const auto parameters = noise_for(*original.graph);
    before = run_eagerly(*original.graph, parameters);
    Executable executable(graph);
    after = run(executable, parameters);
  }
  const Rewrite* find(std::string_view rule, RewriteKind kind) const {
    for (const Rewrite& rewrite : report.rewrites) {
      if (rewrite.rule == rule && rewrite.kind == kind) return &rewrite;
    }
    return nullptr;
  }
};

void check_close(const std::vector<Tensor>& got, const std::vector<Tensor>& expected) {
  REQUIRE(got.size() == expected.size());
  for (std::size_t r = 0; r < got.size(); ++r) {
    REQUIRE(&got[r].type() == &expected[r].type());
    for (std::int64_t i = 0; i < got[r].numel(); ++i)
      CHECK(element(got[r], i) == Approx(element(expected[r], i)).epsilon(1e-5).margin(1e-6));
  }
}

}  // namespace

TEST_CASE("each rule fires where it should and keeps the results", "[graph]") {
  for (const RuleCase& c : cases()) {
    OptimizeOptions all;
    all.nan_discarding = true;
    const Outcome outcome(c.fires, all);
    INFO(c.rule << "\n" << graph_text(*outcome.graph));
    const Rewrite* rewrite = outcome.find(c.rule, c.kind);
    REQUIRE(rewrite);
    CHECK_FALSE(rewrite->before.empty());
    CHECK(site_with_id(rewrite->site).line > 0);
    if (c.kind == kBitExact) check_same_bits(outcome.after, outcome.before);
    else check_close(outcome.after, outcome.before);
  }
}

TEST_CASE("no rule fires where it must not", "[graph]") {
  for (const RuleCase& c : cases()) {
    if (!c.stays) continue;
    OptimizeOptions all;
    all.nan_discarding = true;
    const Outcome outcome(c.stays, all);
    INFO(c.rule << "\n" << graph_text(*outcome.graph));
    CHECK_FALSE(outcome.find(c.rule, c.kind));
  }
}

TEST_CASE("what is not bit-exact stays out when it is not wanted", "[graph]") {
  for (const RuleCase& c : cases()) {
    OptimizeOptions exact;
    exact.reassociating = false;
    const Outcome outcome(c.fires, exact);
    INFO(c.rule << "\n" << graph_text(*outcome.graph));
    CHECK((outcome.find(c.rule, c.kind) != nullptr) == (c.kind == kBitExact));
    check_same_bits(outcome.after, outcome.before);
  }
}

TEST_CASE("a NaN shows through a product with zero unless it is allowed to vanish", "[graph]") {
  const auto result = [](bool discard) {
    GraphMaker make;
    make.graph->results = {make.op("Mul", {make.parameter({1}), make.number(0)})};
    OptimizeOptions options;
    options.nan_discarding = discard;
    optimize(*make.graph, options);
    Executable executable(make.graph);
    return values_text(run(executable, {constant({1.0}) / constant({0.0})})[0]);
  };
  CHECK_THAT(result(false), contains_text("NaN") || contains_text("nan"));
  CHECK(result(true) == "[0]");
}
