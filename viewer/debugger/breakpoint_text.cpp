// Reads and writes breakpoints.
#include "viewer/debugger/breakpoint_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/events/stats.h"
#include "viewer/debugger/arrived.h"
#include "viewer/model/typed_text.h"
#include "viewer/model/value_figures.h"

namespace tapescope {
namespace {

using Kind = Breakpoint::Kind;

using Wants = BreakCondition::Wants;
constexpr BreakCondition kConditions[] = {
    {"op", Kind::op, Wants::text, false, false, "an op of a type runs"},
    {"name", Kind::name, Wants::text, false, false, "a tensor or variable is met"},
    {"line", Kind::line, Wants::text, false, false, "a line of the program runs"},
    {"backward", Kind::backward, Wants::nothing, false, false, "a backward pass begins"},
    {"nonfinite", Kind::nonfinite, Wants::nothing, true, true, "a value is not finite"},
    {"norm-above", Kind::norm_above, Wants::number, true, true, "a gradient's norm is above"},
    {"norm-below", Kind::norm_below, Wants::number, true, true, "a gradient's norm is below"},
    {"zeros-above", Kind::zeros_above, Wants::share, true, true, "a gradient's share of zeros is at least"},
    {"none", Kind::none, Wants::nothing, true, false, "a gradient is None"},
    {"retrace", Kind::retrace, Wants::nothing, false, false, "a function is traced again"},
};

const BreakCondition& condition_of(Kind kind) {
  return *std::find_if(std::begin(kConditions), std::end(kConditions),
                       [&](const BreakCondition& condition) { return condition.kind == kind; });
}

// Takes what follows the last `word` between blanks off the end of `text`; false where the word is not there.
bool take_end(std::string_view& text, std::string_view word, std::string_view& after) {
  for (std::size_t at = text.rfind(word); at != text.npos; at = text.rfind(word, at - 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || text[at - 1] == ' ') && end < text.size() && text[end] == ' ') {
      after = trimmed(text.substr(end));
      text = trimmed(text.substr(0, at));
      return true;
    }
    if (at == 0) break;
  }
  return false;
}

// What of those values meets it, or nothing.
std::string met_by(const Breakpoint& hit, const TensorStats& stats) {
  const auto count = [&](std::int64_t some) { return fmt::format("{} of {}", some, stats.count); };
  switch (hit.kind) {
    case Kind::nonfinite: return nonfinite_text(stats);
    case Kind::norm_above: return stats.norm > hit.limit ? fmt::format("{:.6g}", stats.norm) : std::string();
    case Kind::norm_below: return stats.norm < hit.limit ? fmt::format("{:.6g}", stats.norm) : std::string();
    case Kind::zeros_above: {
      const double share = static_cast<double>(stats.zeros) / static_cast<double>(stats.count);
      return stats.count > 0 && share >= hit.limit ? count(stats.zeros) + " are 0" : std::string();
    }
    default: return {};
  }
}

// The first of the frame's values that the breakpoint waits for, and where it is.
std::string what_was_met(const Breakpoint& hit, const Frame& frame,
                         std::span<const record::PlacedDigest> digests) {
  using List = record::PlacedDigest::List;
  if (hit.source.empty()) {
    const auto& items = frame.backward ? frame.cotangents_out : frame.outputs;
    const List list = frame.backward ? List::cotangents_out : List::outputs;
    for (std::uint32_t i = 0; i < items.size(); ++i) {
      const record::TensorDigest* digest = record::digest_of(digests, list, i);
      const bool whole = items[i].value && is_floating(items[i].value.dtype());
      if (!whole && digest == nullptr) continue;
      const std::string met = met_by(hit, whole ? tensor_stats(items[i].value) : digest->stats);
      if (met.empty()) continue;
      const std::string place = items.size() > 1 ? fmt::format(" {}", i + 1) : std::string();
      return met + (frame.backward ? " in the gradient of input" : " in output") + place;
    }
  }
  const std::vector<Arrived> all = arrived_at_sources(frame);
  SourceNames names;
  for (const Arrived& arrived : all) names.note(arrived.name, arrived.source);
  for (const Arrived& arrived : all) {
    const bool meant = hit.source.empty() || hit.source == names.text(arrived.name, arrived.source);
    if (arrived.sum.count == 0 || !meant) continue;
    if (const std::string met = met_by(hit, arrived.sum); !met.empty())
      return hit.source.empty() ? met + " in the gradient of " + arrived.name : met;
  }
  return {};
}

}  // namespace

std::span<const BreakCondition> break_conditions() { return kConditions; }

