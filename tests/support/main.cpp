// The entry point of every test binary: Catch2's, in folders that this process alone has. `--list-for-ctest`
// prints the cases as CMake calls, which tests/cases.cmake.in turns into tests of ctest.
#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_session.hpp>
#include <catch2/catch_test_case_info.hpp>
#include <catch2/interfaces/catch_interfaces_registry_hub.hpp>
#include <catch2/internal/catch_test_case_registry_impl.hpp>
#else
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#endif
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

struct Case {
  std::string name, file, tags;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases;
#if __has_include(<catch2/catch_all.hpp>)
  for (const Catch::TestCaseInfo* info : Catch::getRegistryHub().getTestCaseRegistry().getAllInfos()) {
    if (!info->isHidden()) cases.push_back({info->name, info->lineInfo.file, info->tagsAsString()});
  }
#else
  for (const Catch::TestCase& test : Catch::getRegistryHub().getTestCaseRegistry().getAllTests()) {
    if (!test.isHidden()) cases.push_back({test.name, test.lineInfo.file, test.tagsAsString()});
  }
#endif
  return cases;
}

// tests/engine/tape/tape_test.cpp is shown as engine/tape/tape_test.
std::string place_of(std::string_view file) {
  if (const auto root = file.rfind("tests/"); root != std::string_view::npos) file.remove_prefix(root + 6);
  return std::string(file.substr(0, file.rfind('.')));
}

// The expression by which Catch2 selects the case of this name and no other.
std::string selection_of(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (std::string_view("\\,[\"").find(c) != std::string_view::npos) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

void list_for_ctest() {
  for (const Case& test : all_cases())
    std::printf("tapescope_case([==[%s]==] [==[%s]==] [==[%s]==] [==[%s]==])\n",
                place_of(test.file).c_str(), test.name.c_str(), selection_of(test.name).c_str(),
                test.tags.c_str());
}

// Temporary files, settings, data and sockets of this process: cases that run at the same time do not meet.
class OwnFolders {
 public:
  OwnFolders() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tapescope-test-XXXXXX").string();
    const char* folder = mkdtemp(pattern.data());
    if (folder == nullptr) {
      std::perror(pattern.c_str());
      std::exit(3);
    }
    folder_ = folder;
    for (const auto& [variable, name] : {std::pair{"TMPDIR", "tmp"},
                                         {"XDG_RUNTIME_DIR", "run"},
                                         {"XDG_CONFIG_HOME", "config"},
                                         {"XDG_DATA_HOME", "data"}}) {
      const std::filesystem::path own = folder_ / name;
      std::filesystem::create_directory(own);
      // Sockets are refused where others may look.
      std::filesystem::permissions(own, std::filesystem::perms::owner_all);
      setenv(variable, own.c_str(), 1);
    }
  }
  ~OwnFolders() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  OwnFolders(const OwnFolders&) = delete;
  OwnFolders& operator=(const OwnFolders&) = delete;

 private:
  std::filesystem::path folder_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--list-for-ctest") {
    list_for_ctest();
    return 0;
  }
  const OwnFolders folders;
  return Catch::Session().run(argc, argv);
}
