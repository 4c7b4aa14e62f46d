// The command table: unique ids and keys, and everything that is said about each command.
#include <set>

#include "tests/support/catch.h"
#include "viewer/window/chrome.h"
#include "viewer/window/commands.h"

using namespace tapescope;
using namespace tapescope::ui;

TEST_CASE("ids and keys of commands are unique, and every key can be read") {
  const CommandTable table;
  CHECK(table.complaints().empty());
  std::set<std::string_view> ids;
  for (const Command* command : table.all()) CHECK(ids.insert(command->id).second);
}

TEST_CASE("every command has a title, help that is a sentence, and does something") {
  const CommandTable table;
  for (const Command* command : table.all()) {
    INFO(command->id);
    CHECK_FALSE(command->title.empty());
    CHECK(command->help.ends_with('.'));
    CHECK(command->carry_out != nullptr);
  }
}

TEST_CASE("the keys are those of the design") {
  const CommandTable table;
  const std::pair<const char*, const char*> expected[] = {{"F5", "run"},
                                                          {"F6", "pause"},
                                                          {"Shift+F5", "stop"},
                                                          {"F9", "toggle-breakpoint"},
                                                          {"F10", "step-forward"},
                                                          {"Shift+F10", "step-back"},
                                                          {"F11", "step-into"},
                                                          {"Shift+F11", "step-out"},
                                                          {"Ctrl+F10", "run-to-selection"},
                                                          {"Home", "step-first"},
                                                          {"End", "step-last"},
                                                          {"F8", "next-alert"},
                                                          {"Shift+F8", "previous-alert"},
                                                          {"N", "next-same"},
                                                          {"Shift+N", "previous-same"},
                                                          {"W", "pan-up"},
                                                          {"A", "pan-left"},
                                                          {"S", "pan-down"},
                                                          {"D", "pan-right"},
                                                          {"F", "focus"},
                                                          {"Shift+F", "fit"},
                                                          {"Ctrl+Z", "undo"},
                                                          {"Ctrl+F", "find"},
                                                          {"/", "find"},
                                                          {"Ctrl+Shift+P", "palette"},
                                                          {"F1", "palette"},
                                                          {"?", "keys"},
                                                          {"Ctrl+Shift+E", "export"},
                                                          {"Alt+Left", "back"},
                                                          {"Alt+Right", "forward"},
                                                          {"Esc", "close"}};
  for (const auto& [chord, id] : expected) {
    INFO(chord);
    const Command* command = table.bound_to(parse_chord(chord).value());
    REQUIRE(command != nullptr);
    CHECK(command->id == id);
  }
}

TEST_CASE("commands that scripts rely on exist") {
  const CommandTable table;
  for (const char* id : {"sample",    "variant",  "compare",      "set",          "steps",
                         "run",       "pause",    "stop",         "step-forward", "step-back",
                         "step-into", "step-out", "step-first",   "step-last",    "step-training",
                         "run-to",    "break",    "clear-breaks", "next-alert",   "previous-alert",
                         "select",    "panel",    "filter",       "find",         "undo",
                         "fit",       "focus",    "export",       "theme",        "scale",
                         "size"}) {
    INFO(id);
    CHECK(table.find(id) != nullptr);
  }
  CHECK(table.find("rum") == nullptr);
}

TEST_CASE("keys can be rebound, and one that is taken is reported") {
  const CommandTable table({{"run", "F2 F3"}, {"stop", ""}, {"pause", "F10"}, {"fit", "Hyper+X"}});
  CHECK(table.bound_to(parse_chord("F2").value())->id == "run");
  CHECK(table.bound_to(parse_chord("F5").value()) == nullptr);
  CHECK(table.keys("run") == "F2");
  CHECK(table.keys("stop").empty());
  CHECK(table.complaints() == std::vector<std::string>{"step-forward: F10", "fit: Hyper+X"});
}

TEST_CASE("chords are read and written the same way") {
  for (const char* text :
       {"Ctrl+Shift+P", "F10", "Shift+F10", "Alt+Left", "?", "/", "Ctrl++", "Ctrl+-", "Esc", "N", "7"}) {
    const auto chord = parse_chord(text);
    INFO(text);
    REQUIRE(chord);
    CHECK(text_of(*chord) == text);
  }
  CHECK(parse_chord("ctrl+shift+p") == parse_chord("Ctrl+Shift+P"));
  CHECK_FALSE(parse_chord("Ctrl+"));
  CHECK_FALSE(parse_chord("Super+A"));
  CHECK_FALSE(parse_chord("F13"));
  CHECK_FALSE(parse_chord(""));
}

TEST_CASE("only keys that type text are held back in a text field") {
  CHECK(parse_chord("n")->types());
  CHECK(parse_chord("Shift+F")->types());
  CHECK(parse_chord("?")->types());
  CHECK(parse_chord("Space")->types());
  CHECK_FALSE(parse_chord("Ctrl+F")->types());
  CHECK_FALSE(parse_chord("F10")->types());
  CHECK_FALSE(parse_chord("Esc")->types());
}

TEST_CASE("arguments are read strictly") {
  std::int64_t n = 0;
  CHECK(read_count("12", 1, 1, n));
  CHECK(n == 12);
  CHECK(read_count("", 1, 7, n));
  CHECK(n == 7);
  CHECK_FALSE(read_count("0", 1, 1, n));
  CHECK_FALSE(read_count("3x", 1, 1, n));
  CHECK_FALSE(read_count("-1", 0, 1, n));
  double x = 0;
  CHECK(read_number("1e-3", x));
  CHECK(x == Approx(1e-3));
  CHECK_FALSE(read_number("", x));
  CHECK_FALSE(read_number("1.0.0", x));
  const Line line = split_line("  select   source dense 1/kernel  ");
  CHECK(line.command == "select");
  CHECK(line.arguments == "source dense 1/kernel");
}

TEST_CASE("the name of a file may stand in quotes") {
  CHECK(file_argument("\"my file.tape\"") == "my file.tape");
  CHECK(file_argument("'my file.tape'") == "my file.tape");
  CHECK(file_argument("my file.tape") == "my file.tape");
  CHECK(file_argument("\"half.tape") == "\"half.tape");
  CHECK(file_argument("\"") == "\"");
  CHECK(file_argument("\"a' ") == "\"a' ");
  CHECK(file_argument("") == "");
}

TEST_CASE("the palette finds what was meant") {
  CHECK(fuzzy_score("stfw", "Step forward") > 0);
  CHECK(fuzzy_score("sf", "Step forward") > fuzzy_score("sf", "Smaller interface of"));
  CHECK(fuzzy_score("step", "Step back") > fuzzy_score("step", "Last stop above"));
  CHECK(fuzzy_score("xyz", "Step forward") == -1);
  CHECK(fuzzy_score("", "anything") == fuzzy_score(" ", "something else"));
  CHECK(fuzzy_score("", "anything") >= 0);
}