std::string text_of(const Breakpoint& breakpoint) {
  const BreakCondition& condition = condition_of(breakpoint.kind);
  std::string text(condition.word);
  if (condition.wants == Wants::text) text += " " + breakpoint.text;
  if (condition.wants == Wants::number || condition.wants == Wants::share)
    text += fmt::format(" {:g}", breakpoint.limit);
  if (breakpoint.place > 0) text += fmt::format(" at {}", breakpoint.place);
  if (!breakpoint.source.empty()) text += " source " + breakpoint.source;
  if (!breakpoint.op.empty()) text += " op " + breakpoint.op;
  if (breakpoint.from_hit > 1) text += fmt::format(" hit {}", breakpoint.from_hit);
  return text;
}

std::string sentence_of(const Breakpoint& breakpoint) {
  const std::string& source = breakpoint.source;
  const std::string gradient = source.empty() ? "a gradient" : "the gradient of " + source;
  const std::string where = breakpoint.op.empty() ? std::string() : " at " + breakpoint.op;
  switch (breakpoint.kind) {
    case Kind::op:
      return breakpoint.place == 0 ? fmt::format("op {}", breakpoint.text)
                                   : fmt::format("op {}, {}", breakpoint.place, breakpoint.text);
    case Kind::name: return fmt::format("name {}", breakpoint.text);
    case Kind::line: return fmt::format("line {}", breakpoint.text);
    case Kind::backward: return "a backward pass begins";
    case Kind::nonfinite: return (source.empty() ? "a value" : gradient) + " is not finite" + where;
    case Kind::norm_above: return fmt::format("{}'s norm is above {:g}{}", gradient, breakpoint.limit, where);
    case Kind::norm_below: return fmt::format("{}'s norm is below {:g}{}", gradient, breakpoint.limit, where);
    case Kind::zeros_above:
      return fmt::format("{}'s share of zeros is {:g} or more{}", gradient, breakpoint.limit, where);
    case Kind::none: return gradient + " is None";
    case Kind::retrace: return "a function is traced again";
  }
  return {};
}

std::string stop_text(const Breakpoint& hit, const Frame& frame,
                      std::span<const record::PlacedDigest> digests) {
  std::string text = sentence_of(hit);
  if (hit.from_hit > 1) text += fmt::format(", hit {}", hit.hits);
  const std::string met = what_was_met(hit, frame, digests);
  return met.empty() ? text : text + ": " + met;
}

std::string parse_break(std::string_view text, Breakpoint& breakpoint) {
  const std::string given(text);
  const std::string_view word = take_word(text);
  const auto* const condition = std::find_if(std::begin(kConditions), std::end(kConditions),
                                             [&](const BreakCondition& c) { return c.word == word; });
  if (condition == std::end(kConditions)) {
    return fmt::format(
        "`{}` is no breakpoint; expected op, name, line, backward, nonfinite, norm-above, norm-below, "
        "zeros-above, none or retrace",
        given);
  }
  Breakpoint read{.kind = condition->kind};
  // The last words may say from which hit on, and before them where.
  std::string_view after;
  if (take_end(text, "hit", after)) {
    std::int64_t count = 0;
    if (!read_count(after, 1, 0, count) || count < 1)
      return fmt::format("`{}` is no number of hits; expected 1 or more", after);
    read.from_hit = static_cast<std::uint64_t>(count);
  }
  if (read.kind == Kind::op && take_end(text, "at", after)) {
    std::int64_t place = 0;
    if (!read_count(after, 1, 0, place) || place < 1)
      return fmt::format("`{}` is no place in a step; expected 1 or more", after);
    read.place = static_cast<std::uint64_t>(place);
  }
  if (condition->of_source && take_end(text, "source", after)) read.source = std::string(after);
  else if (condition->of_op && take_end(text, "op", after)) read.op = std::string(after);
  switch (condition->wants) {
    case Wants::nothing:
      if (!text.empty()) {
        const std::string_view may_follow = !condition->of_source ? "`hit N`"
                                            : !condition->of_op   ? "`source NAME` and `hit N`"
                                                                  : "`source NAME`, `op TYPE` and `hit N`";
        return fmt::format("`break {}` takes nothing but {} after it, got `{}`", word, may_follow, text);
      }
      break;
    case Wants::text:
      if (text.empty()) return fmt::format("`break {}` needs a name after it", word);
      read.text = std::string(text);
      break;
    case Wants::number:
      if (!read_number(text, read.limit))
        return fmt::format("`break {}` needs a number, got `{}`", word, text);
      break;
    case Wants::share:
      if (!read_number(text, read.limit) || !(read.limit > 0 && read.limit <= 1))
        return fmt::format("`break {}` needs a share above 0 and at most 1, got `{}`", word, text);
      break;
  }
  breakpoint = std::move(read);
  return {};
}

}  // namespace tapescope
