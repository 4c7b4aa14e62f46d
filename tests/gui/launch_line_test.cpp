// What is typed of a program to be launched.
#include "viewer/window/launch_line.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

TEST_CASE("a launch is read with its options, and written as what reads back the same") {
  LaunchLine line;
  REQUIRE(
      parse_launch(
          "--folder '/tmp/my runs' --python ~/env/bin/python --record a.tape --run train.py --epochs 3", line)
          .empty());
  CHECK(line.program == "train.py");
  CHECK(line.arguments == "--epochs 3");
  CHECK(line.folder == "/tmp/my runs");
  CHECK(line.record == "a.tape");
  CHECK(line.runs);
  LaunchLine again;
  REQUIRE(parse_launch(text_of(line), again).empty());
  CHECK(again == line);
  const Launch launch = launch_of(line);
  CHECK(launch.words == std::vector<std::string>{"train.py", "--epochs", "3"});
  CHECK_FALSE(launch.python.starts_with("~"));
}

TEST_CASE("an argument with blanks or quotes reaches the program as it was typed") {
  LaunchLine line;
  REQUIRE(parse_launch(R"("./my fit" 'a b' "c \"d\"" plain)", line).empty());
  CHECK(launch_of(line).words == std::vector<std::string>{"./my fit", "a b", "c \"d\"", "plain"});
  LaunchLine again;
  REQUIRE(parse_launch(text_of(line), again).empty());
  CHECK(launch_of(again).words == launch_of(line).words);
}

TEST_CASE("what is no launch says why") {
  LaunchLine line;
  CHECK(parse_launch("", line).find("needs a program") != std::string::npos);
  CHECK(parse_launch("--folder", line).find("needs a value") != std::string::npos);
  CHECK(parse_launch("--flodder /tmp x", line).find("is no option") != std::string::npos);
}
