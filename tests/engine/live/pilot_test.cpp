// A program that is not ours is stopped and stepped through from outside; nothing it computes changes.
#include "engine/live/pilot.h"

#include "engine/live/for_good.h"

#include "tests/engine/live/attached.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::live;
using tapescope::test::Attached;
using tapescope::test::TemporaryFolder;
using tapescope::test::Training;
using Kind = Request::Kind;

namespace {

std::string op_of(Attached& viewer) { return std::string(op_name_text(viewer.frame().frame.op)); }

struct Stage {
  TemporaryFolder folder;
  Server server{folder / ""};
  Training training;
  Attached viewer{server.path()};

  // Stops at the first node of some step.
  bool stop_at_first() {
    viewer.set_breakpoints({{.kind = Breakpoint::Kind::op, .text = "ReadVariableOp"}});
    bool stopped = viewer.wait([&] { return viewer.standing.paused; });
    // Set in the middle of a step it is met first where the backward pass comes to that op.
    while (stopped && viewer.standing.cursor != 1) {
      viewer.give(Kind::run);
      stopped = viewer.wait_paused();
    }
    viewer.set_breakpoints({});
    return stopped;
  }
};

}  // namespace

TEST_CASE("a program that waits for a viewer goes on after one that left before it looked", "[live]") {
  Pilot& pilot = keep_for_good(std::make_unique<Pilot>([] {}));
  CHECK(pilot.left() == 0);
  pilot.attach();
  pilot.detach();
  CHECK(pilot.left() == 1);
  CHECK(pilot.stand(0));
  // One that left earlier does not count: the next is waited for.
  std::thread next([&] {
    pilot.attach();
    pilot.detach();
  });
  CHECK(pilot.stand(1));
  next.join();
  CHECK(pilot.left() == 2);
}

TEST_CASE("what a viewer asks for before a program stands is carried out once it does", "[live]") {
  Pilot& pilot = keep_for_good(std::make_unique<Pilot>([] {}));
  const std::uint64_t left = pilot.expect_stand();
  pilot.attach();
  pilot.pause();
  pilot.give({.kind = Kind::run});
  CHECK(pilot.standing().requests_done == 0);
  CHECK(pilot.stand(left));
  CHECK_FALSE(pilot.standing().paused);
  CHECK(pilot.standing().requests_done == 1);
  // It runs now: to run on is done at once.
  pilot.give({.kind = Kind::run});
  CHECK(pilot.standing().requests_done == 2);
  pilot.detach();
}

TEST_CASE("a running program pauses, steps in both directions and goes on", "[live][threads]") {
  Stage s;
  REQUIRE(s.stop_at_first());
  CHECK(s.viewer.standing.reason == StopReason::breakpoint);
  REQUIRE(s.viewer.standing.hit);
  const std::uint64_t step = s.viewer.standing.step;
  CHECK(s.viewer.standing.cursor == 1);

  std::vector<std::string> ops = {op_of(s.viewer)};
  std::vector<std::uint64_t> hashes = {s.viewer.frame().hash};
  for (int i = 0; i < 7; ++i) {
    s.viewer.give(Kind::step_nodes, 1);
    REQUIRE(s.viewer.wait_paused());
    ops.push_back(op_of(s.viewer));
    hashes.push_back(s.viewer.frame().hash);
  }
  CHECK(ops == std::vector<std::string>{"ReadVariableOp", "Mul", "Square", "Sum", "Sum", "Square", "Mul",
                                        "ReadVariableOp"});
  CHECK(s.viewer.standing.forward_count == 4);
  CHECK_FALSE(s.viewer.standing.at_end);
  // On to the end, where it stays.
  s.viewer.give(Kind::seek, 1000);
  REQUIRE(s.viewer.wait_paused());
  CHECK((s.viewer.standing.at_end && s.viewer.standing.cursor == 8 && s.viewer.standing.cursor_count == 8));
  s.viewer.give(Kind::step_nodes, 1);
  REQUIRE(s.viewer.wait_paused());
  CHECK(s.viewer.standing.cursor == 8);
  CHECK(s.viewer.standing.step == step);

  // What is inside of what comes next is the next step's.
  s.viewer.give(Kind::step_into);
  REQUIRE(s.viewer.wait_paused());
  CHECK((s.viewer.standing.step == step + 1 && s.viewer.standing.cursor == 1 && !s.viewer.standing.at_end));
  CHECK(op_of(s.viewer) == "ReadVariableOp");
  hashes.front() = s.viewer.frame().hash;
  for (std::size_t place = 1; place < hashes.size(); ++place) {
    s.viewer.give(Kind::step_nodes, 1);
    REQUIRE(s.viewer.wait_paused());
    hashes[place] = s.viewer.frame().hash;
  }
  s.viewer.give(Kind::seek, 1000);
  REQUIRE(s.viewer.wait_paused());
  // Every place it was stepped over is shown again as it was.
  for (std::size_t place = hashes.size(); place-- > 0;) {
    s.viewer.give(Kind::seek, static_cast<std::int64_t>(place) + 1);
    REQUIRE(s.viewer.wait_paused());
    CHECK(s.viewer.frame().hash == hashes[place]);
    CHECK(s.viewer.standing.cursor == place + 1);
    CHECK(s.viewer.standing.notice.empty());
  }
  s.viewer.give(Kind::step_nodes, -1);
  REQUIRE(s.viewer.wait_paused());
  CHECK(s.viewer.standing.cursor == 1);
  CHECK(s.viewer.standing.notice.find("no way back") != std::string::npos);

  const std::uint64_t before = s.training.steps();
  s.viewer.give(Kind::run);
  REQUIRE(s.viewer.wait(
      [&] { return !s.viewer.standing.paused && s.viewer.standing.requests_done == s.viewer.given; }));
  CHECK(s.training.runs());
  CHECK(s.training.steps() > before);
}

