// Two variables of one name in the window: at a stop, in the panels, in what `explain` says.
#include <nlohmann/json.hpp>

#include <functional>
#include <map>

#include "engine/recording/process_recording.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/gui/driver.h"
#include "tests/support/catch.h"
#include "viewer/debugger/headless.h"
#include "viewer/export/report_json.h"
#include "viewer/window/state_json.h"

using namespace tapescope;
using namespace tapescope::test;
using namespace tapescope::ui;
using nlohmann::json;

namespace {

// The gradient of the one made first is 10, of the second 1000; of two more, one is never used.
std::function<void()> namesakes() {
  return
      [first = Variable(constant({1.0}), {.name = "w"}), second = Variable(constant({2.0}), {.name = "w"}),
       used = Variable(constant({3.0}), {.name = "v"}), unused = Variable(constant({4.0}), {.name = "v"})] {
        GradientTape tape;
        Tensor loss;
        {
          auto recording = tape.record();
          const Tensor a = reduce_sum(first * 10.0), b = reduce_sum(second * 1000.0), c = reduce_sum(used);
          loss = a + b + c;
        }
        tape.gradient(loss, {first, second, used, unused});
      };
}

// Three steps, with the values of the last.
void record_run(const std::string& path) {
  // A recording that keeps values lives as long as the process.
  static record::ProcessRecording* recording = nullptr;
  REQUIRE(recording == nullptr);
  recording =
      new record::ProcessRecording(path, record::ValueOptions::of(record::ValueRule::parse("last"), 1));
  const auto step = namesakes();
  for (std::uint64_t i = 0; i < 3; ++i) {
    note_step_begin(i, 0);
    step();
    note_step_end(i, 0);
  }
  recording->finish();
}

json row_of(const json& state, const std::string& source) {
  for (const json& row : state["gradients"]) {
    if (row["source"] == source) return row;
  }
  return nullptr;
}

}  // namespace

TEST_CASE("two variables of one name stay apart where a program stands and in every panel") {
  const TemporaryFolder folder;
  const std::string path = folder / "namesakes.tape";
  record_run(path);
  UiDriver ui;
  REQUIRE(ui.run("open " + path) == "");
  REQUIRE(ui.settle());
  REQUIRE(ui.run("step-last") == "");
  REQUIRE(ui.run("step-back") == "");
  REQUIRE(ui.settle());
  const json state = state_of(ui);
  REQUIRE(state["mode"] == "paused");
  CHECK(row_of(state, "w")["norm"] == 10);
  CHECK(row_of(state, "w#2")["norm"].is_null());  // it arrives one place later
  CHECK(row_of(state, "w#2")["pending"] == true);
  CHECK(row_of(state, "v")["status"] == "value");
  CHECK(row_of(state, "v#2")["status"] == "none");
  // The last read of the step hands its part on one place later.
  std::map<std::string, json> arrived;
  for (const json& item : state["frame"]["accumulated"])
    arrived[item["name"].get<std::string>()] = item["norm"];
  CHECK(arrived == std::map<std::string, json>{{"w", 10}, {"w#2", nullptr}, {"v", 1}});
  CHECK(ui.bench->panel("gradients")->text(ui.bench->context()).find("w#2\t") != std::string::npos);

  for (const char* source : {"w", "w#2", "v", "v#2"})
    CHECK(ui.on_screen(std::string("gradients/row/") + source));
  for (const auto& [source, gradient] : {std::pair{"w", "10"}, {"w#2", "1000"}}) {
    REQUIRE(ui.run(std::string("select source ") + source) == "");
    ui.frame(2);
    const std::string text = ui.bench->panel("inspector")->text(ui.bench->context());
    INFO(text);
    CHECK(text.find(std::string("d ") + source) == 0);
    CHECK(text.find(std::string("gradient")) != std::string::npos);
    CHECK(text.find(std::string("norm\t") + gradient) != std::string::npos);
  }
  for (const std::string& complaint : ui.complaints) FAIL_CHECK(complaint);

  // What `explain` says of such a run, as text and as JSON.
  const RunReport report = report_of(ui.bench->debuggee.so_far(), 0);
  const Json document = explain_json(report);
  CHECK(row_of(document, "v#2")["status"] == "none");
  CHECK(row_of(document, "v")["status"] == "value");
  CHECK(row_of(document, "w#2")["status"] == "value");
  CHECK(explain_text(report).find("v#2") != std::string::npos);
}
