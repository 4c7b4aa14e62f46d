// Scripts: what is read, and what is said about what cannot be.
#include "viewer/window/script.h"
#include "tests/support/catch.h"

using namespace tapescope::ui;

TEST_CASE("blank lines and comments count in line numbers and do nothing else") {
  const auto lines = parse_script("# a script\n\nrun\r\n  wait idle 5 \n#quit\nquit");
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].number == 3);
  CHECK(lines[0].text == "run");
  CHECK(lines[1].number == 4);
  CHECK(lines[1].text == "wait idle 5");
  CHECK(lines[2].number == 6);
  CHECK(parse_script("").empty());
}

TEST_CASE("waits are read with their limits") {
  std::string wrong;
  auto wait = parse_wait("idle", wrong);
  REQUIRE(wait);
  CHECK(wait->what == WaitFor::What::idle);
  CHECK(wait->limit == 30);
  wait = parse_wait("step 12 2.5", wrong);
  REQUIRE(wait);
  CHECK(wait->what == WaitFor::What::step);
  CHECK(wait->step == 12);
  CHECK(wait->limit == 2.5);
  wait = parse_wait("paused 3", wrong);
  REQUIRE(wait);
  CHECK(wait->limit == 3);
  wait = parse_wait("seconds 0.25", wrong);
  REQUIRE(wait);
  CHECK(wait->limit == 0.25);
}

TEST_CASE("waits that make no sense are refused with the reason") {
  for (const char* text :
       {"", "forever", "step", "step x", "seconds", "seconds soon", "idle later", "idle -1"}) {
    std::string wrong;
    INFO(text);
    CHECK_FALSE(parse_wait(text, wrong));
    CHECK_FALSE(wrong.empty());
  }
}
