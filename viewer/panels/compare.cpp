// Prepares and draws the comparison of times.
#include "viewer/panels/compare.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "viewer/model/compare.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

constexpr double kBetweenCounts = 0.5;  // seconds between two counts while pairs come in
constexpr double kFence = 3;            // quartile distances above the upper quartile that are still shown
constexpr const char* kParts[] = {"step", "forward", "backward", "update"};

std::vector<double> step_times(const Series<StepSummary>& steps, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = count > 1 ? 1 : 0; i < count; ++i)
    values.push_back(steps[i].step_us);  // the first warms up
  return values;
}

bool differs(const Ratio& ratio) { return ratio.low > 1 || ratio.high < 1; }

// How sure the ratio is, and what it rests on.
std::string sureness(const TimeComparison& times) {
  const Ratio& step = times.ratios[0];
  std::string text = std::isfinite(step.value)
                         ? fmt::format("95 % interval {:.2f} to {:.2f}, ", step.low, step.high)
                         : std::string();
  if (times.interleaved)
    return text + fmt::format("{} {}pairs{}", times.pairs, text.empty() ? "" : "interleaved ",
                              text.empty() ? "" : ", bootstrap of the median ratio");
  return text + fmt::format("{} and {} steps, measured in different runs", times.steps[0], times.steps[1]);
}

}  // namespace

TimeComparison compare_times(const Series<StepSummary>& a, const Series<StepSummary>& b, bool interleaved) {
  TimeComparison times;
  times.interleaved = interleaved;
  times.steps = {a.size(), b.size()};
  const std::size_t count = std::min(a.size(), b.size());
  times.pairs = count;
  if (count == 0) return times;
  Comparison ratios;
  if (interleaved) add_ratios(ratios, a, b);
  else add_unpaired_ratios(ratios, a, b);
  times.ratios = {ratios.step, ratios.forward, ratios.backward, ratios.update};
  const std::array<std::vector<double>, 2> values{step_times(a, interleaved ? count : a.size()),
                                                  step_times(b, interleaved ? count : b.size())};
  // From the fastest on, without the few far slower ones: one outlier must not press all into one bin.
  times.low = INFINITY;
  for (std::size_t p = 0; p < 2; ++p) {
    std::vector<double> sorted = values[p];
    std::sort(sorted.begin(), sorted.end());
    times.medians[p] = percentile_of(sorted, 0.5);
    times.low = std::min(times.low, sorted.front());
    const double quarter = percentile_of(sorted, 0.75), spread = quarter - percentile_of(sorted, 0.25);
    times.high =
        std::max(times.high, std::min(sorted.back(), quarter + kFence * std::max(spread, 0.02 * quarter)));
  }
  const double margin = std::max((times.high - times.low) * 0.06, times.high * 0.01);
  times.low = std::max(0.0, times.low - margin);
  times.high += margin;
  float most = 0;
  for (std::size_t p = 0; p < 2; ++p) {
    times.bins[p].assign(kTimeBins, 0);
    for (const double v : values[p]) {
      const double t = (v - times.low) / (times.high - times.low);
      if (t >= 1) continue;
      most = std::max(most, ++times.bins[p][static_cast<std::size_t>(std::max(0.0, t) * kTimeBins)]);
    }
  }
  for (auto& bins : times.bins) {
    for (float& bin : bins) bin = most > 0 ? bin / most : 0;
  }
  return times;
}

std::string time_sentence(const TimeComparison& times) {
  const Ratio& step = times.ratios[0];
  if (times.pairs < 2 || !std::isfinite(step.value)) return "Too few steps to distinguish A and B";
  if (!differs(step)) return "No difference in time can be seen";
  return fmt::format("B's step takes {:.2f} of A's", step.value);
}

void ComparePanel::refresh(PanelContext& c) {
  if (c.generations() != generations_) {
    generations_ = c.generations();
    times_ = {};
    job_ = nullptr;
    steps_asked_ = {};
  }
  if (job_ != nullptr && job_->done.load()) {
    times_ = std::move(job_->result);
    job_ = nullptr;
  }
  std::array<std::size_t, 2> steps{c.a->steps.size(), c.b->steps.size()};
  if (c.interleaved()) steps[0] = steps[1] = std::min(steps[0], steps[1]);
  const bool runs = c.status.mode == RunMode::running || c.status_of(1).mode == RunMode::running;
  const bool due = !runs || c.time > asked_at_ + kBetweenCounts;
  if (job_ == nullptr && steps != steps_asked_ && due) {
    steps_asked_ = steps;
    asked_at_ = c.time;
    job_ = std::make_unique<Job>();
    Job* job = job_.get();
    job->thread = std::jthread([job, a = c.a->steps, b = c.b->steps, interleaved = c.interleaved()] {
      job->result = compare_times(a, b, interleaved);
      job->done.store(true);
    });
  }
  c.wants_frame = c.wants_frame || job_ != nullptr;
}

