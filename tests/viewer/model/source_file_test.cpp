// A program's file, and what its lines cost.
#include "viewer/model/source_file.h"

#include <fstream>

#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"
#include "tests/support/made_up_step.h"

using namespace tapescope;

TEST_CASE("the first path that can be read gives the lines", "[source]") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "train.py";
  std::ofstream(path) << "def f():\n\treturn 1\r\nx = 2";
  const std::vector<std::string> paths{folder / "absent/train.py", folder / "", path};
  const SourceFile file = read_source(paths);
  CHECK(file.path == path);
  CHECK(file.missing.empty());
  CHECK(file.lines == std::vector<std::string>{"def f():", "    return 1", "x = 2"});
}

TEST_CASE("a file that is nowhere is said with the places that were looked at", "[source]") {
  const std::vector<std::string> paths{"/absent/a/train.py", "train_that_is_absent.py", "/absent/b/train.py"};
  CHECK(read_source(paths).missing ==
        "train.py is not here; looked for /absent/a/train.py or /absent/b/train.py");
}

TEST_CASE("a place is a file and a line", "[source]") {
  CHECK(source_place("C:net.cpp:41").file == "C:net.cpp");
  CHECK(source_place("net.cpp:41").line == 41);
  for (const char* text : {"", "net.cpp", "net.cpp:", "net.cpp:4x", "net.cpp:-1", "net.cpp:99999999999"})
    CHECK(source_place(text).line == 0);
}

TEST_CASE("lines cost what their ops cost, in both directions", "[source]") {
  const auto view = test::made_up_net().view;
  const auto costs = line_costs(*view, "net.cpp");
  REQUIRE(costs.size() == 1);
  const LineCost& cost = costs.at(41);
  double forward = 0, backward = 0;
  for (const OpRow& op : view->ops)
    (op.direction == Direction::backward ? backward : forward) += op.duration_us;
  CHECK(cost.forward_us == Approx(forward));
  CHECK(cost.backward_us == Approx(backward));
  CHECK(cost.ops.size() == view->ops.size());
  CHECK(view->ops[cost.ops[0]].op == "MatMul");
  CHECK(view->ops[cost.ops[0]].duration_us == 68);
  CHECK(line_costs(*view, "other.cpp").empty());
}
