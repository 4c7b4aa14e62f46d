// The command line from outside: exit codes, sentences, documents. Runs the binary.
#include <sys/wait.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "samples/sample.h"
#include "tests/support/catch.h"
#include "tests/support/places.h"
#include "viewer/cli/cli.h"

using nlohmann::json;

namespace {

struct Answer {
  int code = -1;
  std::string out, err;
  json document() const { return json::parse(out); }
};

std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "tapescope-cli-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

Answer call(const std::string& arguments, const std::string& surroundings = "") {
  const Folder folder;
  const std::string command = surroundings + tapescope::tapescope_binary() + " " + arguments + " >" +
                              (folder / "out").string() + " 2>" + (folder / "err").string() + " </dev/null";
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(folder / "out"), read_file(folder / "err")};
}

// One sentence: begins with the program's name, one line.
void check_sentence(const std::string& err) {
  CHECK(err.starts_with("tapescope: "));
  CHECK(std::count(err.begin(), err.end(), '\n') == 1);
}

}  // namespace

TEST_CASE("the nearest name is found, and none where none is near", "[cli]") {
  const std::vector<std::string> names = {"preprocessing", "derivative", "watch"};
  CHECK(tapescope::nearest("preprocesing", names) == "preprocessing");
  CHECK(tapescope::nearest("deriv", names) == "derivative");
  CHECK(tapescope::nearest("zzzzzz", names).empty());
}

TEST_CASE("help and version", "[cli]") {
  const std::string version = call("--version").out;
  // The Python package's version is that of the application.
  const std::string package =
      read_file(tapescope::tests_folder() + "/../bridges/python/tapescope/version.py");
  const std::size_t number = package.find("__version__ = \"") + 15;
  const std::string expected = package.substr(number, package.find('"', number) - number);
  CHECK(version.starts_with("tapescope " + expected + ", commit "));
  for (const char* feature : {"window", "bridge", "MPI", "LLVM"}) {
    INFO(feature);
    CHECK(version.find(feature) != std::string::npos);
  }
  const Answer help = call("--help");
  CHECK(help.code == 0);
  for (const char* command :
       {"gui", "list", "run", "compare", "explain", "check", "report", "export", "bench"}) {
    INFO(command);
    CHECK(help.out.find(command) != std::string::npos);
    CHECK(call(std::string(command) + " --help").code == 0);
  }
}

TEST_CASE("what cannot be used is exit 2 and one sentence with a remedy", "[cli]") {
  for (const auto& [arguments, remedy] : std::vector<std::pair<std::string, std::string>>{
           {"frobnicate", "the commands are"},
           {"rnu derivative", "did you mean 'run'?"},
           {"run derivativ", "did you mean 'derivative'?"},
           {"run zzzzzz", "'tapescope list'"},
           {"run", "--help"},
           {"run derivative --variant defualt", "did you mean 'default'?"},
           {"run derivative --set x", "PARAMETER=VALUE"},
           {"run derivative --set nothing=1", "no parameter"},
           {"run derivative --steps 0", "--help"},
           {"run derivative --frobnicate", "--help"},
           {"check derivative --fail-on nonfinit", "did you mean 'nonfinite'?"},
           {"check derivative --fail-on regression", "--baseline"},
           {"compare derivative", "compares it with itself"},
           {"compare preprocessing --variants optimized", "comma"},
           {"compare preprocessing --variants optimized,unoptimised", "did you mean 'unoptimized'?"},
           {"--size 12", "WIDTHxHEIGHT"},
           {"--variant optimized", "--sample"},
       }) {
    INFO(arguments);
    const Answer answer = call(arguments);
    CHECK(answer.code == 2);
    CHECK(answer.out.empty());
    check_sentence(answer.err);
    CHECK(answer.err.find(remedy) != std::string::npos);
  }
}

TEST_CASE("what cannot be written or read is exit 3", "[cli]") {
  for (const char* arguments :
       {"list --json /no/such/folder/x.json", "run derivative --json /no/such/folder/x.json",
        "check derivative --fail-on regression --baseline /no/such/file.json"}) {
    INFO(arguments);
    const Answer answer = call(arguments);
    CHECK(answer.code == 3);
    check_sentence(answer.err);
  }
}

TEST_CASE("list names every sample with its variants and parameters", "[cli]") {
  const json document = call("list --json -").document();
  REQUIRE(document["samples"].size() == tapescope::sample_registry().size());
  for (const json& sample : document["samples"]) {
    CHECK_FALSE(sample["promise"].get<std::string>().empty());
    CHECK_FALSE(sample["variants"].empty());
    CHECK(sample["parameters"].is_array());
  }
}

TEST_CASE("run computes, counts and explains", "[cli]") {
  const json derivative = call("run derivative --json -").document();
  CHECK(derivative["schema"] == 1);
  CHECK(derivative["outputs"]["dy/dx"] == 6.0);
  CHECK(derivative["tape"]["recorded"] == 3);
  CHECK(derivative["gradients"][0]["status"] == "value");
  CHECK(derivative["time"]["step"]["median"] > 0);
  CHECK(derivative["alerts"].empty());

  const json stopped = call("run stop-gradient --json -").document();
  CHECK(stopped["outputs"]["dg/dy"].is_null());
  CHECK(stopped["gradients"][0]["status"] == "none");
  CHECK(stopped["gradients"][0]["reason"] == "stop_gradient");
}

