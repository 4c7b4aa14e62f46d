// Running, stopping, and going both ways through a step: the same place has the same hash.
#include "viewer/debugger/run_control.h"

#include <chrono>
#include <thread>

#include "tests/support/catch.h"
#include "viewer/debugger/comparison.h"

using namespace tapescope;

namespace {

RunRequest request(const std::string& sample, const std::string& variant, std::int64_t steps) {
  RunRequest request;
  request.sample = sample;
  request.options.variant = variant;
  request.options.steps = steps;
  return request;
}

RunStatus rest(RunControl& control) {
  REQUIRE(control.wait_at_rest(30));
  return control.status();
}

std::uint64_t hash_at_rest(RunControl& control) {
  const RunStatus status = rest(control);
  REQUIRE(status.mode == RunMode::paused);
  REQUIRE(status.frame);
  return status.frame->hash;
}

}  // namespace

TEST_CASE("a run ends and answers", "[run]") {
  RunControl control(false);
  control.load(request("derivative", "", 1));
  control.run();
  CHECK(rest(control).mode == RunMode::finished);
  REQUIRE(control.result(0).outputs.size() >= 1);
  CHECK(control.result(0).outputs[0].name == "dy/dx");
  CHECK(element(control.result(0).outputs[0].value, 0) == 6);
}