TEST_CASE("a place of a later step, an op to run to, and a pause at any moment", "[live]") {
  Stage s;
  REQUIRE(s.stop_at_first());
  s.viewer.give(Kind::step_nodes, 2);
  REQUIRE(s.viewer.wait_paused());
  const std::uint64_t step = s.viewer.standing.step;
  s.viewer.give(Kind::step_training, 3);
  REQUIRE(s.viewer.wait([&] { return s.viewer.standing.paused && s.viewer.standing.step == step + 3; }));
  CHECK(s.viewer.standing.cursor == 3);
  CHECK(op_of(s.viewer) == "Square");
  CHECK(s.viewer.standing.cursor_count == 8);  // as many as the step before had

  s.viewer.give(Kind::run_until, 0, {.kind = Breakpoint::Kind::op, .text = "Sum"});
  REQUIRE(s.viewer.wait([&] { return s.viewer.standing.paused && s.viewer.standing.cursor == 4; }));
  CHECK(op_of(s.viewer) == "Sum");
  // It counted once.
  s.viewer.give(Kind::run);
  REQUIRE(s.viewer.wait([&] { return !s.viewer.standing.paused; }));
  CHECK(s.training.runs());

  s.viewer.say(FromViewer::pause);
  REQUIRE(s.viewer.wait([&] { return s.viewer.standing.paused; }));
  CHECK(s.viewer.standing.reason == StopReason::pause);
  CHECK(s.training.stands());
  // What was asked for while it ran is not left over for the next stop.
  s.viewer.give(Kind::run);
  s.viewer.give(Kind::run);
  REQUIRE(s.viewer.wait(
      [&] { return !s.viewer.standing.paused && s.viewer.standing.requests_done == s.viewer.given; }));
  s.viewer.say(FromViewer::pause);
  REQUIRE(s.viewer.wait_paused());
  CHECK(s.training.stands());
}

TEST_CASE("a viewer that dies or says nothing while the program is paused leaves it running",
          "[live][threads]") {
  TemporaryFolder folder;
  Server server(folder / "", std::chrono::milliseconds(300));
  Training training;
  {
    Attached viewer(server.path());
    viewer.say(FromViewer::pause);
    REQUIRE(viewer.wait([&] { return viewer.standing.paused; }));
  }
  CHECK(training.runs());
  // Not a sign of life, and the next one finds a program that runs.
  Attached silent(server.path());
  silent.say(FromViewer::pause);
  REQUIRE(silent.wait([&] { return silent.standing.paused; }));
  CHECK(training.runs());
  CHECK(silent.wait_closed());
  Attached next(server.path());
  next.say(FromViewer::pause);
  REQUIRE(next.wait([&] { return next.standing.paused; }));
  // One that leaves politely lets it run, too.
  next.say(FromViewer::goodbye);
  CHECK(training.runs());
}

TEST_CASE("a program that stands at a place of its viewer can end", "[live]") {
  auto stage = std::make_unique<Stage>();
  REQUIRE(stage->stop_at_first());
  stage->server.finish();
  stage->training.end();
  CHECK(stage->viewer.wait_closed());
  CHECK(stage->viewer.goodbye);
}

TEST_CASE("once parted from, a pilot that goes on stopping a program calls no listener", "[live][threads]") {
  std::atomic<int> calls{0};
  Pilot& pilot = keep_for_good(std::make_unique<Pilot>([&] { ++calls; }));
  Training training;
  const auto reaches = [&](std::uint64_t done) {
    for (int i = 0; i < 1000 && !(pilot.standing().paused && pilot.standing().requests_done == done); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return pilot.standing().paused && pilot.standing().requests_done == done;
  };
  pilot.attach();
  pilot.pause();
  REQUIRE(reaches(0));
  pilot.give({Kind::step_nodes, 1, {}});
  REQUIRE(reaches(1));
  pilot.part();
  const int before = calls;
  CHECK(before >= 1);
  pilot.give({Kind::step_nodes, 1, {}});
  CHECK(reaches(2));
  pilot.detach();
  CHECK(training.runs());
  CHECK(calls == before);
}

TEST_CASE("hits that do not count stay in the program, and are reported while it runs", "[live]") {
  Stage s;
  s.viewer.set_breakpoints({{.kind = Breakpoint::Kind::op, .text = "Square", .from_hit = 1000000, .id = 1},
                            {.kind = Breakpoint::Kind::backward, .enabled = false, .id = 2}});
  const auto hits_of = [&](std::uint32_t id) {
    for (const Hits& one : s.viewer.hits) {
      if (one.id == id) return one.count;
    }
    return std::uint64_t{0};
  };
  REQUIRE(s.viewer.wait([&] { return hits_of(1) > 20; }));
  CHECK(hits_of(2) == 0);
  // No stop and no request: the standing that the viewer attached with is the last.
  CHECK_FALSE(s.viewer.standing.paused);
  CHECK(s.viewer.standing.requests_done == 0);
  CHECK(s.training.runs());
  // The count is that of the stop, before the stop is reported.
  s.viewer.set_breakpoints({{.kind = Breakpoint::Kind::op, .text = "Sum", .from_hit = 5, .id = 3}});
  REQUIRE(s.viewer.wait([&] { return s.viewer.standing.paused; }));
  REQUIRE(s.viewer.standing.hit);
  CHECK(s.viewer.standing.hit->hits == 5);
  CHECK(hits_of(3) == 5);
  CHECK_FALSE(s.viewer.damaged);
}
