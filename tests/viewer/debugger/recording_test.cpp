// Which files a recording may have opened: what it says of them may come from anywhere.
#include "viewer/debugger/recording.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/core/names.h"
#include "engine/recording/process_facts.h"
#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"

using namespace tapescope;
namespace fs = std::filesystem;

namespace {

void write(const std::string& path, std::string_view text) { std::ofstream(path) << text; }

record::ProgramFacts facts_with(const std::string& file, const std::string& path,
                                const std::string& mark = {}) {
  record::ProgramFacts facts{{std::string(record::kSourceFact) + file, path}};
  if (!mark.empty()) facts[std::string(record::kSourceMarkFact) + file] = mark;
  return facts;
}

}  // namespace

TEST_CASE("a recording opens no file outside of its folder unless the file is what it was", "[source]") {
  const test::TemporaryFolder folder;
  for (const char* name : {"run", "run/part", "run/.hidden", "elsewhere", "run-2"})
    fs::create_directory(folder / name);
  const std::string run = folder / "run", outside = folder / "elsewhere/secret.py";
  for (const char* name : {"run/train.py", "run/part/net.py", "run/.hidden/key.py", "run-2/other.py"})
    write(folder / name, "x = 1\n");
  write(outside, "secret\n");
  const auto opened = [&](const std::string& file, const std::string& path, const std::string& mark = {}) {
    std::vector<std::string> paths = source_paths_in(run, facts_with(file, path, mark), file);
    std::erase_if(paths, [](const std::string& each) { return !fs::exists(each); });
    return paths;
  };
  using Paths = std::vector<std::string>;

  CHECK(opened("train.py", "/absent/train.py") == Paths{run + "/train.py"});
  CHECK(opened("net.py", run + "/part/net.py") == Paths{run + "/part/net.py"});

  // Named as they are, by way of the folder, by links, and by the place itself; and a folder whose name
  // begins as this one's.
  CHECK(opened("secret.py", outside).empty());
  CHECK(opened("secret.py", run + "/../elsewhere/secret.py").empty());
  CHECK(opened("../elsewhere/secret.py", "").empty());
  CHECK(opened(outside, "").empty());
  CHECK(opened("key.py", run + "/.hidden/key.py").empty());
  CHECK(opened("other.py", folder / "run-2/other.py").empty());
  fs::create_symlink(outside, run + "/linked.py");
  fs::create_directory_symlink(folder / "elsewhere", run + "/shortcut");
  CHECK(opened("linked.py", run + "/linked.py").empty());
  CHECK(opened("secret.py", run + "/shortcut/secret.py").empty());

  // A program of this machine that saw the file says what only that can say, until the file is another one.
  const std::string mark = record::source_mark(outside);
  REQUIRE(!mark.empty());
  CHECK(opened("secret.py", outside, mark) == Paths{outside});
  CHECK(opened("secret.py", outside, mark + "1").empty());
  write(outside, "another secret\n");
  CHECK(opened("secret.py", outside, mark).empty());
  CHECK(record::source_mark(folder / "elsewhere").empty());
  CHECK(record::source_mark("/dev/zero").empty());
}

TEST_CASE("a file that a place names is recorded with what identifies it", "[source]") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "seen_by_this_test.py";
  write(path, "x = 1\n");
  note_source_path(path);
  const record::ProgramFacts facts = record::facts_that_were_set();
  CHECK(facts.at(std::string(record::kSourceFact) + "seen_by_this_test.py") == path);
  CHECK(facts.at(std::string(record::kSourceMarkFact) + "seen_by_this_test.py") == record::source_mark(path));
}
