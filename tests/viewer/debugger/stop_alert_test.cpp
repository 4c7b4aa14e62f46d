// A program that stands at the first value that is not finite has an alert before its step is over.
#include "viewer/debugger/stop_alert.h"

#include "engine/ops/ops.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

// A step that stands behind the logarithm of {1, `second`}, and the frame of that place.
struct Stand {
  Variable x;
  Tensor sum, made;
  std::shared_ptr<const Snapshot> run;
  std::shared_ptr<FrameView> frame = std::make_shared<FrameView>();

  explicit Stand(float second) : x(constant({1.0f, second}), {.name = "x"}) {
    Session session;
    Store store;
    Store* stores[] = {&store};
    Router router(stores);
    session.start();
    note_step_begin(2, 0);
    GradientTape tape;
    {
      const auto recording = tape.record();
      sum = x + 0.0f;
      made = log(sum);
    }
    session.drain(
        [&](std::uint32_t thread, std::span<const Record> records) { router.add(thread, records); });
    store.publish();
    run = store.snapshot();
    note_step_end(2, 0);
    session.stop();
    frame->step = 2;
    frame->cursor = 3;  // the read of the variable, the sum, the logarithm
    frame->frame.cursor = 3;
    frame->frame.output = made.id();
    frame->frame.inputs = {{.name = "", .value = sum}};
    frame->frame.outputs = {{.name = "", .value = made}};
  }

  RunStatus status() const {
    RunStatus status;
    status.mode = RunMode::paused;
    status.frame = frame;
    return status;
  }
};

}  // namespace

TEST_CASE("a stop at the first NaN is an alert with its op, count and remedy") {
  const Stand stand(-1.0f);
  const auto alert = alert_at(*stand.frame, *stand.run);
  REQUIRE(alert);
  CHECK(alert->kind == "nonfinite");
  CHECK(alert->op_type == "Log");
  CHECK(alert->value == "nan");
  CHECK(alert->direction == "forward");
  CHECK(alert->step == 2);
  CHECK(alert->node == 2);
  REQUIRE(alert->op_index < stand.run->shown()->ops.size());
  CHECK(stand.run->shown()->ops[alert->op_index].op == "Log");
  const std::string number = std::to_string(stand.run->step_shown(2));
  CHECK(alert->message.find("of step " + number + " whose output is not finite: 1 of 2 is NaN") !=
        std::string::npos);
  CHECK_FALSE(alert->fix.empty());
}

TEST_CASE("what an op only passes on is no alert at a stop") {
  const Stand stand(-1.0f);
  stand.frame->frame.inputs = stand.frame->frame.outputs;
  CHECK_FALSE(alert_at(*stand.frame, *stand.run));
  const Stand finite(2.0f);
  CHECK_FALSE(alert_at(*finite.frame, *finite.run));
}

TEST_CASE("an infinity is an alert where a breakpoint was met, as a program may mean it") {
  const Stand stand(0.0f);
  CHECK_FALSE(alert_at(*stand.frame, *stand.run));
  stand.frame->breakpoint = "a value is not finite";
  const auto alert = alert_at(*stand.frame, *stand.run);
  REQUIRE(alert);
  CHECK(alert->value == "-inf");
}

TEST_CASE("the alert of a stop stays while the step goes on, and leaves with it") {
  const Stand stand(-1.0f);
  StopAlert stop;
  RunStatus status = stand.status();
  const auto first = stop.put_into(stand.run, status);
  REQUIRE(first->alerts.size() == 1);
  CHECK(first->version != stand.run->version);
  CHECK(stop.put_into(stand.run, status) == first);

  SECTION("one op further in the same step") {
    auto further = std::make_shared<FrameView>(*stand.frame);
    further->frame.inputs = further->frame.outputs;
    status.frame = further;
    CHECK(stop.put_into(stand.run, status)->alerts.size() == 1);
  }
  SECTION("the next step") {
    auto next = std::make_shared<FrameView>(*stand.frame);
    next->step = 3;
    next->frame.outputs = next->frame.inputs = {};
    status.frame = next;
    CHECK(stop.put_into(stand.run, status)->alerts.empty());
  }
  SECTION("another program") {
    status.generation = 7;
    status.frame.reset();
    CHECK(stop.put_into(stand.run, status)->alerts.empty());
  }
  SECTION("the run says it itself") {
    auto judged = std::make_shared<Snapshot>(*stand.run);
    AlertRow own;
    own.kind = "nonfinite";
    own.message = "the run's";
    judged->alerts.push_back(own);
    const auto shown = stop.put_into(judged, status);
    REQUIRE(shown->alerts.size() == 1);
    CHECK(shown->alerts.front().message == "the run's");
  }
}
