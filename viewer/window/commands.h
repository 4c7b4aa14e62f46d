// The command table: one list feeds keys, menus, the palette, the help window, scripts and tests.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/model/typed_text.h"
#include "viewer/ui/keys.h"

namespace tapescope::ui {

class Workbench;

struct Command {
  std::string_view id;         // "step-forward": of scripts and settings
  std::string_view title;      // "Step forward"
  std::string_view help;       // one sentence
  std::string_view arguments;  // "[N]", "NAME"; empty: takes none
  std::string_view menu;       // "Run"; empty: in no menu
  std::string_view keys;       // default chords, separated by spaces
  // Why it cannot be carried out now; empty when it can. Null: it always can.
  std::string (*unavailable)(const Workbench&) = nullptr;
  // What went wrong; empty when nothing did. May throw Error.
  std::string (*carry_out)(Workbench&, std::string_view arguments) = nullptr;

  bool needs_argument() const { return !arguments.empty() && arguments.front() != '['; }
};

std::span<const Command> run_commands();      // commands_run.cpp
std::span<const Command> break_commands();    // commands_break.cpp
std::span<const Command> go_commands();       // commands_go.cpp
std::span<const Command> view_commands();     // commands_view.cpp
std::span<const Command> program_commands();  // commands_programs.cpp
std::span<const Command> file_commands();     // commands_file.cpp

// Why commands about several programs are unavailable; empty where several are open.
std::string only_one_open(const Workbench& w);

class CommandTable {
 public:
  // `rebound` replaces the default chords of the commands it names.
  explicit CommandTable(const std::map<std::string, std::string>& rebound = {});

  const std::vector<const Command*>& all() const { return all_; }
  const Command* find(std::string_view id) const;
  const Command* bound_to(const Chord& chord) const;
  // As people read them, "F10"; the first one where there are several. Empty when there is none.
  std::string keys(std::string_view id) const;
  std::vector<Chord> chords(std::string_view id) const;
  // Commands that want a chord another one has already, and chords that cannot be read: "run: F99".
  const std::vector<std::string>& complaints() const { return complaints_; }

 private:
  std::vector<const Command*> all_;
  std::map<std::string_view, const Command*> by_id_;
  std::vector<std::pair<Chord, const Command*>> bindings_;
  std::vector<std::string> complaints_;
};

// --- reading arguments ---------------------------------------------------------------------------
struct Line {
  std::string_view command, arguments;  // without blanks around them
};
Line split_line(std::string_view line);
// The rest of a line as the name of a file, without the quotes around it.
std::string file_argument(std::string_view text);

}  // namespace tapescope::ui
