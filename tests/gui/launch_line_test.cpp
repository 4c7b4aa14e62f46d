// What is typed of a program to be launched.
#include "viewer/window/launch_line.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/approval.h"
#include "tests/support/catch.h"
#include "tests/support/set_variable.h"

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

TEST_CASE("launch lines are read, written and titled as it was approved") {
  std::string text;
  for (const char* typed : {"",
                            "   ",
                            "train.py",
                            "  train.py --lr 0.1  ",
                            "-- train",
                            "-- --program --run",
                            "--run train",
                            "--run",
                            "--run --",
                            "--run --run a b",
                            "--folder",
                            "--folder ",
                            "--folder /runs",
                            "--folder /runs train",
                            "--folder '/my runs' --run --python py3 --record a.tape train 1 2",
                            "--python --record x",
                            "--record '' train",
                            "--folder ~/runs --python ~/env/python ~/train",
                            "--folder ~ ~",
                            "~user/train",
                            "--other train",
                            "--runtrain",
                            "--run=1 train",
                            "'a program' 'b c' \"d\"",
                            "train 'open",
                            "train \\\\ x",
                            "train -- --folder x",
                            "train --run"}) {
    LaunchLine line;
    const std::string wrong = parse_launch(typed, line);
    text += fmt::format("[{}]\n", typed);
    if (!wrong.empty()) {
      text += "  " + wrong + "\n";
      continue;
    }
    text += fmt::format("  program [{}] arguments [{}] folder [{}] python [{}] record [{}]{}\n", line.program,
                        line.arguments, line.folder, line.python, line.record, line.runs ? " runs" : "");
    text += fmt::format("  written [{}] titled [{}]\n", text_of(line), title_of(line));
    LaunchLine again;
    CHECK(parse_launch(text_of(line), again) == "");
    CHECK(again == line);
  }
  approve("gui/approved/launch-lines.txt", text);
}

TEST_CASE("of a launch that is repeated the latest is kept, and of many the last twelve") {
  std::vector<LaunchLine> list;
  const auto add = [&](const std::string& program, const std::string& folder, double when) {
    remember(list, {.program = program, .folder = folder, .when = when});
  };
  add("a", "", 1), add("b", "", 2), add("a", "/runs", 3), add("a", "", 4);
  REQUIRE(list.size() == 3);
  CHECK(list[0].when == 4);
  CHECK(list[1].folder == "/runs");
  CHECK(list[2].program == "b");
  for (int i = 0; i < 20; ++i) add(std::to_string(i), "", 5 + i);
  REQUIRE(list.size() == 12);
  CHECK(list.front().program == "19");
  CHECK(list.back().program == "8");
}

TEST_CASE("a path of a launch begins at home where it is written so") {
  const test::SetVariable home("HOME", "/home/of-one");
  LaunchLine line;
  REQUIRE(parse_launch("--folder ~/runs --python ~ --record ~x ~/train ~/data", line).empty());
  const Launch launch = launch_of(line);
  CHECK(launch.folder == "/home/of-one/runs");
  CHECK(launch.python == "/home/of-one");
  CHECK(launch.record == "~x");
  CHECK(launch.words == std::vector<std::string>{"/home/of-one/train", "~/data"});
}
