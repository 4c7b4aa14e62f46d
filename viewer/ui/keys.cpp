// Names of keys, and the way to and from text.
#include "viewer/ui/keys.h"

#include <array>
#include <cctype>

namespace tapescope::ui {
namespace {

constexpr std::array<std::string_view, static_cast<std::size_t>(Key::count_)> kNames = {
    "",       "A",        "B",   "C",     "D",   "E",     "F",         "G",      "H",      "I",     "J",
    "K",      "L",        "M",   "N",     "O",   "P",     "Q",         "R",      "S",      "T",     "U",
    "V",      "W",        "X",   "Y",     "Z",   "0",     "1",         "2",      "3",      "4",     "5",
    "6",      "7",        "8",   "9",     "F1",  "F2",    "F3",        "F4",     "F5",     "F6",    "F7",
    "F8",     "F9",       "F10", "F11",   "F12", "Home",  "End",       "Left",   "Right",  "Up",    "Down",
    "PageUp", "PageDown", "Esc", "Enter", "Tab", "Space", "Backspace", "Delete", "Insert", "Pause", "+",
    "-",      ",",        ".",   "/",     "?",   "[",     "]"};

bool same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(a[i])) != std::tolower(static_cast<unsigned char>(b[i])))
      return false;
  }
  return true;
}

Key key_named(std::string_view text) {
  if (same(text, "Escape")) return Key::escape;
  if (same(text, "Return")) return Key::enter;
  if (same(text, "Del")) return Key::del;
  if (same(text, "Plus")) return Key::plus;
  for (std::size_t i = 1; i < kNames.size(); ++i) {
    if (same(text, kNames[i])) return static_cast<Key>(i);
  }
  return Key::none;
}

}  // namespace

std::string_view name_of(Key key) { return kNames[static_cast<std::size_t>(key)]; }

std::optional<Chord> parse_chord(std::string_view text) {
  Chord chord;
  while (true) {
    // The last piece is the key, and may itself be a plus.
    const std::size_t plus = text.find('+');
    if (plus == std::string_view::npos || plus == 0) break;
    const std::string_view modifier = text.substr(0, plus);
    if (same(modifier, "Ctrl") || same(modifier, "Control")) chord.ctrl = true;
    else if (same(modifier, "Shift")) chord.shift = true;
    else if (same(modifier, "Alt")) chord.alt = true;
    else return std::nullopt;
    text.remove_prefix(plus + 1);
  }
  chord.key = key_named(text);
  if (chord.key == Key::none) return std::nullopt;
  return chord;
}

std::string text_of(const Chord& chord) {
  if (chord.key == Key::none) return {};
  std::string text;
  if (chord.ctrl) text += "Ctrl+";
  if (chord.shift) text += "Shift+";
  if (chord.alt) text += "Alt+";
  return text.append(name_of(chord.key));
}

Key key_of_character(unsigned character) {
  if (character <= 32 || character > 126) return Key::none;
  const char text = static_cast<char>(character);
  return key_named(std::string_view(&text, 1));
}

}  // namespace tapescope::ui
