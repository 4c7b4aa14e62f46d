// The window's side of an attachment, to a program of this process.
#include "viewer/debugger/live_connection.h"

#include "engine/live/server.h"
#include "tests/engine/live/attached.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"
#include "viewer/store/recording_source.h"

using namespace tapescope;
using tapescope::test::TemporaryFolder;
using tapescope::test::Training;

namespace {

bool wait(const std::function<bool()>& there) {
  for (int i = 0; i < 1000 && !there(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return there();
}

// Once the command given last was carried out and its events are stored.
std::shared_ptr<const FrameView> frame_at_rest(LiveConnection& program) {
  if (!wait([&] { return program.at_rest(); })) return nullptr;
  program.ingest().flush();
  return program.status().frame;
}

}  // namespace

TEST_CASE("a program that is attached to is shown, stepped and left running", "[live][threads]") {
  TemporaryFolder folder;
  live::Server server(folder / "");
  Training training;
  std::atomic<int> woken{0};
  auto program = std::make_unique<LiveConnection>(server.path(), [&] { ++woken; });
  CHECK(program->title() == program->greeting().name + " (" + std::to_string(getpid()) + ")");
  CHECK(program->status().mode == RunMode::running);
  CHECK_FALSE(program->at_rest());
  REQUIRE(wait([&] { return program->ingest().store(0).snapshot()->steps.size() > 5; }));
  const auto shown = program->ingest().store(0).snapshot();
  REQUIRE(shown->complete);
  CHECK(shown->complete->ops.size() == 8);
  REQUIRE(shown->gradients.size() == 1);
  CHECK(shown->gradients[0].source == "w");
  CHECK(program->status().step == shown->steps.back().step + 1);
  CHECK(shown->steps.size() <= program->status().step);

  program->set_breakpoints({Breakpoint{.kind = Breakpoint::Kind::backward}});
  REQUIRE(wait([&] { return program->status().mode == RunMode::paused; }));
  auto frame = frame_at_rest(*program);
  REQUIRE(frame);
  CHECK((frame->reason == StopReason::backward_begin && frame->breakpoint == "a backward pass begins"));
  CHECK((frame->cursor == 4 && frame->forward_count == 4 && frame->cursor_count == 8));
  const std::uint64_t step = frame->step;
  // All that led here is stored: the open step's ops up to this place.
  const auto here = program->ingest().store(0).snapshot();
  REQUIRE(here->current);
  CHECK(here->current->step == step);
  CHECK(here->current->ops.size() == 4);

  program->set_breakpoints({});
  program->step_nodes(2);
  frame = frame_at_rest(*program);
  REQUIRE(frame);
  CHECK((frame->cursor == 6 && frame->frame.backward && op_name_text(frame->frame.op) == "Square"));
  CHECK(frame->frame.hash() == frame->hash);  // every value came across
  CHECK_FALSE(frame->frame.cotangents_out.empty());
  program->step_nodes(-4);
  frame = frame_at_rest(*program);
  REQUIRE(frame);
  CHECK(frame->cursor == 4);
  CHECK(program->take_notice().find("no way back") != std::string::npos);
  CHECK(program->take_notice().empty());
  program->step_training(2);
  REQUIRE(wait([&] { return program->at_rest(); }));
  frame = program->status().frame;
  REQUIRE(frame);
  CHECK((frame->step == step + 2 && frame->cursor == 4));
  CHECK(training.stands());
  // One that means the third time.
  program->set_breakpoints({{.kind = Breakpoint::Kind::op, .text = "Sum", .from_hit = 3}});
  program->run();
  REQUIRE(wait([&] { return program->at_rest(); }));
  frame = program->status().frame;
  REQUIRE(frame);
  CHECK(frame->breakpoint == "op Sum, hit 3");
  CHECK((frame->step == step + 3 && frame->cursor == 5));  // backward here, forward and backward there
  CHECK(program->breakpoints().at(0).hits == 3);
  program->set_breakpoints({});
  program->run();
  CHECK(wait([&] { return program->status().mode == RunMode::running; }));
  CHECK(training.runs());
  program->pause();
  REQUIRE(wait([&] { return program->at_rest(); }));
  CHECK(training.stands());
  program.reset();
  CHECK(training.runs());
  CHECK(woken > 0);
}

TEST_CASE("the rest of a step is read op by op, and the program is shown where it stood", "[live][threads]") {
  TemporaryFolder folder;
  live::Server server(folder / "");
  Training training;
  LiveConnection program(server.path(), [] {});
  CHECK(program.why_unread().find("pause it first") != std::string::npos);
  program.set_breakpoints({Breakpoint{.kind = Breakpoint::Kind::op, .text = "Square"}});
  REQUIRE(wait([&] { return program.at_rest(); }));
  auto frame = frame_at_rest(program);
  REQUIRE(frame);
  program.set_breakpoints({});
  REQUIRE(program.why_unread() == "");
  const std::uint64_t step = frame->step, cursor = frame->cursor;
  program.read_rest();
  frame = frame_at_rest(program);
  REQUIRE(frame);
  CHECK((frame->step == step && frame->cursor == cursor));
  const auto seen = program.seen(step);
  REQUIRE(seen);
  REQUIRE(seen->frames.size() == 8 - cursor + 1);
  for (std::size_t i = 0; i < seen->frames.size(); ++i) {
    CHECK(seen->frames[i]->cursor == cursor + i);
    CHECK(seen->frames[i]->frame.hash() == seen->frames[i]->hash);
  }
  // What ran before is not to be had any more.
  CHECK(program.why_unread().find("stop earlier") != std::string::npos);
  CHECK(program.take_notice().empty());
  // In the next step it can be read again.
  program.step_training(1);
  frame = frame_at_rest(program);
  REQUIRE(frame);
  CHECK(frame->step == step + 1);
  CHECK(program.why_unread() == "");
  program.run();
  CHECK(training.runs());
}

TEST_CASE("a program's end leaves its last events; one attaches again as often as one likes",
          "[live][threads]") {
  TemporaryFolder folder;
  live::Server server(folder / "");
  Training training;
  for (int i = 0; i < 2; ++i) {
    LiveConnection program(server.path(), [] {});
    CHECK(wait([&] { return program.ingest().store(0).snapshot()->steps.size() > 2; }));
    CHECK(error_of([&] { LiveConnection(server.path(), [] {}); }).find("is attached to") !=
          std::string::npos);
  }
  REQUIRE(wait([] { return Session::active() == nullptr; }));
  LiveConnection last(server.path(), [] {});
  CHECK(wait([&] { return last.ingest().store(0).snapshot()->steps.size() > 2; }));
  training.end();
  server.finish();
  REQUIRE(wait([&] { return last.at_rest(); }));
  last.ingest().flush();
  const RunStatus status = last.status();
  CHECK(status.mode == RunMode::finished);
  CHECK(status.error.empty());
  CHECK(status.step == training.steps());
  CHECK(last.source().without_results().loss.empty());
  CHECK(last.ingest().store(0).snapshot()->lost_events == 0);
  // No program is there to be moved.
  last.run();
  last.step_nodes(1);
  CHECK(last.at_rest());
  CHECK(error_of([&] { LiveConnection(server.path(), [] {}); }).find("cannot attach to") !=
        std::string::npos);
}

TEST_CASE("of two variables of one name an attached program stops for the one that is meant", "[live]") {
  TemporaryFolder folder;
  live::Server server(folder / "");
  Training training([]() -> Training::Step {
    return [first = Variable(constant({1.0}), {.name = "w"}),
            second = Variable(constant({2.0}), {.name = "w"})] {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_sum(first * 10.0) + reduce_sum(second * 1000.0);
      }
      tape.gradient(loss, {first, second});
    };
  });
  LiveConnection program(server.path(), [] {});
  program.set_breakpoints(
      {{.kind = Breakpoint::Kind::norm_above, .limit = 20, .source = "w"},
       {.kind = Breakpoint::Kind::norm_above, .limit = 20, .source = "w#2", .from_hit = 3}});
  REQUIRE(wait([&] { return program.status().mode == RunMode::paused; }));
  const auto frame = frame_at_rest(program);
  REQUIRE(frame);
  CHECK(frame->breakpoint.starts_with("the gradient of w#2's norm is above 20, hit 3: "));
  CHECK(program.breakpoints().at(0).hits == 0);
  CHECK(program.breakpoints().at(1).hits == 3);
  const auto snapshot = program.ingest().store(0).snapshot();
  for (const GradientRow& row : snapshot->gradients) {
    const Arrived* const arrived = arrived_at(frame->arrived, frame->frame, row, snapshot->complete.get());
    REQUIRE(arrived);
    if (row.source == "w#2") CHECK(arrived->sum.norm == 1000);
    else CHECK((arrived->parts.empty() || arrived->sum.norm == 10));
  }
}
