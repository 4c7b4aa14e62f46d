// A program's file, and places in it.
#include "viewer/store/source_text.h"

#include <fstream>

#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"

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
