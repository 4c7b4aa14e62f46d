// Where recordings go: a file that another one writes is left alone.
#include "engine/recording/writer.h"

#include <filesystem>
#include <set>

#include "tests/engine/recording/recording_file.h"
#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::test;

TEST_CASE("a file that is written gets a neighbour with a number before its extension", "[record]") {
  const auto files_of_two = [](const std::string& folder_name, const std::string& name) {
    const TemporaryFolder folder;
    const std::string inside = folder / folder_name;
    std::filesystem::create_directory(inside);
    const auto first = record::open_sink(inside + "/" + name),
               second = record::open_sink(inside + "/" + name);
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(inside))
      names.insert(entry.path().filename().string());
    return names;
  };
  using Names = std::set<std::string>;
  CHECK(files_of_two("runs", "mine.tape") == Names{"mine.tape", "mine-2.tape"});
  CHECK(files_of_two("runs", "mine.of.monday") == Names{"mine.of.monday", "mine.of-2.monday"});
  CHECK(files_of_two("runs.old", "mine") == Names{"mine", "mine-2"});
  CHECK(files_of_two("runs", ".mine") == Names{".mine", ".mine-2"});
}
