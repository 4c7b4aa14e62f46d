// Climbs from lines to the calls of their functions, read in the program's text: records hold an op's line
// alone.
#include "viewer/store/none_places.h"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/debug/find_word.h"
#include "engine/explain/python_words.h"
#include "viewer/store/call_lines.h"

namespace tapescope {
namespace {

constexpr int kMostCalls = 6;             // how far it climbs
constexpr std::size_t kMostLeading = 64;  // functions that lead to a block

using Line = SourceLine;
// A function by its file and the line that it begins on.
using Function = Line;

std::string_view trimmed(const SourceFile& file, std::uint32_t line) {
  if (line == 0 || line > file.lines.size()) return {};
  const std::string_view text = file.lines[line - 1];
  return text.substr(std::min(text.find_first_not_of(' '), text.size()));
}

bool runs_object(const FunctionText& function) {
  return function.name == "call" || function.name == "__call__" || function.name == "operator";
}

// Whether the line hands on what it computed, as that of a function of one line does in C++.
bool returns(std::string_view text) {
  return text.starts_with("return ") || text.find("{ return ") != std::string_view::npos;
}

// Whether a line of C++ has the call, of an object or through a pointer: "record" of "tape.record()".
bool calls_member(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    if (at > 0 && (text[at - 1] == '.' || text[at - 1] == '>') && text.substr(at + name.size(), 2) == "()")
      return true;
  }
  return false;
}
// Whether the line of C++ keeps what it computed in something that was there before: "if (!kept_) kept_ = ".
bool keeps(std::string_view text) {
  const std::size_t sign = text.find(" = ");
  if (sign == std::string_view::npos) return false;
  std::size_t begin = sign;
  while (begin > 0 && text[begin - 1] != ' ') --begin;
  const std::string_view before = text.substr(0, begin);
  return before.empty() || before.ends_with(") ");
}
bool opens_tape(const SourceFile& file, std::uint32_t line) {
  const std::string_view text = file.lines[line - 1];
  if (is_python(file.path)) return text.find("GradientTape(") != std::string_view::npos;
  return calls_member(text, "record") || calls_member(text, "enter");
}

// "weights" of "weights = kernel * 2.0", also where several names are assigned.
bool assigns(std::string_view text, std::string_view name) {
  const std::size_t sign = text.find('=');
  if (sign == std::string_view::npos) return false;
  const std::string_view left = text.substr(0, sign);
  return left.find('(') == std::string_view::npos && has_word(left, name);
}

// "real, fakes" of "real, fakes = draw(), painter(noise)"; empty where a line assigns no variables.
std::string_view assigned_by(std::string_view text) {
  const std::string_view left = text.substr(0, std::min(text.find(" = "), text.size()));
  const bool plain = left.size() < text.size() && left.find_first_of("([.") == std::string_view::npos;
  return plain ? left : std::string_view();
}

// Whether the text has one of the words of the list.
bool names_any(std::string_view text, std::string_view list) {
  for (std::size_t begin = 0; begin < list.size();) {
    std::size_t end = begin;
    while (end < list.size() && of_word(list[end])) ++end;
    if (has_word(text, list.substr(begin, end - begin))) return true;
    begin = end + 1;
  }
  return false;
}

class Calls {
 public:
  explicit Calls(const SourceFiles& files) : files_(files) {}

  const SourceFiles& files() const { return files_; }

  FunctionText around(const Line& line) const {
    const auto file = files_.find(line.file);
    return file == files_.end() ? FunctionText() : function_around(file->second, line.number);
  }

  // In the order of the text; those in the function itself are no callers of it.
  std::vector<Line> of(const std::string& file, const FunctionText& function) const {
    std::vector<Line> found;
    if (function.name.empty()) return found;
    std::vector<std::string> names;
    if (runs_object(function)) names = objects(function.of_class);
    else names.push_back(function.name);
    for (const std::string& name : names) {
      for (const auto& [other, text] : files_) {
        const std::uint32_t own = other == file ? function.line : 0;
        for (const std::uint32_t line : lines_that_call(text, {name, own, {}}))
          if (own == 0 || function_around(text, line).line != own) found.push_back({other, line});
      }
    }
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
  }

