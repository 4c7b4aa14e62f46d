// Several programs in one window: which one the panels show, what stands beside it, where one was in each,
// and their common clock.
#include <nlohmann/json.hpp>

#include "tests/engine/recording/recording_file.h"
#include "tests/gui/driver.h"
#include "tests/support/catch.h"
#include "viewer/window/state_json.h"

using namespace tapescope;
using namespace tapescope::test;
using namespace tapescope::ui;
using nlohmann::json;

namespace {

// The run of a sample as a recording.
void save_run(const std::string& sample, const char* steps, const std::string& path) {
  UiDriver ui;
  REQUIRE(ui.run("sample " + sample).empty());
  REQUIRE(ui.run(std::string("steps ") + steps).empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  REQUIRE(ui.run("save " + path).empty());
}

void run(UiDriver& ui, const std::string& line) {
  INFO(line);
  const std::string wrong = ui.run(line);
  CHECK(wrong == "");
  REQUIRE(ui.settle());
}

std::string shown_as(const json& state) {
  std::string letters;
  for (const json& program : state["programs"])
    letters += program["shown_as"].is_null() ? "-" : program["shown_as"].get<std::string>();
  return letters;
}

// What a user left behind in a program.
json place_of(const json& state) {
  json place;
  for (const char* field : {"sample", "mode", "step", "cursor", "frame_hash", "selection", "filter", "loss"})
    place[field] = state[field];
  return place;
}

// A small program's recording that ended so.
void save_ended(const std::string& path, const record::Ending& ending, record::ProgramFacts facts = {}) {
  const SmallProgram program = small_program(3);
  facts["name"] = "small";
  record::RecordingWriter writer(record::open_sink(path), std::move(facts));
  writer.add(program.thread, program.records);
  const Record end = record::record_of(ending);
  writer.add(program.thread, std::span(&end, 1));
  writer.finish(record::reason_of(ending), 0, 0);
}

}  // namespace

TEST_CASE("without an alert the gradient that is zero is named, with its reason a click away") {
  const TemporaryFolder folder;
  const auto save = [&](const std::string& path, const SmallProgram& program) {
    record::RecordingWriter writer(record::open_sink(path), {{"name", "small"}});
    writer.add(program.thread, program.records);
    writer.add_statistics(program.statistics);
    writer.finish("finished", 0, 0);
  };
  save(folder / "zero.tape", small_program_of(2, [](const Tensor& w) { return relu(w * 0.1 - 9.0); }));
  save(folder / "well.tape", small_program(2));
  UiDriver ui;
  run(ui, "open " + (folder / "well.tape"));
  CHECK_FALSE(ui.on_screen("alerts/empty"));
  run(ui, "open " + (folder / "zero.tape"));
  REQUIRE(state_of(ui)["gradients"][0]["status"] == "zero");
  REQUIRE(state_of(ui)["alerts"].empty());
  ui.click("alerts/empty");
  CHECK(state_of(ui)["selection"] == "source w");
  check_clean(ui);
}

TEST_CASE("a recording says in the window how its program ended, and what it was not observed for") {
  const TemporaryFolder folder;
  save_ended(folder / "killed.tape", {.how = ProgramEnd::signal, .code = 11, .type = "SIGSEGV"});
  save_ended(folder / "watched.tape", {}, {{"unseen", "it was watched, which finds no None"}});
  save_ended(folder / "stopped.tape", {.how = ProgramEnd::interrupted});
  UiDriver ui;
  run(ui, "open " + (folder / "killed.tape"));
  const json killed = state_of(ui);
  REQUIRE(killed["alerts"].size() == 1);
  CHECK(killed["alerts"][0]["kind"] == "truncated");
  CHECK(killed["alerts"][0]["message"].get<std::string>().find("SIGSEGV") != std::string::npos);
  CHECK(ui.on_screen("alerts/row/0"));
  run(ui, "open " + (folder / "watched.tape"));
  CHECK(state_of(ui)["alerts"].empty());
  CHECK(ui.bench->status.unseen == "it was watched, which finds no None");
  // The user's own wish is nothing to look at.
  run(ui, "open " + (folder / "stopped.tape"));
  CHECK(state_of(ui)["alerts"].empty());
  check_clean(ui);
}

TEST_CASE("the recording of a program that is no sample is called a program, and nothing offers to run it") {
  const TemporaryFolder folder;
  save_ended(folder / "own.tape", {});
  save_run("derivative", "1", folder / "sample.tape");
  UiDriver ui;
  run(ui, "open " + (folder / "own.tape"));
  ui.frame(2);
  REQUIRE(ui.on_screen("toolbar/run"));
  CHECK_FALSE(ui.bench->map.find("toolbar/run")->enabled);
  CHECK_FALSE(ui.on_screen("toolbar/variant"));
  for (const char* command : {"run", "restart"})
    CHECK(ui.run(command).find("a recording of small is shown, which is no sample") != std::string::npos);
  run(ui, "open " + (folder / "sample.tape"));
  ui.frame(2);
  CHECK(ui.bench->map.find("toolbar/run")->enabled);
  CHECK(ui.on_screen("toolbar/variant"));
  check_clean(ui);
}

TEST_CASE("two recordings are open side by side: one in focus, one beside it, each with its place") {
  const TemporaryFolder folder;
  save_run("linear-regression", "12", folder / "a.tape");
  save_run("linear-regression", "20", folder / "b.tape");
  UiDriver ui;
  // Where nothing has run yet there is nothing to stand beside.
  run(ui, "open-beside " + (folder / "a.tape"));
  CHECK(ui.bench->programs.empty());
  CHECK_FALSE(ui.on_screen("programs/1"));
  const json alone = state_of(ui);
  CHECK(alone["programs"].empty());
  CHECK(alone["loss"].size() == 12);

  run(ui, "open-beside " + (folder / "b.tape"));
  json both = state_of(ui);
  CHECK(shown_as(both) == "AB");
  CHECK(both["programs"][0]["title"] == "a.tape");
  CHECK(both["programs"][1]["title"] == "b.tape");
  CHECK(both["programs"][0]["process"] == "linear-regression (" + std::to_string(getpid()) + ")");
  CHECK(both["programs"][0]["offset_us"] == 0);
  CHECK(both["programs"][1]["offset_us"] > 0);  // it ran later, on the same machine
  CHECK((ui.on_screen("programs/1") && ui.on_screen("programs/2") && ui.on_screen("graph/b/canvas")));
  // A is what it was alone; B is compared with it, as what ran apart.
  for (const auto& [field, value] : alone.items()) {
    if (field != "programs" && field != "compare") CHECK(both[field] == value);
  }
  CHECK(both["compare"]["interleaved"] == false);
  CHECK(both["compare"]["same_loss"] == true);
  CHECK(both["compare"]["a"]["steps"] == 12);
  CHECK(both["compare"]["b"]["steps"] == 20);
  CHECK(ui.bench->panel("differs")->text(ui.bench->context()).find("measured in different runs") !=
        std::string::npos);
  CHECK(ui.bench->panel("differs")->text(ui.bench->context()).find("Both compute the same") !=
        std::string::npos);
  run(ui, "panel compare");
  CHECK(ui.bench->panel("compare")
            ->text(ui.bench->context())
            .find("12 and 20 steps, measured in different runs") != std::string::npos);
  CHECK(ui.bench->panel("loss")->text(ui.bench->context()).find("B\t19\t") != std::string::npos);

  // Each keeps its place.
  run(ui, "beside off");
  CHECK(shown_as(state_of(ui)) == "A-");
  CHECK(state_of(ui)["compare"].is_null());
  run(ui, "step-last");
  run(ui, "step-back 2");
  run(ui, "select op 3");
  run(ui, "filter Mul");
  const json place = place_of(state_of(ui));
  CHECK((place["mode"] == "paused" && place["selection"] == "op 3"));
  ui.click("programs/2");
  const json second = state_of(ui);
  CHECK(shown_as(second) == "-A");
  CHECK((second["mode"] == "finished" && second["selection"] == "none" && second["filter"] == "" &&
         second["loss"].size() == 20));
  run(ui, "select op 5");
  run(ui, "next-program");
  CHECK(place_of(state_of(ui)) == place);
  run(ui, "program b.tape");
  CHECK(state_of(ui)["selection"] == "op 5");
  // The one that stands beside changes places with the one in focus.
  ui.click("programs/1/beside");
  CHECK(shown_as(state_of(ui)) == "BA");
  run(ui, "program 1");
  CHECK(shown_as(state_of(ui)) == "AB");
  CHECK(place_of(state_of(ui)) == place);
  check_clean(ui);

  for (const auto& [line, words] :
       {std::pair{"program 3", "no open program is called `3`; there are 1 a.tape, 2 b.tape"},
        {"beside 1", "that is program A"},
        {"pause-all", "none runs"},
        {"run-all", "none is paused"},
        {"close-beside x", "no open program is called `x`"}}) {
    INFO(line);
    CHECK(ui.run(line).find(words) != std::string::npos);
  }
  CHECK(ui.run("open-beside " + (folder / "c.tape")).find("cannot read") != std::string::npos);
  CHECK(ui.run("attach-beside absent").find("no program called absent listens") != std::string::npos);
  CHECK(shown_as(state_of(ui)) == "AB");

  run(ui, "close-beside");
  CHECK(ui.bench->programs.empty());
  CHECK_FALSE(ui.on_screen("programs/1"));
  CHECK(place_of(state_of(ui)) == place);
  CHECK(ui.run("close-beside") == "only one program is open");
  check_clean(ui);
}

TEST_CASE("the timeline has the rows of every open program on one clock; a click on another's focuses it") {
  const TemporaryFolder folder;
  save_run("linear-regression", "30", folder / "a.tape");
  save_run("derivative", "1", folder / "b.tape");
  UiDriver ui;
  run(ui, "open " + (folder / "a.tape"));
  run(ui, "panel timeline");
  CHECK_FALSE(ui.on_screen("timeline/program/1"));
  run(ui, "open-beside " + (folder / "b.tape"));
  run(ui, "beside off");
  ui.frame(2);
  REQUIRE((ui.on_screen("timeline/program/1") && ui.on_screen("timeline/program/2")));
  // Both in one table, by the time at which they began.
  const std::string text = ui.bench->panel("timeline")->text(ui.bench->context());
  CHECK(text.rfind("program\tbegin_us\tstep\t", 0) == 0);
  double last = 0, first = 0;
  for (std::size_t at = text.find('\n') + 1; at < text.size(); at = text.find('\n', at) + 1) {
    const std::size_t tab = text.find('\t', at);
    (text.compare(at, 6, "a.tape") == 0 ? last : first) = std::stod(text.substr(tab + 1));
  }
  CHECK(last > 0);
  CHECK(first > last);
  // Where one stands in a step the others may be out of sight: the first click goes there, the second shows
  // that program.
  run(ui, "step-last");
  ui.click("timeline/program/2");
  CHECK(shown_as(state_of(ui)) == "A-");
  ui.click("timeline/program/2");
  CHECK(shown_as(state_of(ui)) == "-A");
  CHECK(state_of(ui)["sample"] == "derivative");
  check_clean(ui);
}

TEST_CASE(
    "a sample that runs here is one of several programs, and a recording takes its place when it is asked "
    "to") {
  const TemporaryFolder folder;
  save_run("derivative", "1", folder / "b.tape");
  UiDriver ui;
  run(ui, "sample linear-regression");
  run(ui, "steps 8");
  run(ui, "break backward");
  run(ui, "run");
  run(ui, "open-beside " + (folder / "b.tape"));
  const json here = state_of(ui);
  CHECK(
      (here["mode"] == "paused" && here["sample"] == "linear-regression" && here["breakpoints"].size() == 1));
  run(ui, "program 2");
  CHECK(state_of(ui)["sample"] == "derivative");
  // It stands where it stood while the other one was looked at, and goes on.
  run(ui, "program 1");
  CHECK(state_of(ui)["frame_hash"] == here["frame_hash"]);
  run(ui, "step-forward");
  CHECK(state_of(ui)["cursor"] == here["cursor"].get<int>() + 1);
  run(ui, "program 2");
  run(ui, "clear-breaks");
  run(ui, "run-all");
  run(ui, "program 1");
  REQUIRE(ui.settle());
  CHECK(state_of(ui)["mode"] == "finished");
  CHECK(state_of(ui)["loss"].size() == 8);
  // A sample is open once: choosing another one in a recording's place leads to it.
  run(ui, "program 2");
  run(ui, "sample stop-gradient");
  CHECK(shown_as(state_of(ui)) == "AB");
  CHECK(state_of(ui)["sample"] == "stop-gradient");
  run(ui, "close-beside 1");
  CHECK(state_of(ui)["sample"] == "derivative");
  CHECK(ui.bench->programs.empty());
  check_clean(ui);
}

TEST_CASE(
    "many programs in a narrow window: each has a field that can be clicked, files of one name are "
    "distinguished "
    "apart") {
  const TemporaryFolder folder, other;
  save_run("derivative", "1", folder / "a.tape");
  std::filesystem::copy_file(folder / "a.tape", other / "a.tape");
  UiDriver ui;
  ui.window.size = {640, 400};
  run(ui, "open " + (folder / "a.tape"));
  for (int i = 0; i < 6; ++i) run(ui, "open-beside " + (other / "a.tape"));
  run(ui, "beside off");
  ui.frame(2);
  for (int i = 1; i <= 7; ++i) {
    INFO(i);
    const UiItem* item = ui.bench->map.find("programs/" + std::to_string(i));
    REQUIRE(item != nullptr);
    CHECK((item->w >= 20 && item->x >= 0 && item->x + item->w <= 640));
  }
  ui.click("programs/7");
  CHECK(shown_as(state_of(ui)) == "------A");
  const json programs = state_of(ui)["programs"];
  CHECK(programs[0]["title"] != programs[1]["title"]);
  CHECK(programs[1]["title"].get<std::string>().ends_with("/a.tape"));
  for (int i = 0; i < 6; ++i) run(ui, "close-beside 1");
  CHECK(ui.bench->programs.empty());
  check_clean(ui);
}

TEST_CASE(
    "programs that have no room beside the others are in a list, and stay where they are when clicked") {
  const TemporaryFolder folder;
  save_run("derivative", "1", folder / "all.tape");
  UiDriver ui;
  ui.window.size = {640, 400};
  for (int i = 0; i < 12; ++i) {
    const std::string path = folder / ("rank-" + std::to_string(i) + ".tape");
    std::filesystem::copy_file(folder / "all.tape", path);
    run(ui, (i == 0 ? "open " : "open-beside ") + path);
  }
  run(ui, "beside off");
  run(ui, "program 1");
  const auto fields = [&] {
    ui.frame(2);
    std::vector<int> shown;
    for (int i = 1; i <= 12; ++i) {
      if (ui.on_screen("programs/" + std::to_string(i))) shown.push_back(i);
    }
    return shown;
  };
  const std::vector<int> first = fields();
  REQUIRE(first.size() >= 4);
  REQUIRE(first.size() < 12);
  CHECK(first.front() == 1);
  CHECK(ui.bench->map.find("programs-more")->label == std::to_string(12 - first.size()) + " more");
  ui.click("programs/" + std::to_string(first.back()));
  CHECK(fields() == first);
  ui.click("programs-more");
  ui.frame(2);
  const int next = first.back() + 1;
  ui.click("programs-more/" + std::to_string(next));
  const std::vector<int> others = fields();
  CHECK(shown_as(state_of(ui))[static_cast<std::size_t>(next) - 1] == 'A');
  CHECK(others.size() == first.size());
  CHECK(std::ranges::find(others, next) != others.end());
  check_clean(ui);
}
