// Keys and chords as people write them: "Ctrl+Shift+P", "F10", "?".
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tapescope::ui {

// Signs are what the keyboard's layout gives, so that "?" is wherever the user has it.
enum class Key : std::uint8_t {
  none,
  a,
  b,
  c,
  d,
  e,
  f,
  g,
  h,
  i,
  j,
  k,
  l,
  m,
  n,
  o,
  p,
  q,
  r,
  s,
  t,
  u,
  v,
  w,
  x,
  y,
  z,
  n0,
  n1,
  n2,
  n3,
  n4,
  n5,
  n6,
  n7,
  n8,
  n9,
  f1,
  f2,
  f3,
  f4,
  f5,
  f6,
  f7,
  f8,
  f9,
  f10,
  f11,
  f12,
  home,
  end,
  left,
  right,
  up,
  down,
  page_up,
  page_down,
  escape,
  enter,
  tab,
  space,
  backspace,
  del,
  insert,
  pause,
  plus,
  minus,
  comma,
  period,
  slash,
  question,
  left_bracket,
  right_bracket,
  count_
};

struct Chord {
  Key key = Key::none;
  bool ctrl = false, shift = false, alt = false;
  bool operator==(const Chord&) const = default;
  // Types text, so it must not act while a text field has the focus.
  bool types() const { return !ctrl && !alt && is_sign(); }
  bool is_sign() const { return key <= Key::n9 || key >= Key::plus || key == Key::space; }
};

// Nothing when the text names no key: "Ctrl+Shift+P", case does not matter.
std::optional<Chord> parse_chord(std::string_view text);
// "Ctrl+Shift+P"; empty for no key.
std::string text_of(const Chord& chord);
std::string_view name_of(Key key);
// The key that a typed character is, or none.
Key key_of_character(unsigned character);

}  // namespace tapescope::ui
