// The roof of a machine outlives the window that measured it.
#include "viewer/window/kept_roof.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

namespace {

struct ScratchFolder {
  std::string path = (std::filesystem::temp_directory_path() / "tapescope-roof-XXXXXX").string();
  ScratchFolder() { REQUIRE(mkdtemp(path.data()) != nullptr); }
  ~ScratchFolder() { std::filesystem::remove_all(path); }
};

MachineRoof roof(double gflops, double gigabytes) {
  MachineRoof made;
  made.gflops = gflops;
  made.levels = {{{16384, gigabytes}, {262144, gigabytes / 2}, {4194304, gigabytes / 4}, {67108864, 5}}};
  return made;
}

}  // namespace

TEST_CASE("a roof measured beside a busy program gives way to the best one of that machine") {
  const ScratchFolder folder;
  const std::string path = folder.path + "/deeper/roof.json";
  CHECK(keep_roof(path, "a", roof(100, 40)).gflops == 100);
  const MachineRoof busy = keep_roof(path, "a", roof(47, 60));
  CHECK(busy.gflops == 100);
  CHECK(busy.levels[0].gigabytes == 60);
  CHECK(busy.levels[2].gigabytes == 15);
  // Another machine has its own, and takes nothing away.
  CHECK(keep_roof(path, "b", roof(10, 4)).gflops == 10);
  const MachineRoof again = keep_roof(path, "a", roof(1, 1));
  CHECK(again.gflops == 100);
  CHECK(again.levels[0].gigabytes == 60);
  CHECK(again.at(1e6, 1e3) == 100);
}

TEST_CASE("a kept roof that is torn, absurd or of the wrong kind is passed over") {
  const ScratchFolder folder;
  const std::string path = folder.path + "/roof.json";
  for (const char* text : {"", "{", "[1]", R"({"a": 7})", R"({"a": {"gflops": "many", "16384": 1e300}})"}) {
    INFO(text);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    const MachineRoof kept = keep_roof(path, "a", roof(20, 8));
    CHECK(kept.gflops == 20);
    CHECK(kept.levels[0].gigabytes == 8);
  }
  CHECK(std::isnan(keep_roof(path, "a", roof(NAN, 8)).gflops));
  CHECK(keep_roof("", "a", roof(20, 8)).gflops == 20);
}
