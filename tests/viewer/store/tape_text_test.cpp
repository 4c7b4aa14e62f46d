// Tapes that containers make, placed by the text.
#include "viewer/store/tape_text.h"

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("a tape that a container made is placed where the text makes it", "[callers]") {
  const SourceFile file{.path = "crossing.cpp",
                        .lines = {
                            "void tune(const Tensor& cars) {",                                // 1
                            "  auto tape = std::make_unique<GradientTape>(options);",         // 2
                            "  {",                                                            // 3
                            "    auto recording = tape->record();",                           // 4
                            "  }",                                                            // 5
                            "  GradientTape inner;",                                          // 6
                            "}",                                                              // 7
                            "void go(Tape& given) {  // GradientTape",                        // 8
                            "  auto block = given.record();  // of a GradientTape",           // 9
                            "}",                                                              // 10
                        }};
  const SourceFiles files{{"crossing.cpp", file}};
  CHECK(tape_made_at(&files, "crossing.cpp:4") == "crossing.cpp:2");
  CHECK(tape_made_at(&files, "crossing.cpp:6") == "crossing.cpp:6");
  CHECK(tape_made_at(&files, "crossing.cpp:9") == "crossing.cpp:9");
  CHECK(tape_made_at(&files, "elsewhere.cpp:4") == "elsewhere.cpp:4");
  CHECK(tape_made_at(nullptr, "crossing.cpp:4") == "crossing.cpp:4");
}