  // The function around the line and all that lead to it.
  std::set<Function> leading_to(const Line& line) const {
    std::set<Function> found;
    std::vector<Line> open{line};
    while (!open.empty() && found.size() < kMostLeading) {
      const Line at = open.back();
      open.pop_back();
      const FunctionText function = around(at);
      if (function.name.empty() || !found.insert({at.file, function.line}).second) continue;
      std::ranges::move(of(at.file, function), std::back_inserter(open));
    }
    return found;
  }

  // Whether its body opens a tape.
  bool holds_block(const Line& line) const {
    const auto file = files_.find(line.file);
    const FunctionText function = around(line);
    if (file == files_.end() || function.name.empty()) return false;
    for (std::uint32_t at = function.line + 1; at <= file->second.lines.size(); ++at) {
      if (!opens_tape(file->second, at)) continue;
      if (function_around(file->second, at).line == function.line) return true;
    }
    return false;
  }
  // Whether it stands in the block of a tape.
  bool inside_block(const Line& line) const {
    if (!is_python(line.file)) return in_scope_of_recording(line);
    return std::ranges::any_of(blocks_around(line), [](std::string_view with) {
      return with.find("GradientTape(") != std::string_view::npos;
    });
  }
  // Whether it stands in a block of stop_recording(), also one that a function of the program opens.
  bool inside_pause(const Line& line) const {
    return std::ranges::any_of(blocks_around(line), [&](std::string_view with) {
      return std::ranges::any_of(pausing(), [&](const std::string& name) {
        const std::size_t at = with.find(name + '(');
        return at != std::string_view::npos && !of_word(with[at - 1]);
      });
    });
  }

  // Whether it takes something that the block of a tape made which was left before it.
  bool takes_from_block(const Line& line) const {
    const auto file = files_.find(line.file);
    if (file == files_.end()) return false;
    const std::vector<std::string_view> own = blocks_around(line);
    for (std::uint32_t at = around(line).line + 1; at < line.number; ++at) {
      const std::string_view left = assigned_by(trimmed(file->second, at));
      if (left.empty() || !names_any(text(line), left)) continue;
      for (const std::string_view with : blocks_around({line.file, at})) {
        const bool around_both =
            std::ranges::any_of(own, [&](std::string_view other) { return other.data() == with.data(); });
        if (!around_both && with.find("GradientTape(") != std::string_view::npos) return true;
      }
    }
    return false;
  }

  std::string_view text(const Line& line) const {
    const auto file = files_.find(line.file);
    return file == files_.end() ? std::string_view() : trimmed(file->second, line.number);
  }