TEST_CASE("recorded ops are those of the documents' examples", "[cli]") {
  for (const auto& [sample, variant, recorded] : std::vector<std::tuple<std::string, std::string, int>>{
           {"preprocessing", "unoptimized", 6},
           {"preprocessing", "optimized", 6},
           {"variable-tracking", "unoptimized", 7},
           {"variable-tracking", "optimized", 5},
       }) {
    INFO(sample << " " << variant);
    const json document = call("run " + sample + " --variant " + variant + " --json -").document();
    CHECK(document["tape"]["recorded"] == recorded);
    CHECK(document["tape"]["executed"] ==
          document["tape"]["recorded"].get<int>() + document["tape"]["not_recorded"].get<int>());
  }
}

TEST_CASE("without events there are times and results, and nothing else", "[cli]") {
  const json document = call("run derivative --no-events --json -").document();
  CHECK(document["outputs"]["dy/dx"] == 6.0);
  CHECK(document["tape"].is_null());
  CHECK(document["time"]["forward"].is_null());
  CHECK(document["time"]["step"]["median"] > 0);
}

TEST_CASE("the same seed gives the same losses", "[cli]") {
  const json a = call("run linear-regression --steps 20 --seed 7 --json -").document();
  const json b = call("run linear-regression --steps 20 --seed 7 --json -").document();
  const json c = call("run linear-regression --steps 20 --seed 8 --json -").document();
  REQUIRE(a["loss"].size() == 20);
  CHECK(a["loss"] == b["loss"]);
  CHECK(a["loss"] != c["loss"]);
}

TEST_CASE("a document goes to a file while the text goes to the terminal", "[cli]") {
  const Folder folder;
  const Answer answer = call("run derivative --json " + (folder / "run.json").string());
  CHECK(answer.code == 0);
  CHECK(answer.out.find("dy/dx = 6") != std::string::npos);
  CHECK(json::parse(read_file(folder / "run.json"))["sample"] == "derivative");
}

TEST_CASE("explain says why, in JSON and in words", "[cli]") {
  const Answer words = call("explain stop-gradient");
  CHECK(words.code == 0);
  CHECK(words.out.find("is None (stop_gradient)") != std::string::npos);
  CHECK(words.out.find("stop_gradient.cpp:") != std::string::npos);
  const json document = call("explain stop-gradient --json -").document();
  const json& row = document["gradients"][0];
  CHECK(row["reason"] == "stop_gradient");
  CHECK(row["edge"]["location"] == row["location"]);
}

TEST_CASE("check answers by its exit code", "[cli]") {
  CHECK(call("check derivative").code == 0);
  const Answer fired = call("check stop-gradient --fail-on none");
  CHECK(fired.code == 1);
  CHECK(fired.out.starts_with("none: "));
  CHECK(call("check stop-gradient --fail-on nonfinite,leak").code == 0);
  const Answer zero = call("check nan-hunt --steps 20 --fail-on zero");
  CHECK(zero.code == 1);
  CHECK(zero.out.starts_with("zero: the gradient of variable 'offset' is zero: Square"));
  CHECK(call("check derivative --fail-on zero").code == 0);
}

TEST_CASE("check finds a regression of counts against a baseline", "[cli]") {
  const Folder folder;
  const std::string baseline = (folder / "base.json").string();
  json document = call("run derivative --json -").document();
  document["time"]["step"]["median"] = document["time"]["step"]["p90"] =
      1e9;  // time is not what is tested here
  std::ofstream(baseline) << document;
  CHECK(call("check derivative --fail-on regression --baseline " + baseline).code == 0);
  document["tape"]["recorded"] = 1;
  std::ofstream(baseline) << document;
  const Answer answer = call("check derivative --fail-on regression --baseline " + baseline);
  CHECK(answer.code == 1);
  CHECK(answer.out.find("ops recorded went from 1 to 3") != std::string::npos);
}

TEST_CASE("a variant compared with itself computes the same", "[cli]") {
  const Answer answer = call("compare derivative --variants default,default --json -");
  CHECK(answer.code == 0);
  const json document = answer.document();
  CHECK(document["same_loss"] == true);
  CHECK(document["same_gradients"] == true);
  CHECK(document["ops"]["only_a"] == 0);
  CHECK(document["ops"]["changed"] == 0);
  CHECK(document["ratio"]["step"]["low"] <= document["ratio"]["step"]["high"]);
  CHECK(document["a"]["variant"] == "default");
  CHECK_FALSE(document["verdict"].get<std::string>().empty());
}

TEST_CASE("variants that compute something else are exit 1", "[cli]") {
  const Answer answer = call("compare variable-tracking --variants unoptimized,as-published --json -");
  CHECK(answer.code == 1);
  const json document = answer.document();
  CHECK_FALSE((document["same_loss"] == true && document["same_gradients"] == true));
}

