// A look at a gradient call inside a function changes no bit of what the function's graph computes.
#include "engine/graph/looks.h"
#include "engine/graph/optimize.h"

#include "tests/support/graph_maker.h"

using namespace tapescope;
using namespace tapescope::test;

TEST_CASE("looks change no bit of what a graph computes, whatever is rewritten", "[graph]") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
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
    optimize(*plain);
    optimize(*with);
    INFO("seed " << seed << "\n" << graph_text(*plain) << graph_text(*with));
    Executable run_plain(plain), run_with(with);
    check_same_bits(run(run_with, parameters), run(run_plain, parameters));
  }
}