 private:
  // In C++: whether a line above in the same function begins to record, in a scope that is still open, and
  // none ends it after that.
  bool in_scope_of_recording(const Line& line) const {
    const auto file = files_.find(line.file);
    if (file == files_.end()) return false;
    const std::vector<std::string>& lines = file->second.lines;
    const std::uint32_t begin = around(line).line;
    std::size_t inside = lines[line.number - 1].find_first_not_of(' ');
    for (std::uint32_t at = line.number - 1; at > begin && at > 0; --at) {
      const std::size_t depth = lines[at - 1].find_first_not_of(' ');
      if (depth == std::string::npos || depth > inside) continue;
      inside = depth;
      if (calls_member(lines[at - 1], "exit")) return false;
      if (opens_tape(file->second, at)) return true;
    }
    return false;
  }
  // The lines "with ..." of its function in whose blocks it stands.
  std::vector<std::string_view> blocks_around(const Line& line) const {
    std::vector<std::string_view> found;
    const auto file = files_.find(line.file);
    if (file == files_.end()) return found;
    const std::vector<std::string>& lines = file->second.lines;
    const std::uint32_t begin = around(line).line;
    std::size_t inside = lines[line.number - 1].find_first_not_of(' ');
    for (std::uint32_t at = line.number - 1; at > begin && at > 0; --at) {
      const std::size_t depth = lines[at - 1].find_first_not_of(' ');
      if (depth == std::string::npos || depth >= inside) continue;
      inside = depth;
      if (trimmed(file->second, at).starts_with("with ")) found.push_back(trimmed(file->second, at));
    }
    return found;
  }
  // stop_recording and the program's functions that call it.
  std::vector<std::string> pausing() const {
    std::vector<std::string> names{"stop_recording"};
    for (const auto& [name, file] : files_) {
      for (const std::uint32_t line : lines_that_call(file, {"stop_recording", 0, {}})) {
        const std::string caller = function_around(file, line).name;
        if (!caller.empty()) names.push_back(caller);
      }
    }
    return names;
  }
  // What holds an object of the class, or of one that inherits its call.
  std::vector<std::string> objects(const std::string& of_class) const {
    std::vector<std::string> names;
    if (of_class.empty()) return names;
    for (const auto& [name, file] : files_) {
      std::ranges::move(objects_of(file, of_class), std::back_inserter(names));
      for (std::uint32_t line = 1; line <= file.lines.size(); ++line) {
        const std::string_view text = trimmed(file, line);
        const std::size_t open = text.find('(');
        if (!text.starts_with("class ") || open == std::string_view::npos) continue;
        if (find_word(text, of_class, open) == std::string_view::npos) continue;
        std::ranges::move(objects_of(file, std::string(text.substr(6, open - 6))), std::back_inserter(names));
      }
    }
    return names;
  }

