// A step of the past is what a window that had stood there saw of it.
#include "viewer/debugger/look_back.h"

#include <chrono>
#include <thread>

#include "engine/core/error.h"
#include "engine/ops/ops.h"
#include "engine/program.h"
#include "engine/tape/tape.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

constexpr std::uint64_t kSteps = 5;

// Step i squares i + 1 times, so that steps differ in their ops and in the norm of the gradient.
SmallProgram growing_program() {
  SmallProgram program;
  Session session;
  session.start();
  const Variable w(constant({1.5f, -2.0f}), {.name = "w"});
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    note_step_begin(i, 0);
    GradientTape tape;
    Tensor loss = w * 1.0f;
    {
      auto recording = tape.record();
      loss = w * 1.0f;
      for (std::uint64_t square_ = 0; square_ <= i; ++square_) loss = square(loss);
      loss = reduce_sum(loss);
    }
    tape.gradient(loss, w);
    note_step_end(i, 0, false);
  }
  session.stop();
  program.statistics = session.take_stats();
  session.drain([&](std::uint32_t thread, std::span<const Record> part) {
    program.thread = thread;
    program.records.insert(program.records.end(), part.begin(), part.end());
  });
  return program;
}

// The whole run as its window has it.
std::shared_ptr<const Snapshot> whole(const SmallProgram& program) {
  Store store;
  store.add(program.thread, program.records);
  store.add_stats(program.statistics);
  store.publish();
  return store.snapshot();
}

// In blocks of seven records, the figures behind them.
LookBack::Replay replay_of(const SmallProgram& program) {
  return [&program](const RecordSink& sink) {
    for (std::size_t at = 0; at < program.records.size(); at += 7) {
      record::EventBlock block;
      const std::size_t count = std::min<std::size_t>(7, program.records.size() - at);
      block.add(program.thread, std::span(program.records).subspan(at, count));
      if (!sink.events(block)) return;
    }
    sink.statistics(program.statistics);
  };
}

void await(const LookBack& look) {
  while (look.reads()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

TEST_CASE("each step of a run can be shown in place of its last one, with its gradients", "[look_back]") {
  const SmallProgram program = growing_program();
  const auto run = whole(program);
  REQUIRE(run->complete->step == kSteps - 1);
  LookBack look(replay_of(program), {}, [] {});
  CHECK(look.of(run) == run);
  std::uint64_t version = run->version;
  double norm = 0;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    look.go_to(step);
    CHECK(look.step() == step);
    await(look);
    CHECK(look.take_failure().empty());
    const auto shown = look.of(run);
    CHECK(shown == look.of(run));
    CHECK(shown->version != version);
    version = shown->version;
    REQUIRE(shown->shown()->step == step);
    CHECK(shown->shown()->ops.size() + 2 * (kSteps - 1 - step) <= run->shown()->ops.size());
    CHECK(shown->steps.size() == kSteps);
    REQUIRE(shown->gradients.size() == 1);
    CHECK(shown->gradients[0].has_stats);
    CHECK(shown->gradients[0].step == step);
    CHECK(shown->gradients[0].norm > norm);
    norm = shown->gradients[0].norm;
  }
  look.leave();
  CHECK_FALSE(look.step());
  CHECK(look.of(run) == run);
}

TEST_CASE("a step that is not kept is refused with a sentence, and what is shown stays", "[look_back]") {
  const SmallProgram program = growing_program();
  const auto run = whole(program);
  LookBack look(replay_of(program), {}, [] {});
  look.go_to(2);
  await(look);
  const auto shown = look.of(run);
  look.go_to(kSteps + 7);
  await(look);
  CHECK(look.take_failure().find("not kept") != std::string::npos);
  CHECK(look.take_failure().empty());
  CHECK(look.step() == 2);
  CHECK(look.of(run) == shown);

  const auto gone = [](const RecordSink&) { throw Error(ErrorKind::surroundings, "the file is gone"); };
  LookBack fails(gone, {}, [] {});
  fails.go_to(1);
  await(fails);
  CHECK(fails.take_failure() == "the file is gone");
  CHECK(fails.of(run) == run);
}

TEST_CASE("a step that is left or replaced while it is read never comes", "[look_back][threads]") {
  const SmallProgram program = growing_program();
  const auto run = whole(program);
  for (int round = 0; round < 50; ++round) {
    LookBack look(replay_of(program), {}, [] {});
    look.go_to(0);
    look.go_to(3);
    await(look);
    CHECK(look.of(run)->shown()->step == 3);
    look.go_to(1);
    look.leave();
    CHECK(look.of(run) == run);
  }
}
