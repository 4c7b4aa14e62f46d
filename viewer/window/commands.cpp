// Looking commands up by id and by key, and reading their arguments.
#include "viewer/window/commands.h"

#include <algorithm>
#include <charconv>

namespace tapescope::ui {

CommandTable::CommandTable(const std::map<std::string, std::string>& rebound) {
  for (const std::span<const Command> part : {run_commands(), break_commands(), go_commands(), view_commands(), program_commands(), file_commands()}) {
    for (const Command& command : part) {
      all_.push_back(&command);
      if (!by_id_.try_emplace(command.id, &command).second) complaints_.push_back(std::string(command.id) + ": twice");
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

std::string_view trimmed(std::string_view text) {
  const std::string_view blanks = " \t\r\n";
  const std::size_t from = text.find_first_not_of(blanks);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(blanks) - from + 1);
}

std::string_view take_word(std::string_view& text) {
  text = trimmed(text);
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view word = text.substr(0, end);
  text = trimmed(text.substr(end));
  return word;
}

Line split_line(std::string_view line) {
  Line split;
  split.command = take_word(line);
  split.arguments = line;
  return split;
}

bool read_count(std::string_view text, std::int64_t low, std::int64_t fallback, std::int64_t& value) {
  text = trimmed(text);
  value = fallback;
  if (text.empty()) return true;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= low;
}

bool read_number(std::string_view text, double& value) {
  text = trimmed(text);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && error == std::errc() && end == text.data() + text.size();
}

}  // namespace tapescope::ui