TEST_CASE("five steps forward and five back return to the same frame", "[run][threads]") {
  RunControl control;
  control.load(request("linear-regression", "", 5));
  control.run_until({.kind = Breakpoint::Kind::backward});
  const RunStatus stopped = rest(control);
  REQUIRE(stopped.mode == RunMode::paused);
  CHECK(stopped.frame->reason == StopReason::backward_begin);
  CHECK(stopped.frame->cursor == stopped.frame->forward_count);
  CHECK(stopped.frame->cursor_count > stopped.frame->cursor);
  std::vector<std::uint64_t> hashes{stopped.frame->hash};
  for (int i = 0; i < 5; ++i) {
    control.step_nodes(1);
    hashes.push_back(hash_at_rest(control));
    CHECK(control.status().frame->cursor == stopped.frame->cursor + static_cast<std::uint64_t>(i) + 1);
  }
  for (int i = 4; i >= 0; --i) {
    control.step_nodes(-1);
    CHECK(hash_at_rest(control) == hashes[static_cast<std::size_t>(i)]);
  }
  control.step_nodes(5);
  CHECK(hash_at_rest(control) == hashes[5]);
  control.seek(0);
  CHECK(rest(control).frame->cursor == 0);
  control.step_nodes(-3);  // at the first place it stays there
  CHECK(rest(control).frame->cursor == 0);
  control.seek(100'000);
  CHECK(rest(control).frame->cursor == stopped.frame->cursor_count);
}

TEST_CASE("stepping changes no result", "[run]") {
  RunControl free(false);
  free.load(request("linear-regression", "", 8));
  free.run();
  REQUIRE(rest(free).mode == RunMode::finished);
  RunControl stepped;
  stepped.load(request("linear-regression", "", 8));
  stepped.run_until({.kind = Breakpoint::Kind::backward});
  rest(stepped);
  stepped.step_nodes(3);
  rest(stepped);
  stepped.step_nodes(-2);
  rest(stepped);
  stepped.step_training(2);
  CHECK(rest(stepped).frame->step == 2);
  stepped.step_nodes(-4);
  rest(stepped);
  stepped.run();
  REQUIRE(rest(stepped).mode == RunMode::finished);
  CHECK(stepped.result(0).loss == free.result(0).loss);
}

TEST_CASE("stop ends a paused run; the next one begins again", "[run][threads]") {
  RunControl control;
  control.load(request("linear-regression", "", 50));
  control.run_until({.kind = Breakpoint::Kind::backward});
  CHECK(rest(control).mode == RunMode::paused);
  control.stop();
  CHECK(rest(control).mode == RunMode::idle);
  control.run();
  CHECK(rest(control).mode == RunMode::finished);
  CHECK(control.result(0).loss.size() == 50);
}

TEST_CASE("a window keeps the losses and times of a run's first and latest steps, and counts the others",
          "[run][threads]") {
  RunControl whole, window;
  for (RunControl* const control : {&whole, &window}) {
    RunRequest long_run = request("linear-regression", "", 1500);
    if (control == &window) long_run.kept_steps = 600;
    control->load(long_run);
    control->run();
    REQUIRE(rest(*control).mode == RunMode::finished);
  }
  const ProgramResult &all = whole.result(0), &kept = window.result(0);
  REQUIRE(all.loss.size() == 1500);
  CHECK(all.left == 0);
  constexpr std::size_t kFirst = ProgramResult::kFirstSteps;
  REQUIRE(kept.loss.size() >= kFirst + 600);
  CHECK(kept.loss.size() < kFirst + 1200);
  CHECK(kept.step_us.size() == kept.loss.size());
  CHECK(kept.loss.size() + kept.left == 1500);
  for (std::size_t i = 0; i < kept.loss.size(); ++i)
    REQUIRE(kept.loss[i] == all.loss[i < kFirst ? i : i + kept.left]);
  // Two that let go of as much are compared step by step, else the first steps are.
  ComparisonResult same = compare_results(kept, kept, nullptr, nullptr);
  CHECK(same.same_loss);
  CHECK(compare_results(kept, all, nullptr, nullptr).max_loss_difference == 0);
  ProgramResult other = kept;
  other.loss.back() += 1;
  CHECK(compare_results(kept, other, nullptr, nullptr).max_loss_difference == 1);
}

TEST_CASE("pause stops a run that is under way; many commands in a row lose none", "[run][stress][threads]") {
  RunControl control;
  control.load(request("linear-regression", "", 1'000'000));
  control.run();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  control.pause();
  CHECK(rest(control).mode == RunMode::paused);
  for (int i = 0; i < 30; ++i) control.step_nodes(i % 3 == 2 ? -2 : 1);
  CHECK(rest(control).mode == RunMode::paused);
  control.run();
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  control.stop();
  CHECK(rest(control).mode == RunMode::idle);
}

TEST_CASE("a pause that comes before the run has begun stops it", "[run][threads]") {
  for (int round = 0; round < 20; ++round) {
    RunControl control;
    control.load(request("linear-regression", "", 20'000));
    control.run();
    control.pause();
    CHECK(rest(control).mode == RunMode::paused);
    // It was of that run alone.
    control.load(request("linear-regression", "", 3));
    control.run();
    CHECK(rest(control).mode == RunMode::finished);
  }
}

TEST_CASE("two variants run interleaved and are compared", "[run][threads]") {
  RunControl control(false);
  RunRequest both = request("variable-tracking", "unoptimized", 12);
  both.compare_with = "optimized";
  control.load(both);
  control.run();
  REQUIRE(rest(control).mode == RunMode::finished);
  CHECK(control.result(0).step_us.size() == 12);
  CHECK(control.result(1).step_us.size() == 12);
  CHECK(control.comparison().same_loss);
  CHECK(control.comparison().same_gradients);
  both.compare_with = "as-published";
  control.load(both);
  control.run();
  REQUIRE(rest(control).mode == RunMode::finished);
  CHECK_FALSE(control.comparison().same_loss);
}

TEST_CASE("unusable options are refused before anything runs", "[run]") {
  RunControl control(false);
  CHECK_THROWS_AS(control.load(request("no-such-sample", "", 1)), Error);
  CHECK_THROWS_AS(control.load(request("derivative", "no-such-variant", 1)), Error);
}

TEST_CASE("ending a run while a step is replayed leaves nothing behind", "[run][threads]") {
  RunControl control;
  for (int i = 0; i < 40; ++i) {
    control.load(request("linear-regression", "", 5));
    control.run_until({.kind = Breakpoint::Kind::backward});
    control.step_nodes(2);
    control.step_nodes(-3);
    std::this_thread::sleep_for(std::chrono::microseconds(50 * i));
    control.stop();
    control.run();
    REQUIRE(rest(control).mode == RunMode::finished);
    REQUIRE(control.result(0).loss.size() == 5);
  }
}
