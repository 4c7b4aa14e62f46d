// What may follow a command is offered while it is typed, and parameters are fields.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/gui/driver.h"
#include "tests/support/catch.h"
#include "viewer/window/path_entries.h"

using namespace tapescope;
using namespace tapescope::ui;
namespace fs = std::filesystem;

namespace {

// A folder with a newer and an older recording, a folder, and what is no recording.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("tapescope-paths-" + std::to_string(getpid()))) {
    fs::create_directories(path_ / "runs");
    for (const char* name : {"old.tape", "new.tape", "notes.txt", "fit.py", ".hidden.tape"})
      std::ofstream(path_ / name) << "x";
    fs::last_write_time(path_ / "old.tape", fs::last_write_time(path_ / "new.tape") - std::chrono::hours(3));
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string in(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::vector<std::string> names(const std::vector<PathEntry>& entries) {
  std::vector<std::string> names;
  for (const PathEntry& entry : entries) names.push_back(entry.path);
  return names;
}

}  // namespace

TEST_CASE("recordings of a folder are offered, the newest first, then its folders") {
  const Folder folder;
  const auto entries = paths_like(folder.in(""), PathKind::recording);
  CHECK(names(entries) == std::vector{folder.in("new.tape"), folder.in("old.tape"), folder.in("runs/")});
  CHECK(entries[1].note == "1 B · 3 h ago");
  CHECK(entries[2].folder);
  CHECK(names(paths_like(folder.in("o"), PathKind::recording)) == std::vector{folder.in("old.tape")});
  CHECK(names(paths_like(folder.in(".h"), PathKind::recording)) == std::vector{folder.in(".hidden.tape")});
  CHECK(names(paths_like(folder.in("f"), PathKind::program)) == std::vector{folder.in("fit.py")});
  CHECK(names(paths_like(folder.in(""), PathKind::folder)) == std::vector{folder.in("runs/")});
  CHECK(paths_like(folder.in("absent/"), PathKind::recording).empty());
}

TEST_CASE("Tab takes what a path may become, and a file that is chosen is opened") {
  const Folder folder;
  UiDriver ui;
  REQUIRE(ui.run("sample derivative").empty());
  ui.key("Ctrl+O");
  ui.frame(2);
  ui.type(folder.in("ru"));
  REQUIRE(ui.on_screen("palette/argument/0"));
  CHECK(ui.bench->map.find("palette/argument/0")->label == folder.in("runs/"));
  // A folder is gone into.
  ui.click("palette/argument/0");
  ui.frame(2);
  CHECK(ui.bench->palette.open);
  CHECK(ui.bench->palette.text == "open " + folder.in("runs/"));
  ui.key("Esc");
  ui.key("Ctrl+O");
  ui.frame(2);
  ui.type(folder.in("n"));
  ui.key("Tab");
  ui.frame(2);
  CHECK(ui.bench->palette.text == "open " + folder.in("new.tape"));
  ui.click("palette/argument/0");
  CHECK_FALSE(ui.bench->palette.open);
  check_clean(ui);
}

TEST_CASE("the palette finds a command by what scripts call it, too") {
  UiDriver ui;
  REQUIRE(ui.run("sample derivative").empty());
  ui.key("Ctrl+Shift+P");
  ui.frame(2);
  ui.type("clear-breaks");
  CHECK(ui.on_screen("palette/clear-breaks"));
  ui.key("Esc");
  check_clean(ui);
}

TEST_CASE("a parameter is a field of the first screen, and what is typed there is what runs") {
  UiDriver ui;
  REQUIRE(ui.run("sample mnist-mlp").empty());
  ui.bench->welcome = true;
  ui.frame(3);
  const SampleInfo& info = find_sample("mnist-mlp");
  REQUIRE_FALSE(info.parameters.empty());
  const std::string name = info.parameters.front().name, id = "welcome/parameter/" + name;
  REQUIRE(ui.on_screen(id));
  CHECK(ui.bench->map.find(id)->label == info.parameters.front().default_value);
  ui.click(id);
  ui.key("Ctrl+A");
  ui.type("7");
  ui.key("Enter");
  ui.frame(3);
  CHECK(ui.bench->choice.options.parameters.at(name) == "7");
  CHECK(ui.bench->map.find(id)->label == "7");
  check_clean(ui);
}

TEST_CASE("nothing beneath the keys' window answers to the pointer") {
  UiDriver ui;
  REQUIRE(ui.run("sample mnist-mlp").empty());
  REQUIRE(ui.run("run").empty());
  REQUIRE(ui.settle());
  ui.key("?");
  ui.frame(2);
  REQUIRE(ui.bench->key_help);
  // The toolbar lies beside it: no tooltip comes, however long the pointer rests there.
  const UiItem run = *ui.bench->map.find("toolbar/run");
  ui.input.move({run.x + run.w / 2, run.y + run.h / 2});
  ui.settle();
  ui.frame(60);
  CHECK_FALSE(ui.on_screen("tooltip"));
  const std::uint64_t step = ui.bench->status.step;
  ui.click("toolbar/run");
  CHECK_FALSE(ui.bench->key_help);
  CHECK(ui.bench->status.step == step);
  check_clean(ui);
}
