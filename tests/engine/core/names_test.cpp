// Interning: one id for one text, also when many threads ask at once.
#include "engine/core/names.h"

#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/core/error.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

Location here(Location location = Location::current()) { return location; }

}  // namespace

TEST_CASE("the file of a place is known by its whole path, the first of each name", "[names]") {
  const Location here = Location::current();
  intern_site(here, 0);
  const std::string path = here.file_name(), name = path.substr(path.find_last_of('/') + 1);
  const auto known = source_paths();
  REQUIRE(known.contains(name));
  CHECK(known.at(name).ends_with(path));
  CHECK(std::filesystem::exists(known.at(name)));  // also where the build cut the path
  note_source_path("/elsewhere/" + name);
  note_source_path("<stdin>");
  CHECK(source_paths() == known);
  CHECK(source_path_count() == known.size());
}

TEST_CASE("equal texts have one id and the empty text is 0") {
  CHECK(intern_name("") == 0);
  CHECK(name_text(0).empty());
  const NameId id = intern_name("images");
  CHECK(id != 0);
  CHECK(intern_name(std::string("ima") + "ges") == id);
  CHECK(name_text(id) == "images");
  CHECK(name_text(0xfffffff0u).empty());
  CHECK(intern_op_name("TestOpName") == intern_op_name("TestOpName"));
  CHECK(op_name_text(intern_op_name("TestOpName")) == "TestOpName");
}

TEST_CASE("a scope's path names its parents") {
  const ScopeId model = intern_scope(0, intern_name("model"));
  const ScopeId dense = intern_scope(model, intern_name("dense_1"));
  CHECK(scope_path(dense) == "model/dense_1");
  CHECK(scope_parent(dense) == model);
  CHECK(scope_path(0).empty());
  CHECK(intern_scope(model, intern_name("dense_1")) == dense);
  CHECK(intern_scope(0, intern_name("dense_1")) != dense);
}

TEST_CASE("scopes inside each other without end stop at a depth, and their path at a length") {
  const NameId name = intern_name("deeper");
  ScopeId scope = 0, before = 0;
  int depth = 0;
  for (; depth < 5000; ++depth) {
    before = std::exchange(scope, intern_scope(scope, name));
    if (scope == before) break;
  }
  CHECK(depth == 1024);
  // Another name at the limit is no deeper either.
  CHECK(intern_scope(scope, intern_name("deepest")) == scope);
  const std::string path = scope_path(scope);
  CHECK(path.size() <= 4200);
  CHECK(path.starts_with("…/deeper/"));
  CHECK(path.ends_with("/deeper/deeper"));
  // The innermost name is always there, however long.
  const std::string_view long_name = name_text(intern_name(std::string(9000, 'x')));
  CHECK(scope_path(intern_scope(scope, intern_name(long_name))) == path);
  CHECK(scope_path(intern_scope(0, intern_name(long_name))) == long_name);
}

TEST_CASE("a site is a line in a scope, with the file's base name") {
  const Location first = here();
  const SiteId id = intern_site(first, 0);
  CHECK(id != 0);
  CHECK(intern_site(first, 0) == id);
  CHECK(intern_site(here(), 0) != id);
  const ScopeId scope = intern_scope(0, intern_name("site_scope"));
  CHECK(intern_site(first, scope) != id);
  const CallSite site = site_with_id(id);
  CHECK(site.file == "names_test.cpp");
  CHECK(site.line == first.line());
  CHECK(location_text(first) == "names_test.cpp:" + std::to_string(first.line()));
  CHECK(location_text(site) == location_text(first));
}

TEST_CASE("a site given by text is the one given by a location") {
  const SiteId id = intern_site("dir/train.py", "train_step", 12, 0);
  CHECK(intern_site("other/train.py", "train_step", 12, 0) == id);
  CHECK(intern_site("dir/train.py", "train_step", 13, 0) != id);
  CHECK(location_text(site_with_id(id)) == "train.py:12");
  CHECK(site_with_id(id).function == "train_step");
  CHECK(intern_site("", "", 0, 0) == 0);
  CHECK(location_text(CallSite{}).empty());
  CHECK(location_text(Location()).empty());
}

TEST_CASE("a function's name loses its result, parameters and template arguments") {
  const auto in_lambda = [](int) { return here(); };
  struct Net {
    const char* forward(int, double) const { return Location::current().function_name(); }
  };
  const std::string_view name = site_with_id(intern_site("x.cpp", "f", 1, 0)).function;
  CHECK(name == "f");
  const std::string_view lambda = site_with_id(intern_site(in_lambda(1), 0)).function;
  CHECK(lambda.find('(') == std::string_view::npos);
  CHECK_FALSE(lambda.empty());
}

TEST_CASE("threads that intern the same texts get the same ids", "[threads]") {
  constexpr int kThreads = 4, kNames = 2000;
  std::vector<std::vector<NameId>> names(kThreads, std::vector<NameId>(kNames));
  std::vector<std::vector<SiteId>> sites(kThreads, std::vector<SiteId>(kNames));
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kNames; ++i) {
        names[t][i] = intern_name("threaded_" + std::to_string(i));
        sites[t][i] = intern_site("threaded.cpp", "f", static_cast<std::uint32_t>(i + 1), 0);
        // Readers take no lock: what an id names must be complete as soon as the id exists.
        if (name_text(names[t][i]) != "threaded_" + std::to_string(i)) names[t][i] = 0;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 1; t < kThreads; ++t) {
    CHECK(names[t] == names[0]);
    CHECK(sites[t] == sites[0]);
  }
  CHECK(std::count(names[0].begin(), names[0].end(), 0u) == 0);
}

TEST_CASE("an error says where, what and at which line") {
  const Location location = here();
  try {
    fail(ErrorKind::invalid_argument, "MatMul", "inner sizes differ", &location);
    FAIL("did not throw");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::invalid_argument);
    CHECK(std::string(error.what()) == "[MatMul] inner sizes differ (at " + location_text(location) + ")");
  }
  CHECK_THROWS_WITH(fail(ErrorKind::value, "tape", "gone"), "[tape] gone");
  CHECK(name_of(ErrorKind::invalid_argument) == "InvalidArgumentError");
}
