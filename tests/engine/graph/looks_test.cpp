// A look at a gradient call inside a function changes no bit of what the function's graph computes.
#include "engine/graph/looks.h"
#include "engine/graph/optimize.h"

#include "tests/support/graph_maker.h"

using namespace tapescope;
using namespace tapescope::test;

TEST_CASE("looks change no bit of what a graph computes, whatever is rewritten", "[graph]") {
  for (unsigned seed = 1; seed <= 120; ++seed) {
    const OptimizeOptions options{.compiled = seed % 2 == 0};
    const auto plain = random_graph(seed), looked = random_graph(seed);
    // Every third value is asked for, halfway and at the end.
    for (const NodeIndex after : {looked->nodes().size() / 2, looked->nodes().size()}) {
      GraphQuestion question;
      question.after = static_cast<NodeIndex>(after);
      for (NodeIndex n = 0; n < after; n += 3)
        question.answers.push_back({looked->nodes()[n].first_output, 0, 0, 0});
      looked->questions.push_back(question);
    }
    auto with = std::make_shared<Graph>(with_looks(*looked));
    const auto parameters = noise_for(*plain, seed);
    optimize(*plain, options);
    optimize(*with, options);
    INFO("seed " << seed << "\n" << graph_text(*plain) << graph_text(*with));
    Executable run_plain(plain), run_with(with);
    check_same_bits(run(run_with, parameters), run(run_plain, parameters));
  }
}

TEST_CASE("looks leave the order of long folds as it is", "[graph]") {
  // What is folded is looked at: itself, beside what nothing else needs, or only that.
  for (int what = 1; what < 4; ++what) {
    const auto graph = [&] {
      GraphMaker make;
      const ValueIndex input = make.op("Square", {make.parameter({9, 80'000})}),
                       loose = make.op("Exp", {input});
      make.graph->results = {make.reduce("Sum", input, {1})};
      GraphQuestion question;
      question.after = static_cast<NodeIndex>(make.graph->nodes().size());
      if (what & 1) question.answers.push_back({input, 0, 0, 0});
      if (what & 2) question.answers.push_back({loose, 0, 0, 0});
      make.graph->questions.push_back(question);
      return make.graph;
    };
    const auto plain = graph(), with = std::make_shared<Graph>(with_looks(*plain));
    const auto parameters = noise_for(*plain);
    optimize(*plain, {.compiled = true});
    optimize(*with, {.compiled = true});
    INFO(graph_text(*plain) << graph_text(*with));
    CHECK(graph_text(*plain).find("_FusedReduction") != std::string::npos);
    Executable run_plain(plain), run_with(with);
    check_same_bits(run(run_with, parameters), run(run_plain, parameters));
  }
}