void ComparePanel::draw_intervals(PanelContext& c, ImVec2 min, float width) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  double most = 1.2;
  for (const Ratio& ratio : times_.ratios) {
    if (std::isfinite(ratio.high)) most = std::max(most, ratio.high * 1.1);
  }
  most = std::min(most, 8.0);
  const float left = min.x + c.m().px(100), right = min.x + width - c.m().px(150), line = c.m().px(26);
  if (right - left < c.m().px(40)) return;
  const auto to_x = [&](double v) {
    return left + (right - left) * static_cast<float>(std::clamp(v / most, 0.0, 1.0));
  };
  for (std::size_t i = 0; i < times_.ratios.size(); ++i) {
    const Ratio& ratio = times_.ratios[i];
    const float y = min.y + line * (static_cast<float>(i) + 0.5f);
    draw_text(list, c.fonts.text, {min.x, centred(c.fonts.text, y, 0)}, c.color(Color::text), kParts[i]);
    list->AddLine({left, std::round(y) + 0.5f}, {right, std::round(y) + 0.5f}, c.color(Color::line),
                  c.m().line);
    if (!std::isfinite(ratio.value)) {
      draw_text(list, c.fonts.mono, {right + c.m().px(16), centred(c.fonts.mono, y, 0)}, c.color(Color::dim),
                "–");
      continue;
    }
    // Less is blue, more is orange; what cannot be distinguished from 1 is grey.
    const Color color = !differs(ratio) ? Color::dim : ratio.value < 1 ? Color::value : Color::cursor;
    const float x0 = to_x(ratio.low), x1 = std::max(to_x(ratio.high), x0 + c.m().px(3)),
                x = to_x(ratio.value);
    list->AddRectFilled({x0, y - c.m().px(5)}, {x1, y + c.m().px(5)}, c.color(color, 0.55f), c.m().px(2));
    list->AddRectFilled({x - c.m().px(1.5f), y - c.m().px(8)}, {x + c.m().px(1.5f), y + c.m().px(8)},
                        c.color(color));
    const float figure = draw_text(list, c.fonts.mono, {right + c.m().px(16), centred(c.fonts.mono, y, 0)},
                                   c.color(Color::text), fmt::format("{:.2f}", ratio.value));
    draw_text(list, c.fonts.mono, {right + c.m().px(28) + figure, centred(c.fonts.mono, y, 0)},
              c.color(Color::dim), fmt::format("{:.2f} to {:.2f}", ratio.low, ratio.high));
  }
  const float one = std::round(to_x(1)) + 0.5f, bottom = min.y + line * 4;
  draw_dashed_line(list, {one, min.y - c.m().px(2)}, {one, bottom}, c.color(Color::text), c.m().line,
                   c.m().px(3), c.m().px(3));
  draw_text(list, c.fonts.small, {one, bottom + c.m().px(4)}, c.color(Color::dim), "1, no difference",
            Align::centre);
  draw_text(list, c.fonts.small, {left, bottom + c.m().px(4)}, c.color(Color::dim), "0", Align::centre);
}

