// The window on recordings that do not change, as text that was read and found good: what moves, changes its
// colour or is gone is in the difference.
#include <fstream>
#include <iterator>
#include <span>

#include "engine/recording/container.h"
#include "engine/recording/contents.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/gui/driver.h"
#include "tests/gui/screen_text.h"
#include "tests/support/approval.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::test;
using namespace tapescope::ui;

namespace {

// Copies a recording as one of a clock a thousand times slower: to rounding, its times are then the same on
// every machine. Adds those facts.
void copy_slower(const std::string& from, const std::string& to, record::ProgramFacts facts) {
  std::ifstream in(from, std::ios::binary);
  const record::Bytes whole{std::istreambuf_iterator<char>(in), {}};
  const std::span<const std::uint8_t> rest = std::span(whole).subspan(record::kFileHeaderSize);
  const auto header = record::parse_chunk_header(rest.first(record::kChunkHeaderSize));
  REQUIRE(header.has_value());
  const std::size_t size = record::kChunkHeaderSize + header->stored_size;
  record::Bytes raw;
  REQUIRE(record::unpack_chunk(*header, rest.subspan(record::kChunkHeaderSize, header->stored_size), raw));
  REQUIRE(record::read_facts(raw, facts));
  facts["tick_ns"] = std::to_string(1000 * std::stod(facts["tick_ns"]));
  record::Bytes written(whole.begin(), whole.begin() + record::kFileHeaderSize);
  record::ByteWriter out;
  record::write_facts(out, facts);
  record::append_chunk(written, record::ChunkKind::program, header->number, out.bytes());
  written.insert(written.end(), rest.begin() + static_cast<std::ptrdiff_t>(size), rest.end());
  std::ofstream(to, std::ios::binary)
      .write(reinterpret_cast<const char*>(written.data()), static_cast<std::streamsize>(written.size()));
}

// The window on a recording of tests/data, with letters that are alike everywhere.
class Screen {
 public:
  Screen() {
    ui_.frame();
    ui_.bench->set_fonts(bake_plain_fonts(), 1);
    ui_.window.size = {1280, 800};
  }
  // Beside the program's source, which a checkout's may differ from.
  void open(const std::string& recording, const std::string& source = "", const std::string& where = "open",
            const record::ProgramFacts& facts = {}) {
    const std::string copy = folder_ / (recording + ".tape");
    copy_slower(tests_folder() + "/data/recordings-1.1/" + recording + ".tape", copy, facts);
    if (!source.empty()) {
      std::ofstream lines(folder_ / source);
      for (int line = 1; line <= 200; ++line)
        lines << "const auto line_" << line << " = matmul(x, w);  // \"text\"\n";
    }
    run(where + " " + copy);
  }
  void run(const std::string& line) {
    INFO(line);
    CHECK(ui_.run(line) == "");
    REQUIRE(ui_.settle());
    ui_.frame(30);  // what moves has come to rest
  }
  // The panels look as they were approved for that scene.
  void approve(const std::string& scene, const std::vector<std::string>& panels) {
    for (const std::string& panel : panels) {
      run("panel " + panel);
      approve_region(scene, panel, panel);
    }
    check_clean(ui_);
  }
  void approve_region(const std::string& scene, const std::string& name, const std::string& region) {
    const std::string text = screen_text(region);
    CHECK_FALSE(text.empty());
    if (IMGUI_VERSION_NUM >= 18700) {
      WARN("not compared: later versions of Dear ImGui than 1.86 round some edges otherwise");
      return;
    }
    tapescope::approve("gui/approved/" + scene + "/" + name + ".txt", text);
  }
  UiDriver& ui() { return ui_; }

 private:
  const TemporaryFolder folder_;
  UiDriver ui_;
};

}  // namespace

TEST_CASE("panels of a step with a compiled function look as they were approved") {
  Screen screen;
  screen.open("train-step", "train_step.cpp");
  screen.run("select op 9");
  screen.run("fit");
  screen.run("panel functions");
  screen.ui().click(
      "functions/graph/train_step/0");  // the pointer rests there: of other panels it has tooltips
  screen.approve("function", {"graph", "inspector", "gradients", "outline", "timeline", "flame", "ops",
                              "source", "functions", "memory", "loss", "jobs", "compare", "advice", "log"});
}

TEST_CASE("panels of a run that became NaN look as they were approved") {
  Screen screen;
  screen.open("nan-hunt", "nan_hunt.cpp");
  screen.run("select alert 0");
  screen.run("fit");
  screen.approve("nan", {"alerts", "gradients", "graph", "inspector", "source", "loss"});
}

TEST_CASE("panels of a missing gradient look as they were approved") {
  Screen screen;
  screen.open("none-stop-gradient");
  screen.run("select alert 0");
  screen.run("fit");
  screen.run("theme light");
  screen.approve("none", {"alerts", "gradients", "graph", "inspector", "advice"});
}

TEST_CASE("panels of a recording that is stopped within a step look as they were approved") {
  Screen screen;
  screen.ui().window.size = {1600, 1000};  // room for the map of a graph
  screen.open("rnn-while");
  screen.run("theme light");
  screen.run("break nonfinite");
  screen.run("break op MatMul");
  screen.run("break-off 2");
  screen.run("step-last");
  screen.run("seek 12");
  screen.run("fit");
  screen.run("zoom-in");
  screen.run("zoom-in");
  screen.approve("stopped",
                 {"graph", "inspector", "gradients", "outline", "timeline", "memory", "breakpoints"});
}

TEST_CASE("panels of two programs that are compared look as they were approved") {
  Screen screen;
  screen.open("redundant");
  screen.open("persistent", "", "open-beside");
  screen.run("theme contrast");
  screen.approve("compared", {"graph", "differs", "compare", "timeline", "flame", "ops", "loss"});
}

TEST_CASE("panels of the ranks of a job look as they were approved") {
  Screen screen;
  screen.open("rnn-while", "", "open", {{"rank", "0"}, {"size", "2"}, {"job", "7"}});
  screen.open("rnn-unrolled", "", "open-beside", {{"rank", "1"}, {"size", "2"}, {"job", "7"}});
  screen.approve("job", {"jobs", "timeline", "loss"});
  screen.ui().window.size = {800, 500};
  screen.run("panel memory");
  screen.approve_region("job", "small-window", "tapescope");
}

TEST_CASE("the window around the panels looks as it was approved") {
  Screen screen;
  screen.ui().bench->launch_line.folder = "/runs";
  screen.ui().frame(30);
  screen.approve_region("window", "first-screen", "tapescope");
  screen.open("retracing-object");
  screen.open("clipping", "", "open-beside");
  screen.approve_region("window", "two-programs", "tapescope");
  screen.run("palette");
  screen.approve_region("window", "palette", "palette");
  screen.ui().type("no such thing");
  screen.approve_region("window", "palette-without-match", "palette");
  screen.run("close");
  screen.run("keys");
  screen.approve_region("window", "keys", "keys");
  screen.run("close");
  screen.approve("window", {"functions"});
  screen.ui().click("menubar/run");
  screen.approve_region("window", "menu", "##Menu");
  check_clean(screen.ui());
}
