// What a program calls the tensors that it asks about.
#include "viewer/store/expressions.h"

#include <fstream>

#include "engine/ops/ops.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;

namespace {

AskedExpressions asked(std::vector<std::string> lines, std::uint32_t line, std::size_t sources,
                       const char* path = "net.cpp") {
  return asked_expressions({.path = path, .lines = std::move(lines)}, line, sources);
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("a question's arguments are what a program calls its tensors", "[expressions]") {
  const AskedExpressions one = asked({"  const Tensor g = tape.gradient(loss, stem.weight);"}, 1, 1);
  CHECK(one.target == "loss");
  CHECK(one.sources == Names{"stem.weight"});
  CHECK(asked({"auto g = tape->gradient(f(a, b)[0], {w, k[i, 2]});"}, 1, 2).target == "f(a, b)[0]");
  CHECK(asked({"auto g = tape->gradient(f(a, b), {w, k(i, 2)});"}, 1, 2).sources == Names{"w", "k(i, 2)"});
  CHECK(asked({"g = t.gradient([loss], [w, b])"}, 1, 2, "train.py").target == "loss");
  CHECK(asked({"tape.gradient(loss, {{\"w\", w}, {\"b\", bias}})"}, 1, 2).sources == Names{"w", "bias"});
  CHECK(asked({"tape.jacobian(y, x, {.batched = true})"}, 1, 1).sources == Names{"x"});
}

TEST_CASE("a container of sources is called by its elements", "[expressions]") {
  CHECK(asked({"tape.gradient(loss, model.weights)"}, 1, 2).sources ==
        Names{"model.weights[0]", "model.weights[1]"});
  CHECK(asked({"tape.gradient(loss, w)"}, 1, 1).sources == Names{"w"});
}

TEST_CASE("a question may fill several lines, with comments and strings between", "[expressions]") {
  const std::vector<std::string> lines{"auto g = tape.gradient(  // all, but (one",
                                       "    total(\"a, b)\", 'x'),   // isn't in use", "    {w,  // first",
                                       "     b});"};
  for (std::uint32_t line = 1; line <= 4; ++line) {
    const AskedExpressions found = asked(lines, line, 2);
    CHECK(found.target == "total(\"a, b)\", 'x')");
    CHECK(found.sources == Names{"w", "b"});
  }
  const std::vector<std::string> python{"grads = tape.gradient(loss,  # don't ask for h",
                                        "                      [w // 2, b])"};
  CHECK(asked(python, 1, 2, "train.py").sources == Names{"w // 2", "b"});
}

TEST_CASE("what is not one clear question names nothing", "[expressions]") {
  const auto nothing = [](const std::vector<std::string>& lines, std::uint32_t line, std::size_t sources) {
    const AskedExpressions found = asked(lines, line, sources);
    return found.target.empty() && found.sources.empty();
  };
  CHECK(nothing({}, 1, 1));
  CHECK(nothing({"x"}, 0, 1));
  CHECK(nothing({"x"}, 7, 1));
  CHECK(nothing({"a.gradient(x, y); b.gradient(z, y);"}, 1, 1));
  CHECK(nothing({"gradient(x, y);", "my_gradient(x, y)"}, 2, 1));
  CHECK(nothing({"tape.gradient(loss"}, 1, 1));
  CHECK(nothing({"tape.gradient("}, 1, 1));
  // The list has another length: perhaps another question.
  CHECK(asked({"tape.gradient(loss, {a, b})"}, 1, 3).sources.empty());
  // Long ones are left out.
  CHECK(asked({"tape.gradient(" + std::string(41, 'x') + ", w)"}, 1, 1).target.empty());
}

TEST_CASE("tensors without names are called by the expressions of the question", "[expressions]") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "expressions_test.cpp";
  const int line = __LINE__ + 10;
  const auto snapshot = test::snapshot_of([](std::uint64_t) {
    const Tensor x = exp(constant({1.0, 2.0})), other = log(constant({3.0}));
    GradientTape tape;
    Tensor y;
    {
      const auto recording = tape.record();
      tape.watch({x, other});
      y = reduce_sum(square(x));
    }
    tape.gradient(y, {x, other});
  });
  REQUIRE(snapshot->complete);
  std::vector<GradientRow> rows = snapshot->gradients;
  REQUIRE(rows.size() == 2);
  const auto of_index = [&](std::size_t index) {
    return std::ranges::find(rows, index, &GradientRow::index)->source;
  };
  Sources sources;
  name_by_expressions(sources.of(*snapshot, [](auto) { return std::vector<std::string>{}; }).get(), rows);
  CHECK(of_index(1) == "Log");
  CHECK(rows[0].target.find("Sum at expressions_test.cpp:") == 0);
  {
    std::ofstream file(path);
    for (int i = 1; i < line; ++i) file << '\n';
    file << "    tape.gradient(y, {x, other});\n";
  }
  rows = snapshot->gradients;
  name_by_expressions(sources.of(*snapshot, [&](auto) { return std::vector{path}; }).get(), rows);
  CHECK(of_index(0) == "x");
  CHECK(of_index(1) == "other");
  CHECK(rows[0].target == "y");
}