void ComparePanel::draw_histograms(PanelContext& c, ImVec2 min, ImVec2 size) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_text(list, c.fonts.small, min, c.color(Color::dim), "time of a step, µs");
  if (times_.bins[0].empty() || !(times_.high > times_.low)) return;
  const float base = min.y + size.y - c.m().px(24), top = min.y + c.m().px(52), step = size.x / kTimeBins;
  if (base - top < c.m().px(20)) return;
  const auto to_x = [&](double v) {
    return min.x + size.x * static_cast<float>((v - times_.low) / (times_.high - times_.low));
  };
  const Color colors[] = {Color::cursor, Color::value}, texts[] = {Color::cursor_text, Color::value_text};
  for (const std::size_t p : {std::size_t{1}, std::size_t{0}}) {
    for (int i = 0; i < kTimeBins; ++i) {
      const float bin = times_.bins[p][static_cast<std::size_t>(i)];
      if (bin <= 0) continue;
      const float x = min.x + step * static_cast<float>(i), height = std::max(1.0f, (base - top) * bin);
      list->AddRectFilled({x, base - height}, {x + step - c.m().line, base}, c.color(colors[p], 0.75f));
    }
  }
  list->AddLine({min.x, base}, {min.x + size.x, base}, c.color(Color::line), c.m().line);
  // Both labels stand above their median; where they would meet they go to two lines.
  float x[2], width[2];
  std::string label[2];
  for (std::size_t p = 0; p < 2; ++p) {
    label[p] = fmt::format("{}  median {:.1f}", p == 0 ? "A" : "B", times_.medians[p]);
    width[p] = text_width(c.fonts.text, label[p]);
    x[p] = std::clamp(to_x(times_.medians[p]), min.x + width[p] / 2, min.x + size.x - width[p] / 2);
    list->AddLine({to_x(times_.medians[p]), top - c.m().px(4)}, {to_x(times_.medians[p]), base},
                  c.color(colors[p], 0.8f), c.m().line);
  }
  const bool meet = std::abs(x[0] - x[1]) < (width[0] + width[1]) / 2 + c.m().px(10);
  for (std::size_t p = 0; p < 2; ++p) {
    const float y = top - c.m().px(22) - (meet && p == 0 ? c.m().px(16) : 0);
    draw_text(list, c.fonts.text, {x[p], y}, c.color(texts[p]), label[p], Align::centre);
  }
  const double span = times_.high - times_.low, unit = std::pow(10.0, std::floor(std::log10(span / 5)));
  double distance = 10 * unit;
  for (const double s : {1.0, 2.0, 5.0}) {
    if (s * unit >= span / 6) {
      distance = s * unit;
      break;
    }
  }
  for (double v = std::ceil(times_.low / distance) * distance; v < times_.high; v += distance) {
    draw_text(list, c.fonts.mono_small, {to_x(v), base + c.m().px(5)}, c.color(Color::dim),
              fmt::format("{:.6g}", v), Align::centre);
  }
}

void ComparePanel::draw(PanelContext& c) {
  if (c.a == nullptr || c.b == nullptr) {
    empty_state(
        c,
        "Two variants of a sample that run step by step in turn, or two programs: which one is faster, "
        "and how sure that is.",
        "Compare A|B in the toolbar takes a sample's variants; Open or Attach to a program beside, in "
        "the File menu, takes yours.");
    return;
  }
  refresh(c);
  if (times_.pairs == 0) {
    if (c.interleaved())
      empty_state(c, "Both variants run step by step in turn.", "A run fills it.", "run", "Run both");
    else empty_state(c, "Which of both programs is faster, and how sure that is.", "Steps of both fill it.");
    return;
  }
  const ImVec2 min = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  const float pad = c.m().px(24), x = min.x + pad;
  const bool wide = size.x > c.m().px(900);
  const float left_width = wide ? size.x * 0.47f : size.x - 2 * pad;
  const std::string sentence = time_sentence(times_);
  draw_elided(c, c.fonts.headline, {x, min.y + c.m().px(12)}, left_width, c.color(Color::text), sentence);
  draw_elided(c, c.fonts.text, {x, min.y + c.m().px(44)}, left_width, c.color(Color::dim), sureness(times_));
  c.map.rect("words/compare", sentence + "\n" + sureness(times_), {x, min.y},
             {x + left_width, min.y + c.m().px(64)});
  draw_intervals(c, {x, min.y + c.m().px(74)}, left_width);
  ImGui::Dummy({1, c.m().px(202)});
  if (wide) {
    const float from = min.x + size.x * 0.4875f;
    draw_histograms(c, {from, min.y + c.m().px(16)},
                    {min.x + size.x - c.m().px(48) - from, std::min(size.y - c.m().px(24), c.m().px(176))});
  } else {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_histograms(c, {x, at.y + c.m().px(8)}, {size.x - 2 * pad, c.m().px(150)});
    ImGui::Dummy({1, c.m().px(170)});
  }
  draw_types(c);
}

std::string ComparePanel::text(const PanelContext& c) const {
  std::string text = time_sentence(times_) + "\n";
  if (!times_.interleaved) text += sureness(times_) + "\n";
  for (std::size_t i = 0; i < times_.ratios.size(); ++i) {
    const Ratio& ratio = times_.ratios[i];
    text += std::isfinite(ratio.value)
                ? fmt::format("{}\t{:.3f}\t{:.3f} to {:.3f}\n", kParts[i], ratio.value, ratio.low, ratio.high)
                : fmt::format("{}\t-\n", kParts[i]);
  }
  if (c.a == nullptr || c.b == nullptr) return text;
  text += "op\ta_us\tb_us\n";
  for (const TypeCosts& row : type_costs(*c.a, *c.b))
    text += fmt::format("{}\t{:.4g}\t{:.4g}\n", row.op, row.a_us, row.b_us);
  return text;
}

}  // namespace tapescope::ui
