// The state shown after opening a recording is the state shown live: at rest, where it was paused, and at
// every place of the step whose values it holds.
#include <cstdlib>

#include "tests/engine/recording/recording_file.h"
#include "tests/gui/driver.h"
#include "tests/support/catch.h"
#include "viewer/debugger/headless.h"
#include "viewer/window/state_json.h"

#include <nlohmann/json.hpp>

using namespace tapescope;
using namespace tapescope::test;
using namespace tapescope::ui;
using nlohmann::json;

namespace {

// Fields that differ, as text; empty where none does.
std::string differences(const json& live, const json& opened) {
  std::string all;
  for (const auto& [field, value] : live.items()) {
    if (opened[field] != value)
      all += field + ": live " + value.dump() + "\n  opened " + opened[field].dump() + "\n";
  }
  return all;
}

// Every place of the step the driver stands in, inside of functions too: the frames, from the first on.
std::vector<json> frames_from_first(UiDriver& ui, std::size_t most) {
  std::vector<json> frames;
  REQUIRE(ui.run("seek 0").empty());
  REQUIRE(ui.settle());
  while (true) {
    const json state = state_of(ui);
    json shown;
    for (const char* field : {"cursor", "inside", "cursor_count", "step", "frame_hash"})
      shown[field] = state[field];
    if (state["frame"].is_object()) shown.update(state["frame"]);
    frames.push_back(std::move(shown));
    if (state["cursor"] == state["cursor_count"] || frames.size() >= most) return frames;
    REQUIRE(ui.run("step-into").empty());
    REQUIRE(ui.settle());
  }
}

constexpr std::uint64_t kSteps = 4;  // of a long training; what is to be equal is there after some

void load(UiDriver& ui, const std::string& sample, const std::string& variant) {
  REQUIRE(ui.run("sample " + sample).empty());
  REQUIRE(ui.run("variant " + variant).empty());
  if (default_steps_of(ui.bench->choice) > kSteps) REQUIRE(ui.run("steps " + std::to_string(kSteps)).empty());
}

// What the window shows of a sample while it runs here.
struct Live {
  json finished, paused;  // `paused` is null where nothing of the last step is on a tape
  std::vector<json> frames;
};

// Saves the finished run and the one that is paused in the middle of its last step.
Live shown_live(const std::string& sample, const std::string& variant, const std::string& finished,
                const std::string& paused, std::size_t most) {
  UiDriver ui;
  Live live;
  load(ui, sample, variant);
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  live.finished = state_of(ui);
  REQUIRE(ui.run("save " + finished).empty());
  const auto steps = ui.bench->status.step;
  load(ui, sample, variant);
  REQUIRE(ui.run("step-forward").empty());
  REQUIRE(ui.settle());
  if (ui.bench->status.mode == RunMode::paused && steps > 1)
    REQUIRE(ui.run("step-training " + std::to_string(steps - 1)).empty());
  REQUIRE(ui.settle());
  if (ui.bench->status.mode != RunMode::paused) return live;
  live.frames = frames_from_first(ui, most);
  REQUIRE(ui.run("seek " + std::to_string(ui.bench->status.frame->cursor_count / 2)).empty());
  REQUIRE(ui.settle());
  live.paused = state_of(ui);
  REQUIRE(ui.run("save " + paused).empty());
  REQUIRE(ui.settle());
  CHECK(differences(live.paused, state_of(ui)) == "");  // saving moves nothing
  return live;
}

}  // namespace

TEST_CASE(
    "A saved run opens as the window showed it, for every sample: finished, paused, and at each place of its "
    "step") {
  const TemporaryFolder folder;
  const std::string finished = folder / "finished.tape", paused = folder / "paused.tape";
  const char* longer = std::getenv("TAPESCOPE_LONG");
  const bool all = longer && longer[0] == '1';
  const std::size_t most = all ? 5000 : 40;
  for (const SampleInfo& info : sample_registry()) {
    for (const std::string& variant : info.variants) {
      // Each variant in long runs; else the first of each sample, which are those people meet.
      if (!all && variant != info.variants.front()) continue;
      INFO(info.name << " " << variant);
      const Live live = shown_live(info.name, variant, finished, paused, most);
      UiDriver opened;
      REQUIRE(opened.run("open " + finished).empty());
      REQUIRE(opened.settle());
      CHECK(differences(live.finished, state_of(opened)) == "");
      if (live.paused.is_null()) continue;
      REQUIRE(opened.run("step-last").empty());
      CHECK(opened.bench->status.mode == RunMode::paused);
      const std::vector<json> frames = frames_from_first(opened, most);
      REQUIRE(frames.size() == live.frames.size());
      for (std::size_t i = 0; i < frames.size(); ++i) {
        INFO("place " << i);
        REQUIRE(differences(live.frames[i], frames[i]) == "");
      }
      REQUIRE(opened.run("stop").empty());
      CHECK(differences(live.finished, state_of(opened)) == "");
      REQUIRE(opened.run("open " + paused).empty());
      REQUIRE(opened.settle());
      CHECK(differences(live.paused, state_of(opened)) == "");
    }
  }
}
