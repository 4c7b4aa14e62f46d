// Ratios, verdict and texts of a comparison.
#include "viewer/model/compare.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viewer/model/text_table.h"
#include "viewer/model/units.h"

namespace tapescope {
namespace {

std::vector<double> column(const Series<StepSummary>& steps, std::size_t count, double StepSummary::*field) {
  std::vector<double> values;
  for (std::size_t i = count > 1 ? 1 : 0; i < count; ++i) values.push_back(steps[i].*field);
  return values;
}

std::string ratio_text(const Ratio& ratio) {
  if (!std::isfinite(ratio.value)) return "-";
  return fmt::format("{:.2f} ({:.2f} to {:.2f})", ratio.value, ratio.low, ratio.high);
}

// "1.42 times as fast (1.35 to 1.49)"
std::string speed_text(const Ratio& ratio) {
  return fmt::format("{:.2f} times as fast as {{}} (95 % interval {:.2f} to {:.2f})", 1 / ratio.value,
                     1 / ratio.high, 1 / ratio.low);
}

std::string counts_text(const Comparison& c) {
  return fmt::format("{} the same, {} changed, {} only in A, {} only in B", c.both, c.changed, c.only_a,
                     c.only_b);
}

struct Line {
  std::string label, a, b, ratio;
};

std::vector<Line> lines_of(const Comparison& c) {
  std::vector<Line> lines;
  const auto time = [&](std::string label, const Quantiles& a, const Quantiles& b, const Ratio& ratio) {
    lines.push_back({std::move(label), format_us(a.median), format_us(b.median), ratio_text(ratio)});
  };
  const auto figure = [&](std::string label, double a, double b, auto&& text) {
    lines.push_back({std::move(label), text(a), text(b), a > 0 ? fmt::format("{:.2f}", b / a) : "-"});
  };
  const auto whole = [](double value) { return fmt::format("{:.0f}", value); };
  time("step", c.a.step, c.b.step, c.step);
  if (!c.a.has_events || !c.b.has_events) return lines;
  time("forward", c.a.forward, c.b.forward, c.forward);
  time("backward", c.a.backward, c.b.backward, c.backward);
  time("update", c.a.update, c.b.update, c.update);
  const auto of = [](std::int64_t count) { return static_cast<double>(count); };
  figure("ops executed", of(c.a.tape.executed), of(c.b.tape.executed), whole);
  figure("ops recorded", of(c.a.tape.recorded), of(c.b.tape.recorded), whole);
  figure("ops backward", of(c.a.tape.backward_ops), of(c.b.tape.backward_ops), whole);
  if (c.a.tape.saved_bytes + c.b.tape.saved_bytes > 0)  // of frameworks that do not say, it is not known
    figure("saved bytes", of(c.a.tape.saved_bytes), of(c.b.tape.saved_bytes), format_bytes);
  figure("peak bytes", of(c.a.tape.peak_bytes), of(c.b.tape.peak_bytes), format_bytes);
  std::uint64_t traces_a = 0, traces_b = 0;
  for (const FunctionRow& row : c.a.functions) traces_a += row.traces;
  for (const FunctionRow& row : c.b.functions) traces_b += row.traces;
  if (traces_a + traces_b > 0)
    figure("traces", static_cast<double>(traces_a), static_cast<double>(traces_b), whole);
  return lines;
}

std::string results_text(const Comparison& c) {
  if (c.compared == Compared::nothing) return "none that both have";
  if (c.compared == Compared::losses)
    return fmt::format("largest difference of the loss {:.3g}; norms of gradients were not recorded",
                       c.max_loss_difference);
  return fmt::format("largest difference of the loss {:.3g}, of a gradient{}", c.max_loss_difference,
                     c.compared == Compared::norms
                         ? fmt::format("'s norm {:.3g} of the larger one", c.max_gradient_difference)
                         : fmt::format(" {:.3g} of its largest element", c.max_gradient_difference));
}

}  // namespace

void add_ratios(Comparison& comparison, const Series<StepSummary>& a, const Series<StepSummary>& b) {
  const std::size_t count = std::min(a.size(), b.size());
  const auto ratio = [&](double StepSummary::*field) {
    return ratio_of(column(a, count, field), column(b, count, field));
  };
  comparison.step = ratio(&StepSummary::step_us);
  comparison.forward = ratio(&StepSummary::forward_us);
  comparison.backward = ratio(&StepSummary::backward_us);
  comparison.update = ratio(&StepSummary::update_us);
}

void add_ratios(Comparison& comparison, const std::vector<double>& a_us, const std::vector<double>& b_us) {
  const std::size_t count = std::min(a_us.size(), b_us.size());
  const std::size_t skip = count > 1 ? 1 : 0;
  comparison.step =
      ratio_of(std::span(a_us).subspan(skip, count - skip), std::span(b_us).subspan(skip, count - skip));
  comparison.forward = comparison.backward = comparison.update = ratio_of({}, {});
}

void add_unpaired_ratios(Comparison& comparison, const Series<StepSummary>& a, const Series<StepSummary>& b) {
  const auto ratio = [&](double StepSummary::*field) {
    constexpr std::size_t kFewest = 3;  // of fewer steps no interval says anything
    if (std::min(a.size(), b.size()) < kFewest) return Ratio{NAN, NAN, NAN};
    return unpaired_ratio_of(column(a, a.size(), field), column(b, b.size(), field));
  };
  comparison.step = ratio(&StepSummary::step_us);
  comparison.forward = ratio(&StepSummary::forward_us);
  comparison.backward = ratio(&StepSummary::backward_us);
  comparison.update = ratio(&StepSummary::update_us);
}

void add_alignment(Comparison& comparison, const StepView& a, const StepView& b) {
  const Alignment found = align(a, b);
  comparison.only_a = found.only_a;
  comparison.only_b = found.only_b;
  comparison.both = found.both;
  comparison.changed = found.changed;
}

namespace {

// What one side is called. A program has no variant, and two of them may have one name; a variant may meet
// itself.
std::string name_of(const RunReport& run, const RunReport& other, const char* side) {
  if (!run.variant.empty())
    return run.variant == other.variant ? fmt::format("{} ({})", run.variant, side) : run.variant;
  return run.sample != other.sample ? run.sample : side;
}

// The side's letter with what it is called, where that is more than the letter: "A unoptimized", "unoptimized
// (A)".
std::string headed(const RunReport& run, const RunReport& other, const char* side, const char* form) {
  const std::string name = run.variant.empty() ? name_of(run, other, side) : run.variant;
  return name == side ? name : fmt::format(fmt::runtime(form), side, name);
}

}  // namespace

std::string verdict_of(const Comparison& c) {
  const std::string a = name_of(c.a, c.b, "A"), b = name_of(c.b, c.a, "B");
  std::string result;
  if (c.compared == Compared::nothing) {
    result = "there is no loss and no gradient that both have to compare";
  } else if (c.same_loss && c.same_gradients) {
    result = "both compute the same loss";
    if (c.compared != Compared::losses) result += " and gradients";
  } else {
    const std::string_view what = !c.same_loss && !c.same_gradients ? "loss and gradients"
                                  : c.same_loss                     ? "gradients"
                                                                    : "loss";
    result = fmt::format("they do not compute the same {}", what);
    if (!c.first_difference.empty()) result += fmt::format(" (first: {})", c.first_difference);
  }
  const Ratio& r = c.step;
  if (!std::isfinite(r.value))
    return fmt::format("Too few steps to distinguish {} and {} in time; {}.", a, b, result);
  std::string time;
  if (r.low <= 1 && r.high >= 1) {
    time = fmt::format(
        "{} and {} take the same time, as far as this shows (ratio {:.2f}, 95 % interval {:.2f} to "
        "{:.2f})",
        a, b, r.value, r.low, r.high);
  } else if (r.value < 1) {
    time = fmt::format("{} is {}", b, fmt::format(fmt::runtime(speed_text(r)), a));
  } else {
    const Ratio inverse{1 / r.value, 1 / r.high, 1 / r.low};
    time = fmt::format("{} is {}", a, fmt::format(fmt::runtime(speed_text(inverse)), b));
  }
  return fmt::format("{}; {}.", time, result);
}

std::string comparison_text(const Comparison& c) {
  std::string out = fmt::format("{} · {} against {}   {} steps each\n\n  {}\n\n", c.a.sample,
                                headed(c.a, c.b, "A", "{} {}"), headed(c.b, c.a, "B", "{} {}"),
                                std::min(c.a.steps, c.b.steps), c.verdict);
  TextTable table({"", ">A", ">B", ">B over A"});
  for (const Line& line : lines_of(c)) table.row({line.label, line.a, line.b, line.ratio});
  out += table.text();
  if (c.a.has_events && c.b.has_events) out += fmt::format("\n  ops: {}\n", counts_text(c));
  if (!c.interleaved)
    out += "  measured in different runs: what changed on the machine between them is in no interval\n";
  return out + fmt::format("  results: {}\n", results_text(c));
}

std::string comparison_markdown(const Comparison& c) {
  std::string out = fmt::format("### {}: {} against {}\n\n{}\n\n", c.a.sample, headed(c.a, c.b, "A", "{1}"),
                                headed(c.b, c.a, "B", "{1}"), c.verdict);
  out += fmt::format("| | {} | {} | B / A |\n|---|---:|---:|---:|\n", headed(c.a, c.b, "A", "{1} ({0})"),
                     headed(c.b, c.a, "B", "{1} ({0})"));
  for (const Line& line : lines_of(c)) {
    out += fmt::format("| {} | {} | {} | {} |\n", line.label, line.a, line.b, line.ratio);
  }
  if (c.a.has_events && c.b.has_events) out += fmt::format("\n- Ops: {}.\n", counts_text(c));
  out += fmt::format("{}- Results: {}.\n", c.a.has_events && c.b.has_events ? "" : "\n", results_text(c));
  return out + fmt::format("- {} steps of each, {}; seed {}, {} thread{}.\n", std::min(c.a.steps, c.b.steps),
                           c.interleaved ? "interleaved" : "measured in different runs", c.a.seed,
                           c.a.threads, c.a.threads == 1 ? "" : "s");
}

}  // namespace tapescope