  const SourceFiles& files_;
};

// Of calls the first in the function that asks, else in one that has a tape or leads to the question, else of
// all.
std::optional<Line> likeliest(const Calls& calls, const std::vector<Line>& found, const Line& asked,
                              const std::set<Function>& leading) {
  const FunctionText asks = calls.around(asked);
  const auto inside = [&](const Line& line) {
    return line.file == asked.file && calls.around(line).line == asks.line;
  };
  const auto leads = [&](const Line& line) { return leading.contains({line.file, calls.around(line).line}); };
  if (const auto own = std::ranges::find_if(found, inside); own != found.end()) return *own;
  const auto opens = [&](const Line& line) { return calls.holds_block(line); };
  if (const auto block = std::ranges::find_if(found, opens); block != found.end()) return *block;
  if (const auto way = std::ranges::find_if(found, leads); way != found.end()) return *way;
  return found.empty() ? std::nullopt : std::optional(found.front());
}

// Of two objects of a class the one that the source belongs to; all calls where none has its name.
void leave_own_object(const SourceFiles& files, std::string_view source, std::vector<Line>& found) {
  const auto other = [&](const Line& line) {
    return !names_part_of(files.find(line.file)->second, line.number, source);
  };
  if (!std::ranges::all_of(found, other)) std::erase_if(found, other);
}

// The call that is to stand elsewhere.
// `way`: the lines that led to it, the innermost first, where they are known.
Line call_of_helper(const Calls& calls, Line line, const Line& asked, bool outside, std::string_view source,
                    const std::vector<Line>& way) {
  const std::set<Function> leading = calls.leading_to(asked);
  const FunctionText asks = calls.around(asked);
  for (int i = 0; i < kMostCalls; ++i) {
    const FunctionText function = calls.around(line);
    if (function.name.empty() || leading.contains({line.file, function.line})) break;
    if (calls.holds_block(line) || (!is_python(line.file) && keeps(calls.text(line)))) break;
    const bool known = static_cast<std::size_t>(i) < way.size();
    std::vector<Line> all =
        known ? std::vector{way[static_cast<std::size_t>(i)]} : calls.of(line.file, function);
    if (!known && !way.empty()) break;
    const auto inside = [&](const Line& call) { return calls.inside_block(call); };
    if (outside && !std::ranges::all_of(all, inside)) std::erase_if(all, inside);
    if (runs_object(function)) leave_own_object(calls.files(), source, all);
    // What was left behind by a block is what another one went on with.
    const auto other = [&](const Line& call) { return !calls.takes_from_block(call); };
    if (outside && !std::ranges::all_of(all, other)) std::erase_if(all, other);
    const std::optional<Line> call = likeliest(calls, all, asked, leading);
    if (!call) break;
    // A longer function is as right as that where the one that asks calls it.
    const bool own = call->file == asked.file && calls.around(*call).line == asks.line;
    // So is one that the function of the tape's block called beside it, or a script, where the way to it is
    // known. What another tape's block holds stands there already.
    const bool script = own && asks.name.empty();
    const bool beside =
        known && outside && is_python(call->file) && !inside(*call) && (script || calls.holds_block(*call));
    if (!returns(calls.text(line)) && !runs_object(function) && !beside && !(own && i == 0)) break;
    line = *call;
  }
  return line;
}

// The call that another thread makes: that of a helper on the line that starts it, or near it.
Line call_on_thread(const Calls& calls, const Line& line) {
  constexpr std::array<std::string_view, 4> kStarts = {"std::async", "std::thread", "std::jthread",
                                                       "prefetch("};
  const auto starts = [&](const Line& call) {
    return std::ranges::any_of(kStarts, [&](std::string_view word) {
      return calls.text(call).find(word) != std::string_view::npos;
    });
  };
  Line at = line;
  for (int i = 0; i < kMostCalls && !starts(at); ++i) {
    const std::vector<Line> all = calls.of(at.file, calls.around(at));
    const auto started = std::ranges::find_if(all, starts);
    if (started != all.end()) return *started;
    if (all.size() != 1) return line;
    at = all.front();
  }
  return starts(at) ? at : line;
}

// The call in the block of stop_recording() that is to leave it; the line itself where the text does not say,
// and in a longer function, which is as right.
Line call_in_pause(const Calls& calls, const Line& line) {
  Line at = line;
  for (int i = 0; i < kMostCalls && !calls.inside_pause(at); ++i) {
    const FunctionText function = calls.around(at);
    if (!returns(calls.text(at)) && !runs_object(function) && i == 0) break;
    const std::vector<Line> all = calls.of(at.file, function);
    const auto inside = std::ranges::find_if(all, [&](const Line& call) { return calls.inside_pause(call); });
    if (inside != all.end()) return *inside;
    if (all.size() != 1) return line;
    at = all.front();
  }
  return calls.inside_pause(at) ? at : line;
}

// Where the tensor that a helper returns gets the name by which it is asked about.
Line where_named(const Calls& calls, const Line& made, std::string_view name) {
  if (assigns(calls.text(made), name) || !returns(calls.text(made))) return made;
  const std::vector<Line> found = calls.of(made.file, calls.around(made));
  const auto named =
      std::ranges::find_if(found, [&](const Line& line) { return assigns(calls.text(line), name); });
  return named == found.end() ? made : *named;
}

// Where the program takes a layer of C++ out of training that makes the variable later: by its name, or the
// only such line.
std::optional<Line> where_frozen(const SourceFiles& files, std::string_view source) {
  std::vector<Line> found;
  for (const auto& [name, file] : files) {
    if (is_python(name)) continue;
    for (const std::uint32_t line : lines_that_call(file, {"set_trainable", 0, {}})) {
      if (trimmed(file, line).find("set_trainable(false") != std::string_view::npos)
        found.push_back({name, line});
    }
  }
  if (found.size() > 1) leave_own_object(files, source, found);
  return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

void put_where_frozen(GradientRow& row, const std::optional<Line>& line) {
  if (!line) return;
  const std::string location = fmt::format("{}:{}", line->file, line->number);
  row.message += fmt::format(" (set_trainable(false) at {} froze its layer before that was built)", location);
  row.fix = fmt::format("call set_trainable(true) before {0} is used, or call tape.watch({0})", row.name);
  row.location = row.edge.location = location;
}

std::vector<Line> way_to(const Surroundings& surroundings, SourcePlace place, TensorId output) {
  std::vector<Line> way;
  for (const SiteId caller : surroundings.callers(place.file, place.line, output)) {
    const CallSite site = site_with_id(caller);
    way.push_back({std::string(site.file), site.line});
  }
  return way;
}

bool ran_elsewhere(std::string_view reason) {
  constexpr std::array<std::string_view, 3> kReasons = {"outside_tape_before", "outside_tape_after",
                                                        "other_tape"};
  return std::ranges::find(kReasons, reason) != kReasons.end();
}

}  // namespace

void NonePlaces::put_into(std::vector<GradientRow>& rows, const std::shared_ptr<const SourceFiles>& sources,
                          const Surroundings& surroundings) {
  if (!sources) return;
  if (std::exchange(of_, sources) != sources) known_.clear();
  const Calls calls(*sources);
  for (GradientRow& row : rows) {
    if (row.status != GradientStatus::none || !source_of(sources.get(), row.location)) continue;
    const SourcePlace place = source_place(row.location), asked = source_place(row.asked_at);
    if (place.line == 0) continue;
    // In C++ the name stands where named() or the variable's options give it.
    const bool unwatched =
        is_python(place.file) && row.reason == "not_watched" && row.edge.output == row.source_id;
    const bool paused = is_python(place.file) && row.reason == "paused";
    if (row.reason == "not_trainable" && !is_python(place.file) &&
        calls.text({std::string(place.file), place.line}).find("trainable") == std::string_view::npos) {
      put_where_frozen(row, where_frozen(*sources, row.name));
      continue;
    }
    // A pipeline that applies a function is no call of it that could stand elsewhere.
    const bool in_pipeline = row.fix.find("each batch") != std::string::npos;
    // In C++ each tape is asked by its name: that is to be changed, not the call.
    const bool elsewhere = ran_elsewhere(row.reason) && (is_python(place.file) || row.reason != "other_tape");
    const bool late = !is_python(place.file) && row.reason == "watched_too_late";
    const bool threads = !is_python(place.file) && row.reason == "other_thread";
    if (!unwatched && !paused && !late && !threads && (!elsewhere || in_pipeline)) continue;
    const auto [found, fresh] = known_.try_emplace({row.location, row.asked_at, row.name});
    if (fresh) {
      const Line line{std::string(place.file), place.line};
      found->second = unwatched ? where_named(calls, line, row.name)
                      : paused  ? call_in_pause(calls, line)
                      : threads ? call_on_thread(calls, line)
                                : call_of_helper(calls, line, {std::string(asked.file), asked.line},
                                                 elsewhere && row.reason != "other_tape", row.name,
                                                 way_to(surroundings, place, row.edge.output));
    }
    const std::string location = fmt::format("{}:{}", found->second.file, found->second.number);
    if (location == row.location) continue;
    if (!unwatched) {
      row.message += fmt::format(" (called at {})", location);
      // "move Mul at net.py:9 inside the block": the op is right where it stands.
      for (const std::string_view place : {" inside ", " out of the block ", " on the thread "}) {
        const std::size_t begin = row.fix.find(place);
        if (begin == std::string::npos) continue;
        row.fix =
            fmt::format("{} the call at {}{}", threads ? "run" : "move", location, row.fix.substr(begin));
        break;
      }
      const std::size_t before = late ? row.fix.find(" before ") : std::string::npos;
      if (before != std::string::npos)
        row.fix = fmt::format("{} before the call at {}", row.fix.substr(0, before), location);
    }
    // What ran unwatched is right where it stands, and so is the call: the watch is to come before it.
    if (!late) row.location = row.edge.location = location;
  }
}

}  // namespace tapescope
