// Reads, writes and judges breakpoints.
#include "viewer/debugger/break_rule.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "engine/core/dtype.h"
#include "engine/events/stats.h"
#include "viewer/model/typed_text.h"

namespace tapescope {
namespace {

using Kind = Breakpoint::Kind;

enum class Wants : std::uint8_t { nothing, text, number, share };
struct Condition {
  std::string_view word;
  Kind kind;
  Wants wants;
};
constexpr Condition kConditions[] = {
    {"op", Kind::op, Wants::text},
    {"name", Kind::name, Wants::text},
    {"line", Kind::line, Wants::text},
    {"backward", Kind::backward, Wants::nothing},
    {"nonfinite", Kind::nonfinite, Wants::nothing},
    {"norm-above", Kind::norm_above, Wants::number},
    {"norm-below", Kind::norm_below, Wants::number},
    {"zeros-above", Kind::norm_above, Wants::share},
    {"none", Kind::none, Wants::nothing},
    {"retrace", Kind::retrace, Wants::nothing},
};
// Every gradient's norm is above it: the gate hands over all of them.
constexpr double kAnyNorm = -1;

const Condition& condition_of(const BreakRule& rule) {
  return *std::find_if(std::begin(kConditions), std::end(kConditions), [&](const Condition& condition) {
    return condition.kind == rule.when.kind && (condition.wants == Wants::share) == (rule.zero_share > 0);
  });
}

}  // namespace

std::string text_of(const BreakRule& rule) {
  const Condition& condition = condition_of(rule);
  std::string text(condition.word);
  if (condition.wants == Wants::text) text += " " + rule.when.text;
  if (condition.wants == Wants::number) text += fmt::format(" {:g}", rule.when.limit);
  if (condition.wants == Wants::share) text += fmt::format(" {:g}", rule.zero_share);
  if (rule.from_hit > 1) text += fmt::format(" hit {}", rule.from_hit);
  return text;
}

std::string sentence_of(const BreakRule& rule) {
  switch (rule.when.kind) {
    case Kind::op: return fmt::format("op {}", rule.when.text);
    case Kind::name: return fmt::format("name {}", rule.when.text);
    case Kind::line: return fmt::format("line {}", rule.when.text);
    case Kind::backward: return "a backward pass begins";
    case Kind::nonfinite: return "a value is not finite";
    case Kind::norm_above:
      return rule.zero_share > 0 ? fmt::format("a gradient's share of zeros is {:g} or more", rule.zero_share)
                                 : fmt::format("a gradient's norm is above {:g}", rule.when.limit);
    case Kind::norm_below: return fmt::format("a gradient's norm is below {:g}", rule.when.limit);
    case Kind::none: return "a gradient is None";
    case Kind::retrace: return "a function is traced again";
  }
  return {};
}

std::string parse_break(std::string_view text, BreakRule& rule) {
  const std::string given(text);
  const std::string_view word = take_word(text);
  const auto* const condition = std::find_if(std::begin(kConditions), std::end(kConditions),
                                             [&](const Condition& c) { return c.word == word; });
  if (condition == std::end(kConditions)) {
    return fmt::format(
        "`{}` is no breakpoint; expected op, name, line, backward, nonfinite, norm-above, norm-below, "
        "zeros-above, none or retrace",
        given);
  }
  BreakRule read{Breakpoint{.kind = condition->kind, .text = {}}};
  // The last two words may say from which hit on.
  constexpr std::string_view kHit = "hit ";
  const std::size_t hit = text.rfind(kHit);
  if (hit != text.npos && (hit == 0 || text[hit - 1] == ' ')) {
    std::int64_t count = 0;
    if (!read_count(text.substr(hit + kHit.size()), 1, 0, count) || count < 1) {
      return fmt::format("`{}` is no number of hits; expected 1 or more", text.substr(hit + kHit.size()));
    }
    read.from_hit = static_cast<std::uint64_t>(count);
    text = trimmed(text.substr(0, hit));
  }
  switch (condition->wants) {
    case Wants::nothing:
      if (!text.empty())
        return fmt::format("`break {}` takes nothing but `hit N` after it, got `{}`", word, text);
      break;
    case Wants::text:
      if (text.empty()) return fmt::format("`break {}` needs a name after it", word);
      read.when.text = std::string(text);
      break;
    case Wants::number:
      if (!read_number(text, read.when.limit))
        return fmt::format("`break {}` needs a number, got `{}`", word, text);
      break;
    case Wants::share:
      if (!read_number(text, read.zero_share) || !(read.zero_share > 0 && read.zero_share <= 1)) {
        return fmt::format("`break {}` needs a share above 0 and at most 1, got `{}`", word, text);
      }
      read.when.limit = kAnyNorm;
      break;
  }
  rule = std::move(read);
  return {};
}

void number(std::vector<BreakRule>& rules) {
  std::uint32_t last = 0;
  for (const BreakRule& rule : rules) last = std::max(last, rule.when.id);
  for (BreakRule& rule : rules) {
    if (rule.when.id == 0) rule.when.id = ++last;
  }
}

bool fits(const BreakRule& rule, const Frame& frame) {
  if (rule.zero_share <= 0) return true;
  return std::any_of(frame.cotangents_out.begin(), frame.cotangents_out.end(), [&](const FrameTensor& item) {
    if (!item.value || !is_floating(item.value.dtype())) return false;
    const TensorStats stats = tensor_stats(item.value);
    return stats.count > 0 &&
           static_cast<double>(stats.zeros) >= rule.zero_share * static_cast<double>(stats.count);
  });
}

}  // namespace tapescope