TEST_CASE("a comparison can be pasted", "[cli]") {
  const Answer answer = call("compare variable-tracking --markdown");
  CHECK(answer.code == 0);
  CHECK(answer.out.starts_with("### variable-tracking: unoptimized against optimized"));
}

TEST_CASE("every panel can be printed", "[cli]") {
  for (const char* panel : {"ops", "functions", "gradients", "memory", "steps", "alerts", "advice"}) {
    INFO(panel);
    const Answer text = call(std::string("report preprocessing --panel ") + panel);
    CHECK(text.code == 0);
    CHECK_FALSE(text.out.empty());
    const Answer document = call(std::string("report preprocessing --json - --panel ") + panel);
    CHECK(document.document().contains(panel));
  }
}

TEST_CASE("a step can be written for other programs", "[cli]") {
  const Answer csv = call("export derivative --format csv -o -");
  CHECK(csv.code == 0);
  CHECK(csv.out.starts_with("index,name,op,"));
  CHECK(call("export derivative --format dot -o -").out.starts_with("digraph"));
  CHECK(json::parse(call("export derivative --format perfetto -o -").out)["traceEvents"].size() > 3);
  const std::string markdown = call("export derivative --format markdown -o -").out;
  CHECK(markdown.starts_with("### derivative"));
  CHECK(markdown.find("```") == std::string::npos);
  for (const char* table : {"#### Gradients\n\n| gradient |", "#### Ops\n\n| op | runs |"})
    CHECK(markdown.find(table) != std::string::npos);
  CHECK(call("export derivative --format csv -o /no/such/folder/x.csv").code == 3);
}

TEST_CASE("Ctrl+C ends a run after its step and still reports", "[cli]") {
  const Folder folder;
  const std::string command = "timeout -s INT 1 " + tapescope::tapescope_binary() +
                              " run linear-regression --steps 100000000 --json - >" +
                              (folder / "out").string() + " 2>" + (folder / "err").string();
  std::system(command.c_str());
  const json document = json::parse(read_file(folder / "out"));
  CHECK(document["steps"] > 0);
  CHECK(document["steps"] < 100000000);
  CHECK(read_file(folder / "err").find("stopped after") != std::string::npos);
}

TEST_CASE("where a value first stopped being finite is named", "[cli]") {
  const Answer answer = call("explain linear-regression --set learning_rate=100 --steps 60 --json -");
  const json document = answer.document();
  REQUIRE_FALSE(document["alerts"].empty());
  const json& alert = document["alerts"][0];
  CHECK(alert["kind"] == "nonfinite");
  CHECK((alert["direction"] == "forward" || alert["direction"] == "backward"));
  CHECK((alert["value"] == "nan" || alert["value"] == "inf" || alert["value"] == "-inf"));
  CHECK(alert["location"].get<std::string>().starts_with("linear_regression.cpp:"));
  CHECK_FALSE(alert["op"].is_null());
}

TEST_CASE("without a display gui runs the sample headless, or prints the recording's report", "[cli]") {
  const Folder folder;
  const auto gui = [&](const std::string& arguments) {
    return call(arguments, "env -u DISPLAY -u WAYLAND_DISPLAY ");
  };
  const Answer sample = gui("--sample derivative --scale 2 --theme=light");
  CHECK(sample.code == 0);
  CHECK(sample.err == "tapescope: no display, so sample derivative runs headless and prints its report\n");
  CHECK(sample.out.find("dy/dx") != std::string::npos);
  CHECK(gui("gui --sample=linear-regression --seed=3 --steps 2").out.find("2 steps") != std::string::npos);
  const Answer comparison = gui("--compare unoptimized,optimized --steps 3 --sample preprocessing");
  CHECK(comparison.out.find("unoptimized") != std::string::npos);
  CHECK(comparison.out.find("optimized") != std::string::npos);

  const std::string recording = (folder / "my file.tape").string();
  REQUIRE(call("run derivative --record '" + recording + "'").code == 0);
  const Answer opened = gui("gui --open '" + recording + "'");
  CHECK(opened.code == 0);
  CHECK(opened.err == "tapescope: no display, so the report of " + recording + " is printed instead\n");
  // Each process measures the clock, so that a time's or ratio's last digit may differ.
  const auto words_of = [](std::string text) {
    std::erase_if(text, [](unsigned char letter) { return std::isalpha(letter) == 0; });
    return text;
  };
  CHECK(words_of(opened.out) == words_of(call("report '" + recording + "'").out));

  // A map of the screen, a script and programs need the window, which reports what is missing.
  const Answer map = gui("--ui-map '" + (folder / "map.json").string() + "'");
  CHECK(map.code == 3);
  check_sentence(map.err);
  CHECK(map.err.find("there is no display") != std::string::npos);
  CHECK(gui("--script /dev/null").code == 3);
  CHECK(gui("--attach 1").code == 3);
  CHECK(gui("--open '" + recording + "' --open '" + recording + "'").code == 3);
}
