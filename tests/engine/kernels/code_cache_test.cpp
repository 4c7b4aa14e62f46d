// Machine code outlives its process where a folder is given, and nothing runs but what was kept.
#include "engine/kernels/code_cache.h"

#include <sys/stat.h>
#include <unistd.h>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "engine/kernels/machine_code.h"
#include "engine/kernels/tile.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"

using namespace tapescope;
using namespace tapescope::kernels;
namespace fs = std::filesystem;

namespace {

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / "code-cache") { fs::remove_all(path_); }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string path() const { return path_; }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(path_)) found.push_back(entry.path());
    return found;
  }

 private:
  fs::path path_;
};

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}
ino_t file_number(const fs::path& path) {
  struct stat is {};
  stat(path.c_str(), &is);
  return is.st_ino;
}

}  // namespace

TEST_CASE("what is kept under a key is found under that key alone, by the next process too", "[kernels]") {
  const Folder folder;
  const std::string object(1000, 'o');
  CodeCache(folder.path()).keep("one", object);
  const CodeCache next(folder.path());
  CHECK(next.find("one") == object);
  CHECK(next.find("two").empty());
  next.keep("one", "other");
  CHECK(next.find("one") == "other");
  CHECK(folder.files().size() == 1);
}

TEST_CASE("a file of the cache with any other byte, or fewer, is passed over", "[kernels]") {
  const Folder folder;
  const CodeCache cache(folder.path());
  cache.keep("key", "object");
  const fs::path path = folder.files().at(0);
  const std::string whole = read(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    write(path, damaged);
    INFO("byte " << i);
    CHECK(cache.find("key").empty());
    write(path, whole.substr(0, i));
    CHECK(cache.find("key").empty());
  }
  write(path, whole + "x");
  CHECK(cache.find("key").empty());
  write(path, whole);
  CHECK(cache.find("key") == "object");
}

TEST_CASE("code that others could have written is not read", "[kernels]") {
  const Folder folder;
  const CodeCache cache(folder.path());
  cache.keep("key", "object");
  const fs::path path = folder.files().at(0);
  fs::permissions(path, fs::perms::group_write, fs::perm_options::add);
  CHECK(cache.find("key").empty());
  fs::permissions(path, fs::perms::group_write, fs::perm_options::remove);
  CHECK(cache.find("key") == "object");
  const fs::path elsewhere = fs::temp_directory_path() / "elsewhere";
  fs::rename(path, elsewhere);
  fs::create_symlink(elsewhere, path);
  CHECK(cache.find("key").empty());
  fs::remove(elsewhere);

  fs::permissions(folder.path(), fs::perms::others_write, fs::perm_options::add);
  CHECK(error_of([&] { CodeCache other(folder.path()); }) ==
        "machine code is not kept in '" + folder.path() +
            "' (TAPESCOPE_CODE_CACHE): others can write to it; run 'chmod go-w' on it");
  write(elsewhere, "");
  CHECK(error_of([&] { CodeCache file(elsewhere); }).find("it is no folder") != std::string::npos);
  fs::remove(elsewhere);
  CHECK(error_of([&] { CodeCache missing(folder.path() + "/a/b"); }).find("it cannot be made") !=
        std::string::npos);
}

TEST_CASE("the oldest code goes when the folder is full", "[kernels]") {
  const Folder folder;
  const CodeCache cache(folder.path());
  const std::string object(1000, 'o');
  const auto now = fs::file_time_type::clock::now();
  for (const auto& [key, age] : {std::pair{"old", 3}, {"older", 4}, {"young", 1}}) {
    cache.keep(key, object);
    for (const fs::path& path : folder.files()) {
      if (fs::last_write_time(path) > now - std::chrono::minutes(1))
        fs::last_write_time(path, now - std::chrono::hours(age));
    }
  }
  cache.keep("new", object, 3 * 1100);
  CHECK(cache.find("older").empty());
  CHECK(cache.find("old") == object);
  CHECK(cache.find("young") == object);
  CHECK(cache.find("new") == object);
}

TEST_CASE("a loop that is kept is read, and made again where its file is damaged", "[kernels]") {
  if (!load_machine_code_compiler()) return;
  const Folder folder;
  const CodeCache cache(folder.path());
  const TileProgram program{
      .inputs = {{DType::f32, TileProgram::Access::whole}},
      .steps = {{TileProgram::Code::unary, static_cast<std::uint8_t>(UnaryOp::tanh), DType::f32, DType::f32,
                 {0}, TileProgram::kFirstResult, 0}},
      .results = {DType::f32},
      .count = 256};
  std::vector<float> x(256), want(256);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.01f * static_cast<float>(i);
  const void* inputs[] = {x.data()};
  void* wanted[] = {want.data()};
  run_tiles(program, inputs, wanted);
  const auto check = [&](int vector_bits) {
    const auto code = make_machine_code(program, vector_bits, &cache);
    REQUIRE(code);
    std::vector<float> got(256);
    void* results[] = {got.data()};
    code->run(inputs, results, 0, 256);
    CHECK(got == want);
  };
  check(256);
  REQUIRE(folder.files().size() == 1);
  const fs::path path = folder.files()[0];
  const ino_t first = file_number(path);
  check(256);
  CHECK(file_number(path) == first);  // read, not written again
  std::string bytes = read(path);
  const std::string whole = bytes;
  bytes[bytes.size() / 2] ^= 1;
  write(path, bytes);
  check(256);
  CHECK(file_number(path) != first);
  CHECK(read(path) == whole);
}

TEST_CASE("loops of equal programs live side by side", "[kernels]") {
  if (!load_machine_code_compiler()) return;
  TileProgram program{
      .inputs = {{DType::f32, TileProgram::Access::whole}},
      .steps = {{TileProgram::Code::unary, static_cast<std::uint8_t>(UnaryOp::neg), DType::f32, DType::f32,
                 {0}, TileProgram::kFirstResult, 0}},
      .results = {DType::f32},
      .count = 64};
  const auto run = [](const MachineCode& code) {
    const std::vector<float> x(64, 2.f);
    std::vector<float> y(64);
    const void* inputs[] = {x.data()};
    void* results[] = {y.data()};
    code.run(inputs, results, 0, 64);
    return y[63];
  };
  auto first = make_machine_code(program, 256);
  const auto second = make_machine_code(program, 256);
  REQUIRE((first && second));
  CHECK(run(*first) == -2);
  first.reset();
  program.steps[0].function = static_cast<std::uint8_t>(UnaryOp::square);
  const auto third = make_machine_code(program, 256);  // where the first was
  CHECK(run(*third) == 4);
  CHECK(run(*second) == -2);
}
