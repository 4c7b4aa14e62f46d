// Words as people and shells write them.
#include "viewer/model/typed_text.h"

#include <array>
#include <cstdio>

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("blanks separate words, quotes and backslashes keep them") {
  using Words = std::vector<std::string>;
  CHECK(words_of("  a  'b c' \"d \\\"e\\\"\" f\\ g ") == Words{"a", "b c", "d \"e\"", "f g"});
  CHECK(words_of("--lr=0.1 x'y 'z") == Words{"--lr=0.1", "xy z"});
  CHECK(words_of(" \t ").empty());
}

TEST_CASE("a quoted word is one word to a shell and to a launch line") {
  for (const std::string word : {"fit", "my runs/a.tape", "run(1).tape", "a;b&c", "$HOME", "`id`", "it's",
                                 "say \"x\"", "back\\slash", "*?[x]", "", "~/a", "größe"}) {
    INFO(word);
    const std::string text = shell_word(word);
    CHECK(words_of(text) == std::vector<std::string>{word});
    if (word.starts_with("~")) continue;  // a shell's home, as it is meant
    FILE* const shell = popen(("printf %s " + text).c_str(), "r");
    REQUIRE(shell);
    std::array<char, 64> said{};
    const std::size_t count = std::fread(said.data(), 1, said.size(), shell);
    CHECK(pclose(shell) == 0);
    CHECK(std::string(said.data(), count) == word);
  }
  CHECK(shell_word("build/fit-2.tape") == "build/fit-2.tape");
}
