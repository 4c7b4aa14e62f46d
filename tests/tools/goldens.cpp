// tapescope-goldens DIR: checks every case of every JSON file in DIR, in every driver.
//
// The form of a case is in tests/goldens/make_goldens.py, tolerances in tests/goldens/README.md. Ends with 1
// when a case failed, with 2 when there is nothing to check.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "tests/tools/goldens/check.h"

namespace {

using namespace tapescope;
using namespace tapescope::goldens;

struct Totals {
  int passed = 0, failed = 0, skipped = 0;
};

// What went wrong with a case in one driver, a line each; nothing when it passed.
std::vector<std::string> run(const Json& test, Driver& driver) {
  Comparison comparison(test.value("op", ""), driver.keeps_rows());
  try {
    Known known = Known::yes;
    driver.around([&] { known = check_case(test, driver, comparison); });
    if (known == Known::no) comparison.differs("op", "is not known");
  } catch (const std::exception& error) {
    comparison.differs("run", error.what());
  }
  return comparison.lines();
}

// A case counts once, whatever the drivers; the same difference is reported once, with all drivers that see
// it.
void check(const Json& test, std::span<const std::unique_ptr<Driver>> drivers, Totals& totals) {
  const std::string op = test.value("op", ""), id = test.value("id", "");
  std::vector<std::pair<std::string, std::string>> found;
  int ran = 0;
  for (const auto& driver : drivers) {
    if (!driver->takes(op)) continue;
    ++ran;
    for (const std::string& line : run(test, *driver)) {
      const auto same =
          std::find_if(found.begin(), found.end(), [&](const auto& known) { return known.first == line; });
      if (same == found.end()) {
        found.emplace_back(line, driver->name());
      } else {
        same->second += fmt::format(", {}", driver->name());
      }
    }
  }
  for (const auto& [line, seen_by] : found) fmt::print("{} {}: {} ({})\n", op, id, line, seen_by);
  if (ran == 0) {
    ++totals.skipped;
  } else {
    ++(found.empty() ? totals.passed : totals.failed);
  }
}

void check_file(const std::filesystem::path& path, std::span<const std::unique_ptr<Driver>> drivers,
                Totals& totals) {
  try {
    std::ifstream stream(path);
    const Json file = Json::parse(stream);
    for (const Json& test : file.at("cases")) check(test, drivers, totals);
  } catch (const Json::exception& error) {
    fmt::print("{}: {}\n", path.string(), error.what());
    ++totals.failed;
  }
}

int usage(std::string_view what) {
  fmt::print(stderr, "{}usage: tapescope-goldens DIR [--driver NAME]\ndrivers:", what);
  for (const auto& driver : all_drivers()) fmt::print(stderr, " {}", driver->name());
  fmt::print(stderr, "\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const char *folder = nullptr, *only = nullptr;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--driver") == 0 && i + 1 < argc) {
      only = argv[++i];
    } else if (folder || argv[i][0] == '-') {
      return usage(fmt::format("'{}' is not understood\n", argv[i]));
    } else {
      folder = argv[i];
    }
  }
  if (!folder) return usage("");
  std::vector<std::unique_ptr<Driver>> drivers = all_drivers();
  if (only) std::erase_if(drivers, [&](const auto& driver) { return driver->name() != only; });
  if (drivers.empty()) return usage(fmt::format("there is no driver '{}'\n", only));
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  if (error || files.empty()) return usage(fmt::format("'{}' holds no JSON file\n", folder));
  std::sort(files.begin(), files.end());
  Totals totals;
  for (const auto& path : files) check_file(path, drivers, totals);
  for (const auto& driver : drivers) {
    if (const std::string remark = driver->remark(); !remark.empty()) fmt::print("{}\n", remark);
  }
  fmt::print("{} passed, {} failed, {} skipped\n", totals.passed, totals.failed, totals.skipped);
  return totals.failed == 0 ? 0 : 1;
}
