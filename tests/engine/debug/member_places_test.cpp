// Lines of members in the text of a program.
#include "engine/debug/member_places.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// From the line that holds the mark; 0 where nothing else was found.
std::uint32_t found_from_mark(std::string_view program, std::string_view name) {
  const std::size_t mark = program.find("//!");
  REQUIRE(mark != std::string_view::npos);
  const auto line = static_cast<std::uint32_t>(
      1 + std::count(program.begin(), program.begin() + static_cast<std::ptrdiff_t>(mark), '\n'));
  const std::uint32_t found = member_line(program, line, name);
  return found == line ? 0 : found;
}

}  // namespace

TEST_CASE("a member's line is the one that gives it its name", "[members]") {
  CHECK(found_from_mark(
            "struct Lander {  //!\n  int burns = 0;\n  Variable thrust{1.0, {.name = \"thrust\"}},\n"
            "      drag{0.1, {.name = \"drag\"}};\n};",
            "drag") == 4);
  CHECK(
      found_from_mark("class Net final : public Layer {  //!\n public:\n  Variable w{\n      constant(1.0),\n"
                      "      {.name = \"w\"}};\n};",
                      "w") == 5);
}

TEST_CASE("a constructor's members are found, inside of the class and outside", "[members]") {
  CHECK(found_from_mark(
            "struct Model {\n  Model() { build(); }  //!\n  Variable w{1.0, {.name = \"w\"}};\n};", "w") ==
        3);
  CHECK(found_from_mark("struct Model {\n  Model(int n);\n  Variable w{1.0, {.name = \"w\"}};\n};\n\n"
                        "Model::Model(int n) : n_(n) {}  //!",
                        "w") == 3);
}

TEST_CASE("other lines stay as they are", "[members]") {
  // The name stands there.
  CHECK(found_from_mark("struct A { Variable w{1.0, {.name = \"w\"}}; };  //!\nconst char* n = \"w\";",
                        "w") == 0);
  // A helper that makes variables of any name.
  CHECK(found_from_mark("Variable make(std::string name) {\n  return Variable(1.0, {.name = name});  //!\n}\n"
                        "Variable w = make(\"w\");",
                        "w") == 0);
  // Another class's, a comment's, and what no class has.
  CHECK(found_from_mark("struct A {};  //!\nstruct B { Variable w{1.0, {.name = \"w\"}}; };", "w") == 0);
  CHECK(found_from_mark("struct A {  //!\n  // \"w\" is made later\n  int n = 0;\n};", "w") == 0);
  CHECK(found_from_mark("struct A;  //!\nstruct B {\n  Variable w{1.0, {.name = \"w\"}};\n};", "w") == 0);
  CHECK(member_line("", 3, "w") == 3);
  CHECK(member_line("struct {", 1, "w") == 1);
  CHECK(member_line("struct", 1, "w") == 1);
  CHECK(member_line("}}}{{{ class", 1, "w") == 1);
  CHECK(member_line("::(", 1, "w") == 1);
}
