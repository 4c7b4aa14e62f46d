// The Functions panel's lines and texts.
#include "viewer/panels/functions.h"
#include "engine/events/records/graphs.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

std::vector<FunctionRow> one_function() {
  auto graph = std::make_shared<GraphAccount>();
  graph->name = "step";
  graph->trace = 1;
  graph->passes = {
      {.pass = "prune", .round = 1, .before = {9, 900, 90}, .after = {9, 900, 90}},
      {.pass = "arithmetic", .round = 1, .before = {9, 900, 90}, .after = {7, 700, 70}},
      {.pass = "matmul_fusion", .round = 3, .off = true, .before = {7, 700, 70}, .after = {7, 700, 70}}};
  graph->rewrites = {
      {.pass = "arithmetic", .round = 1, .rule = "convert_pow", .before = "Pow(x, 2)", .after = "Square"},
      {.pass = "arithmetic",
       .round = 1,
       .rule = "divide",
       .kind = RewriteKind::reassociating,
       .before = "RealDiv(x, 3)",
       .after = "Mul"}};
  graph->loops = {{.op = "_FusedElementwise",
                   .members = {{.op = "Mul", .share = 0.25}, {.op = "Tanh", .share = 0.75}},
                   .code = LoopCode::machine_code,
                   .bytes = 2048,
                   .microseconds = 8000},
                  {.op = "_FusedReduction",
                   .members = {{.op = "Exp", .share = 0.9}, {.op = "Sum", .share = 0.1}},
                   .why = "LLVM 19 is not installed"}};
  FunctionRow row{.name = "step", .calls = 3, .traces = 1, .trace_us = 12};
  row.retraces.push_back({.call = 2,
                          .kind = "shape",
                          .argument = "x",
                          .from = "[1]",
                          .to = "[2]",
                          .location = "a.cpp:1",
                          .fix = "pad"});
  row.loops.push_back({.trace = 1,
                       .op = "Tanh",
                       .rounds = 300,
                       .nodes = 600,
                       .trace_nodes = 603,
                       .location = "a.cpp:3",
                       .trace_us = 90});
  row.graphs.push_back(std::move(graph));
  return {row};
}

std::ptrdiff_t count(const std::vector<FunctionsLine>& lines, FunctionsLine::Kind kind) {
  return std::count_if(lines.begin(), lines.end(),
                       [&](const FunctionsLine& line) { return line.kind == kind; });
}

}  // namespace

TEST_CASE("a graph opens to the passes that changed something or are off, and its rewrites") {
  using Kind = FunctionsLine::Kind;
  const auto rows = one_function();
  const auto closed = functions_lines(rows, {}, "");
  CHECK(closed.size() == 4);  // function, retrace, unrolled loop, graph
  const auto open = functions_lines(rows, {graph_key(rows[0], 0)}, "");
  CHECK(count(open, Kind::pass) == 2);
  CHECK(count(open, Kind::rewrite) == 2);
  CHECK(count(open, Kind::fused) == 2);
  CHECK(count(functions_lines(rows, {graph_key(rows[0], 0)}, "Tanh"), Kind::fused) == 1);
  const auto filtered = functions_lines(rows, {graph_key(rows[0], 0)}, "reassociating");
  CHECK(count(filtered, Kind::rewrite) == 1);
  CHECK(count(filtered, Kind::pass) == 0);
  CHECK(count(functions_lines(rows, {graph_key(rows[0], 0)}, "nowhere"), Kind::note) == 1);
}

TEST_CASE(
    "text and CSV hold every retrace, unrolled loop, pass and rewrite; all rows of the CSV have the same "
    "fields") {
  const auto rows = one_function();
  const std::string text = functions_plain(rows);
  for (const char* part :
       {"call 2\tshape\tx", "unrolled loop\t300 rounds\t600 of 603 nodes\tTanh\ta.cpp:3", "9 -> 7 nodes",
        "convert_pow\tbit_exact\tPow(x, 2) -> Square", "matmul_fusion\tround 3\toff",
        "_FusedElementwise\tmachine code, 2 KiB, made in 8000 µs\tMul 25 %, Tanh 75 %",
        "_FusedReduction\tinterpreter: LLVM 19 is not installed\tExp 90 %, Sum 10 %"}) {
    INFO(part);
    CHECK(text.find(part) != text.npos);
  }
  const std::string csv = functions_csv(rows);
  std::size_t begin = 0, lines = 0, fields = 0;
  while (begin < csv.size()) {
    const std::size_t end = csv.find('\n', begin);
    bool inside = false;
    std::size_t commas = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (csv[i] == '"') inside = !inside;
      commas += csv[i] == ',' && !inside;
    }
    if (lines == 0) fields = commas;
    INFO(csv.substr(begin, end - begin));
    CHECK(commas == fields);
    begin = end + 1;
    ++lines;
  }
  CHECK(lines == 1 + 1 + 1 + 3 + 2 + 2);
}
