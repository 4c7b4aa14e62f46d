// Each line is tried once a frame until it is done, fails, or runs out of time.
#include "viewer/window/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "viewer/window/state_json.h"

namespace tapescope::ui {
namespace {

constexpr double kStandardLimit = 30;  // seconds, of design/interfaces.md
constexpr double kClickLimit = 5;      // an item that is to appear is there by then

// Commands after which the cursor travels; what follows them means its new place.
constexpr std::array<std::string_view, 15> kMoving = {
    "step-forward",   "step-back",     "step-into", "step-out",         "step-first",
    "step-last",      "step-training", "seek",      "run-to-selection", "next-alert",
    "previous-alert", "select",        "pause",     "pause-all",        "stop"};

}  // namespace

std::vector<ScriptLine> parse_script(std::string_view text) {
  std::vector<ScriptLine> lines;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    ++number;
    if (!line.empty() && line.front() != '#') lines.push_back({number, std::string(line)});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::optional<WaitFor> parse_wait(std::string_view text, std::string& wrong) {
  const std::string given(text);
  const std::string_view what = take_word(text);
  WaitFor wait;
  wait.limit = kStandardLimit;
  if (what == "seconds") {
    wait.what = WaitFor::What::seconds;
    if (read_number(text, wait.limit) && wait.limit >= 0) return wait;
    wrong = fmt::format("`wait seconds` needs a number after it, got `{}`", text);
    return std::nullopt;
  }
  if (what == "idle") {
    wait.what = WaitFor::What::idle;
  } else if (what == "paused") {
    wait.what = WaitFor::What::paused;
  } else if (what == "step") {
    wait.what = WaitFor::What::step;
    std::int64_t step = 0;
    const std::string_view number = take_word(text);
    if (number.empty() || !read_count(number, 0, 0, step)) {
      wrong = fmt::format("`wait step` needs a whole number after it, got `{}`", number);
      return std::nullopt;
    }
    wait.step = static_cast<std::uint64_t>(step);
  } else {
    wrong = fmt::format("cannot wait for `{}`; expected idle, paused, step N or seconds S", given);
    return std::nullopt;
  }
  if (!text.empty() && (!read_number(text, wait.limit) || !(wait.limit >= 0))) {
    wrong = fmt::format("`{}` is no limit in seconds", text);
    return std::nullopt;
  }
  return wait;
}

ScriptRunner::ScriptRunner(std::vector<ScriptLine> lines, Workbench& workbench, InputQueue& input)
    : lines_(std::move(lines)), w_(workbench), input_(input), frames_to_draw_(2) {}

std::optional<std::string> ScriptRunner::take_shot() {
  std::optional<std::string> path;
  path.swap(shot_);
  return path;
}

void ScriptRunner::shot_done(const std::string& wrong) {
  shot_pending_ = false;
  if (!wrong.empty()) fail(wrong);
}

ScriptRunner::Step ScriptRunner::fail(const std::string& why) {
  if (failure_.empty()) failure_ = fmt::format("line {}: {}", number_, why);
  return Step::failed;
}

ScriptRunner::Outcome ScriptRunner::advance(double now) {
  if (!failure_.empty()) return Outcome::failed;
  if (shot_pending_ || !input_.empty()) return Outcome::working;
  if (frames_to_draw_ > 0) return Outcome::working;
  if (at_ == lines_.size()) return Outcome::ended;
  if (line_began_ < 0) line_began_ = now;
  number_ = lines_[at_].number;
  const Step step = carry_out(lines_[at_].text, now);
  switch (step) {
    case Step::again: return Outcome::working;
    case Step::quit: return Outcome::quit;
    case Step::failed: return Outcome::failed;
    case Step::next:
      ++at_;
      line_began_ = -1;
      frames_to_draw_ = 2;  // the second frame shows what the first one laid out
      wait_.reset();
      return Outcome::working;
  }
  return Outcome::working;
}

// Whether what the last line started has come to its end.
bool ScriptRunner::settled(double now) {
  if (moving_ == Moving::no) return true;
  const bool runs = moving_ == Moving::perhaps && w_.debuggee.status().mode == RunMode::running;
  if (!runs && !w_.debuggee.at_rest()) {
    if (now - line_began_ > kStandardLimit)
      fail("the command before it did not come to its end in 30 seconds");
    return false;
  }
  moving_ = Moving::no;
  w_.debuggee.flush();
  w_.refresh();
  frames_to_draw_ = 1;
  return false;
}

ScriptRunner::Step ScriptRunner::carry_out(std::string_view text, double now) {
  const Line line = split_line(text);
  if (launching_) {
    if (w_.debuggee.launcher().starts()) return Step::again;
    launching_ = false;
    return w_.launch_failure.empty() ? Step::next : fail(w_.launch_failure);
  }
  if (!settled(now)) return failure_.empty() ? Step::again : Step::failed;
  if (line.command == "quit") return Step::quit;
  if (line.command == "wait") {
    if (!wait_) {
      std::string wrong;
      wait_ = parse_wait(line.arguments, wrong);
      if (!wait_) return fail(wrong);
    }
    return wait(now);
  }
  if (line.command == "click") return click(line.arguments, now);
  if (line.command == "type") {
    input_.text(std::string(line.arguments));
    return Step::next;
  }
  if (line.command == "key") {
    const std::optional<Chord> chord = parse_chord(line.arguments);
    if (!chord)
      return fail(fmt::format("`{}` is no key; expected one such as F10, Ctrl+F or ?", line.arguments));
    input_.key(*chord);
    moving_ = Moving::perhaps;
    return Step::next;
  }
  if (line.command == "shot") {
    if (line.arguments.empty()) return fail("`shot` needs a file name after it");
    shot_ = file_argument(line.arguments);
    shot_pending_ = true;
    return Step::next;
  }
  if (line.command == "state") {
    if (line.arguments.empty()) return fail("`state` needs a file name after it");
    w_.debuggee.flush();
    w_.refresh();
    const std::string file = file_argument(line.arguments);
    if (!replace_file(file, state_json(w_))) return fail(fmt::format("cannot write {}", file));
    return Step::next;
  }
  const std::string wrong = w_.execute(text);
  if (!wrong.empty()) return fail(wrong);
  if (w_.debuggee.launcher().starts()) {
    launching_ = true;
    return Step::again;
  }
  // A program may end before the command that starts it does.
  if (!w_.launch_failure.empty()) return fail(w_.launch_failure);
  const bool moves = std::find(kMoving.begin(), kMoving.end(), line.command) != kMoving.end();
  moving_ = moves ? Moving::yes : Moving::no;
  return Step::next;
}

ScriptRunner::Step ScriptRunner::wait(double now) {
  const double waited = now - line_began_;
  if (wait_->what == WaitFor::What::seconds) return waited >= wait_->limit ? Step::next : Step::again;
  const bool rest = w_.debuggee.at_rest();
  const RunStatus status = w_.debuggee.status();
  bool there = false;
  switch (wait_->what) {
    case WaitFor::What::idle:
      there = rest && (status.mode == RunMode::idle || status.mode == RunMode::finished);
      break;
    case WaitFor::What::paused:
      there = rest && status.mode == RunMode::paused;
      if (rest && status.mode == RunMode::finished) {
        return fail(status.error.empty() ? std::string("the run finished, so it cannot be paused any more")
                                         : "the run ended: " + status.error);
      }
      break;
    case WaitFor::What::step:
      there = status.step >= wait_->step;
      if (!there && rest && status.mode == RunMode::finished) {
        return fail(
            fmt::format("the run finished after {} step{}", status.step, status.step == 1 ? "" : "s"));
      }
      break;
    case WaitFor::What::seconds: break;
  }
  if (there) {
    w_.debuggee.flush();
    const bool changed = w_.refresh().shown;
    // One more frame, so that the panels see it; of what runs there is always something new.
    if (wait_->what != WaitFor::What::step && (changed || !w_.panels_caught_up())) there = false;
  }
  if (there) return Step::next;
  if (waited <= wait_->limit) return Step::again;
  return fail(fmt::format("still {} after {} seconds", name_of(status.mode), wait_->limit));
}

ScriptRunner::Step ScriptRunner::click(std::string_view id, double now) {
  const UiItem* item = w_.map.find(id);
  if (item == nullptr || item->w <= 0 || item->h <= 0) {
    if (now - line_began_ < kClickLimit) return Step::again;
    return fail(fmt::format("there is no `{}` on the screen", id));
  }
  if (!item->enabled) return fail(fmt::format("`{}` is disabled", id));
  input_.click({item->x + item->w / 2, item->y + item->h / 2});
  moving_ = Moving::perhaps;
  return Step::next;
}

}  // namespace tapescope::ui
