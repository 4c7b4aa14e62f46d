// Programs that are started: the words, the surroundings, how they end, and what they write.
#include "viewer/debugger/launch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <thread>

#include "engine/live/place.h"
#include "tests/engine/live/attached.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"
#include "tests/support/set_variable.h"
#include "viewer/debugger/launcher.h"

using namespace tapescope;
using tapescope::test::SetVariable;
using tapescope::test::TemporaryFolder;
using Words = std::vector<std::string>;

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool wait_until(const std::function<bool()>& there) {
  for (int i = 0; i < 2000 && !there(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  return there();
}

Launch shell(const std::string& script) {
  Launch launch;
  launch.words = {"/bin/sh", "-c", script};
  return launch;
}

}  // namespace

TEST_CASE("a program of Python is run by the package, any other as it is typed", "[launch]") {
  const SetVariable python("PYTHON", nullptr);
  const auto line_of = [](const Words& words, bool record = false, bool waits = false, bool answers = false) {
    Launch launch;
    launch.words = words;
    if (record) launch.record = "run.tape";
    launch.waits_for_window = waits;
    launch.answers = answers;
    return command_line_of(launch);
  };
  CHECK(line_of({"./train", "a.py"}, true, true, true) == Words{"./train", "a.py"});
  CHECK(line_of({"train.py", "--steps", "3"}) ==
        Words{"python3", "-m", "tapescope", "train.py", "--steps", "3"});
  CHECK(line_of({"train.py", "x"}, true, true, true) ==
        Words{"python3", "-m", "tapescope", "--record", "run.tape", "--wait", "--why", "train.py", "x"});
  CHECK(line_of({"python3.11", "-O", "-W", "ignore", "-X", "dev", "train.py", "-v"}) ==
        Words{"python3.11", "-O", "-W", "ignore", "-X", "dev", "-m", "tapescope", "train.py", "-v"});
  CHECK(line_of({"/env/bin/python", "-m", "models.train", "x"}, false, true) ==
        Words{"/env/bin/python", "-m", "tapescope", "--wait", "-m", "models.train", "x"});
  CHECK(line_of({"python3", "-c", "print()"}) == Words{"python3", "-m", "tapescope", "-c", "print()"});
  CHECK(line_of({"python3"}) == Words{"python3"});
  CHECK(line_of({"python3", "-V"}) == Words{"python3", "-V"});
  CHECK(line_of({"python3", "-W"}) == Words{"python3", "-W"});
  CHECK(line_of({"pythonista", "train.py"}) == Words{"pythonista", "train.py"});
  Launch other;
  other.words = {"train.py"};
  other.python = "/env/bin/python";
  CHECK(command_line_of(other).front() == "/env/bin/python");
  {
    const SetVariable named("PYTHON", "python3.12");
    CHECK(line_of({"train.py"}).front() == "python3.12");
  }
  const SetVariable empty("PYTHON", "");
  CHECK(line_of({"train.py"}).front() == "python3");
}

TEST_CASE("a program's name and script are those of its file", "[launch]") {
  CHECK(name_of_program({"./build/train"}) == "train");
  CHECK(name_of_program({"bin/train.v2"}) == "train.v2");
  CHECK(name_of_program({"src/train.py", "--fast"}) == "train");
  CHECK(name_of_program({"python3", "-u", "src/train.py"}) == "train");
  CHECK(name_of_program({"python3", "-X", "dev", "-m", "models.train"}) == "models.train");
  CHECK(name_of_program({"python3", "-c", "print()"}) == "python3");
  CHECK(name_of_program({"python3"}) == "python3");
  CHECK(name_of_program({"python3", "-m"}) == "-m");
  const auto script = [](const Words& words, const std::string& folder = "") {
    Launch launch;
    launch.words = words;
    launch.folder = folder;
    return script_of(launch);
  };
  CHECK(script({"train.py", "x.py"}) == "train.py");
  CHECK(script({"python3", "-W", "ignore", "train.py"}, "models") == "models/train.py");
  CHECK(script({"python3", "-m", "train"}).empty());
  CHECK(script({"python3", "-O"}).empty());
  CHECK(script({"./train", "train.py"}).empty());
  CHECK(script({}).empty());
}

TEST_CASE("how a program ended is what its parent saw", "[launch]") {
  for (const int code : {0, 3, 255}) {
    LaunchedProgram program(shell("exit " + std::to_string(code)));
    CHECK(program.process() > 0);
    program.wait();
    CHECK(program.ended());
    CHECK(program.exit_code() == code);
    CHECK((program.ending().how == ProgramEnd::exit && program.ending().code == code));
    CHECK(program.ending().type.empty());
    CHECK(program.output() == nullptr);
  }
  LaunchedProgram program(shell("kill -KILL $$; sleep 60"));
  program.wait();
  CHECK(program.exit_code() == 128 + SIGKILL);
  CHECK((program.ending().how == ProgramEnd::signal && program.ending().code == SIGKILL));
  CHECK(program.ending().type == "SIGKILL");
}

TEST_CASE("what cannot be started says why", "[launch]") {
  struct sigaction before {};
  sigaction(SIGTERM, nullptr, &before);
  TemporaryFolder folder;
  const auto why = [](const Words& words, const std::string& in = "") {
    return error_of([&] {
      Launch launch;
      launch.words = words;
      launch.folder = in;
      LaunchedProgram program(launch);
    });
  };
  CHECK(why({"./no-such-program"}) == "there is no program ./no-such-program; check the path");
  CHECK(why({"no-such-program"}) ==
        "there is no program no-such-program on the PATH; give its path, such as ./no-such-program");
  CHECK(why({"/bin/sh"}, "/no/such/folder") == "there is no folder /no/such/folder; check the path");
  const std::string text = folder / "text";
  std::ofstream(text) << "words\n";
  CHECK(why({text}) == text +
                           " cannot be executed (Permission denied); name a program, or make it one by "
                           "'chmod +x " +
                           text + "'");
  struct sigaction after {};
  sigaction(SIGTERM, nullptr, &after);
  CHECK(after.sa_handler == before.sa_handler);
}

TEST_CASE("a program finds what it was started with in its surroundings", "[launch]") {
  TemporaryFolder folder;
  const SetVariable record("TAPESCOPE_RECORD", "mine.tape"), listen("TAPESCOPE_LISTEN", nullptr),
      values("TAPESCOPE_RECORD_VALUES", nullptr), budget("TAPESCOPE_RECORD_BUDGET", "7"),
      kept("KEPT_AS_IT_IS", "a=b c");
  const std::string file = folder / "said";
  const std::string script =
      "echo "
      "\"[$TAPESCOPE_RECORD|$TAPESCOPE_LISTEN|$TAPESCOPE_RECORD_VALUES|$TAPESCOPE_RECORD_BUDGET|$KEPT_AS_"
      "IT_IS]\" > " +
      file + "; pwd >> " + file;
  {
    LaunchedProgram program(shell(script));
    program.wait();
  }
  const std::string here = std::filesystem::current_path().string();
  CHECK(read_file(file) == "[|||7|a=b c]\n" + here + "\n");
  Launch launch = shell(script);
  launch.record = "run.tape";
  launch.waits_for_window = true;
  launch.values = "first,last";
  launch.budget = 2.5;
  launch.folder = std::filesystem::path(file).parent_path().string();
  {
    LaunchedProgram program(launch);
    program.wait();
  }
  CHECK(read_file(file) == "[run.tape|wait|first,last|2.5|a=b c]\n" + launch.folder + "\n");
  CHECK(std::string(std::getenv("TAPESCOPE_RECORD")) == "mine.tape");
}

TEST_CASE("a signal that arrives here reaches the program, and is ours again after it", "[launch]") {
  TemporaryFolder folder;
  const std::string ready = folder / "ready";
  struct sigaction before {
  }, after{};
  sigaction(SIGTERM, nullptr, &before);
  {
    LaunchedProgram program(shell("trap 'exit 7' TERM; : > " + ready + "; while :; do sleep 0.01; done"));
    REQUIRE(wait_until([&] { return std::filesystem::exists(ready); }));
    CHECK_FALSE(program.ended());
    kill(getpid(), SIGTERM);
    program.wait();
    CHECK(program.exit_code() == 7);
  }
  sigaction(SIGTERM, nullptr, &after);
  CHECK(after.sa_handler == before.sa_handler);
  Launch launch = shell("sleep 0");
  launch.passes_signals_on = false;
  LaunchedProgram program(launch);
  sigaction(SIGTERM, nullptr, &after);
  CHECK(after.sa_handler == before.sa_handler);
}

TEST_CASE("a program is asked to end before it is killed, and one that is let go runs on", "[launch]") {
  TemporaryFolder folder;
  const std::string ready = folder / "ready";
  LaunchedProgram polite(shell("trap 'exit 5' TERM; : > " + ready + "; while :; do sleep 0.01; done"));
  REQUIRE(wait_until([&] { return std::filesystem::exists(ready); }));
  polite.end();
  CHECK(polite.ended());
  CHECK(polite.exit_code() == 5);
  std::filesystem::remove(ready);
  pid_t process = 0;
  {
    LaunchedProgram program(shell("while [ ! -e " + ready + " ]; do sleep 0.01; done"));
    process = program.process();
    program.release();
  }
  CHECK(kill(process, 0) == 0);
  std::ofstream(ready) << "";
  int status = 0;
  CHECK(waitpid(process, &status, 0) == process);
  CHECK(status == 0);
}

TEST_CASE("what a program writes is kept, line by line", "[launch]") {
  std::atomic<int> woken{0};
  Launch launch = shell("echo one; echo two >&2; printf 'not ended'");
  launch.wake_with_output = [&] { ++woken; };
  LaunchedProgram program(launch);
  REQUIRE(program.output() != nullptr);
  program.wait();
  std::vector<std::string> lines;
  OutputLine open;
  REQUIRE(wait_until([&] {
    for (const OutputLine& line : program.output()->take_lines(open)) lines.push_back(line.text);
    return open.text == "not ended";
  }));
  CHECK(lines == Words{"one", "two"});
  CHECK(wait_until([&] { return woken > 0; }));
}

TEST_CASE("a program that is started for the window is there once its socket is", "[launch]") {
  TemporaryFolder folder;
  const std::string runtime = folder / "";
  const SetVariable place("XDG_RUNTIME_DIR", runtime.substr(0, runtime.size() - 1).c_str());
  std::string socket = live::socket_path(live::socket_folder(true), 12345);
  const std::size_t number = socket.find("12345");
  REQUIRE(number != std::string::npos);
  socket.replace(number, 5, "$$");
  std::atomic<int> woken{0};
  Launcher launcher([&] { ++woken; });
  CHECK(launcher.launch() == nullptr);
  CHECK(launcher.process() == 0);
  CHECK(launcher.await().empty());
  launcher.start(shell("echo begun; : > " + socket + "; while :; do sleep 0.01; done"));
  CHECK(launcher.starts());
  REQUIRE(launcher.launch() != nullptr);
  CHECK(launcher.launch()->waits_for_window);
  const std::string there = launcher.await();
  CHECK(there == live::socket_path(live::socket_folder(false), launcher.process()));
  CHECK_FALSE(launcher.starts());
  CHECK(launcher.arrived().empty());
  CHECK(launcher.seconds() >= 0);
  REQUIRE(wait_until([&] {
    launcher.take_output(nullptr);
    return !launcher.output().lines.empty();
  }));
  CHECK(launcher.output().lines[0].text == "begun");
  CHECK(launcher.output().lost == 0);
  const std::uint64_t version = launcher.output().version;
  launcher.take_output(nullptr);
  CHECK(launcher.output().version == version);
  CHECK(wait_until([&] { return woken > 0; }));
  launcher.end();
  CHECK(launcher.process() == 0);

  launcher.start(shell("exit 3"));
  CHECK(error_of([&] { launcher.await(); }) ==
        "/bin/sh ended before it could be attached to; link tapescope::engine into it, or give a Python "
        "program as PROGRAM.py");
  CHECK(launcher.output().version > version);
  CHECK(launcher.output().lines.empty());
}

TEST_CASE("Python's own words are pointed to where it ended with a failure", "[launch]") {
  TemporaryFolder folder;
  const std::string runtime = folder / "";
  const SetVariable place("XDG_RUNTIME_DIR", runtime.substr(0, runtime.size() - 1).c_str());
  const std::string python = folder / "python3";
  std::ofstream(python) << "#!/bin/sh\necho \"$@\"\nexit 4\n";
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  Launcher launcher([] {});
  Launch launch;
  launch.words = {python, "train.py"};
  launcher.start(launch);
  CHECK(error_of([&] { launcher.await(); }) ==
        python + " ended with exit code 4 before it could be attached to; the log has what it wrote");
  REQUIRE(launcher.output().lines.size() == 1);
  CHECK(launcher.output().lines[0].text == "-m tapescope --wait train.py");
}
