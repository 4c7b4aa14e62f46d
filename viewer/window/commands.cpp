// Looking commands up by id and by key, and reading their arguments.
#include "viewer/window/commands.h"

#include <algorithm>
#include <charconv>

namespace tapescope::ui {

CommandTable::CommandTable(const std::map<std::string, std::string>& rebound) {
  for (const std::span<const Command> part : {run_commands(), break_commands(), go_commands(),
                                              view_commands(), program_commands(), file_commands()}) {
    for (const Command& command : part) {
      all_.push_back(&command);
      if (!by_id_.try_emplace(command.id, &command).second)
        complaints_.push_back(std::string(command.id) + ": twice");
      const auto other = rebound.find(std::string(command.id));
      std::string_view keys = other != rebound.end() ? std::string_view(other->second) : command.keys;
      while (!keys.empty()) {
        const std::string_view word = take_word(keys);
        const std::optional<Chord> chord = parse_chord(word);
        if (!chord || bound_to(*chord) != nullptr) {
          complaints_.push_back(std::string(command.id) + ": " + std::string(word));
        } else {
          bindings_.emplace_back(*chord, &command);
        }
      }
    }
  }
}

const Command* CommandTable::find(std::string_view id) const {
  const auto place = by_id_.find(id);
  return place == by_id_.end() ? nullptr : place->second;
}

const Command* CommandTable::bound_to(const Chord& chord) const {
  for (const auto& [bound, command] : bindings_) {
    if (bound == chord) return command;
  }
  return nullptr;
}

std::vector<Chord> CommandTable::chords(std::string_view id) const {
  std::vector<Chord> found;
  for (const auto& [chord, command] : bindings_) {
    if (command->id == id) found.push_back(chord);
  }
  return found;
}

std::string CommandTable::keys(std::string_view id) const {
  const std::vector<Chord> found = chords(id);
  return found.empty() ? std::string() : text_of(found.front());
}

Line split_line(std::string_view line) {
  Line split;
  split.command = take_word(line);
  split.arguments = line;
  return split;
}

std::string file_argument(std::string_view text) {
  const bool quoted =
      text.size() > 1 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front();
  return std::string(quoted ? text.substr(1, text.size() - 2) : text);
}

}  // namespace tapescope::ui
