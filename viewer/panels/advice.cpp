// Rows of advice.
#include "viewer/panels/advice.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "samples/sample.h"
#include "viewer/model/advice.h"
#include "viewer/model/compare.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {
// While a program runs its steps say the same over and over: evaluated again a few times a second, and at
// most for a twentieth of a core.
constexpr double kBetweenJobs = 0.5, kShare = 20;
// Of all but the first, which warms up.
double median_step(const Series<StepSummary>& steps) {
  std::vector<double> times;
  for (std::size_t i = steps.size() > 1 ? 1 : 0; i < steps.size(); ++i) times.push_back(steps[i].step_us);
  return quantiles_of(std::move(times)).median;
}

}  // namespace

std::string variant_to_try(std::string_view sample, std::string_view variant) {
  for (const SampleInfo& info : sample_registry()) {
    if (info.name != sample || variant == "optimized") continue;
    const auto& variants = info.variants;
    if (std::find(variants.begin(), variants.end(), "optimized") != variants.end()) return "optimized";
  }
  return {};
}

void AdvicePanel::update(PanelContext& c) {
  if (c.status.generation != generation_) {
    generation_ = c.status.generation;
    rows_.clear();
    job_ = nullptr;
    of_ = {};
    steps_ = 0;
    due_at_ = 0;
  }
  c.wants_frame = c.wants_frame || job_ != nullptr;
  if (job_ != nullptr && job_->done.load()) {
    rows_ = std::move(job_->rows);
    due_at_ = c.time + std::max(kBetweenJobs, kShare * job_->seconds);
    job_ = nullptr;
  }
  if (job_ != nullptr || c.shared_a == nullptr || c.a->complete == nullptr) return;
  const std::shared_ptr<const StepView> b = c.comparing() ? c.b->complete : nullptr;
  if (of_[0].lock() == c.a->complete && of_[1].lock() == b && steps_ == c.a->steps.size()) return;
  if (c.status.mode == RunMode::running && c.time < due_at_) return;
  of_ = {c.a->complete, b};
  steps_ = c.a->steps.size();
  job_ = std::make_unique<Job>();
  c.wants_frame = true;
  job_->thread = std::jthread([job = job_.get(), snapshot = c.shared_a, other = b ? c.shared_b : nullptr] {
    const auto begin = std::chrono::steady_clock::now();
    job->rows = advise(*snapshot);
    if (other) {
      Comparison times;
      add_ratios(times, snapshot->steps, other->steps);
      measure(job->rows, advise(*other), times.step, median_step(snapshot->steps));
    }
    job->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    job->done.store(true);
  });
}

std::string AdvicePanel::badge(const PanelContext&) const {
  return rows_.empty() ? std::string() : fmt::format("{}", rows_.size());
}

void AdvicePanel::draw_row(PanelContext& c, std::size_t index) {
  const AdviceRow& advice = rows_[index];
  const std::string id = fmt::format("advice/row/{}", index);
  // Beside each other where there is room for whole sentences, else below each other.
  const float margin = c.m().px(20), figures = c.m().px(190),
              width = ImGui::GetContentRegionAvail().x - 2 * margin;
  const float kind_width = text_width(c.fonts.mono_small, advice.kind) + c.m().px(14);
  const bool wide = kind_width + text_width(c.fonts.text, advice.evidence) <= width - figures &&
                    text_width(c.fonts.text, advice.fix) <= width - figures;
  const float lines = wide ? 0
                           : wrapped_height(c.fonts.text, advice.evidence, width) +
                                 wrapped_height(c.fonts.text, advice.fix, width);
  const float height = wide ? c.m().px(52) : lines + c.m().px(58);
  const Row row = selectable_row(c, id, advice.subject, height, false);
  if (row.clicked) {
    const auto view = c.a->shown();
    const bool source = std::any_of(c.a->gradients.begin(), c.a->gradients.end(),
                                    [&](const GradientRow& g) { return g.source == advice.subject; });
    if (source) {
      c.commands.post("select source " + advice.subject);
    } else if (view != nullptr) {
      const auto op = std::find_if(view->ops.begin(), view->ops.end(), [&](const OpRow& r) {
        return r.name == advice.subject || (!advice.location.empty() && r.location == advice.location);
      });
      if (op != view->ops.end()) c.commands.post(fmt::format("select op {}", op - view->ops.begin()));
    }
  }
  if (!row.visible) return;
  const float left = row.min.x + margin, right = left + width, first = row.min.y + c.m().px(6);
  ImDrawList* list = ImGui::GetWindowDrawList();
  draw_text(list, c.fonts.mono_small, {left, first + c.m().px(1)}, c.color(Color::caution_text), advice.kind);
  if (advice.saving_us > 0) {
    draw_text(
        list, c.fonts.mono, {right, first}, c.color(Color::text),
        fmt::format("saves {} {}", format_us(advice.saving_us), advice.measured ? "measured" : "estimated"),
        Align::right);
  }
  if (wide) {
    const float second = row.min.y + c.m().px(28);
    draw_text(list, c.fonts.text, {left + kind_width, first}, c.color(Color::text), advice.evidence);
    draw_text(list, c.fonts.text, {left, second}, c.color(Color::good_text), advice.fix);
    draw_elided(c, c.fonts.mono_small, {right, second + c.m().px(2)}, figures, c.color(Color::value_text),
                advice.location, Align::right);
    return;
  }
  float y = first + c.m().px(21);
  y +=
      draw_wrapped(list, c.fonts.text, {left, y}, width, c.color(Color::text), advice.evidence) + c.m().px(2);
  y +=
      draw_wrapped(list, c.fonts.text, {left, y}, width, c.color(Color::good_text), advice.fix) + c.m().px(2);
  draw_elided(c, c.fonts.mono_small, {left, y}, width, c.color(Color::value_text), advice.location);
}

void AdvicePanel::draw(PanelContext& c) {
  if (c.a == nullptr || c.a->complete == nullptr) {
    return awaits_step(c, "What to change, the evidence, what it saves and where.");
  }
  const std::string other = c.run != nullptr && !c.comparing()
                                ? variant_to_try(c.run->request().sample, c.run->request().options.variant)
                                : std::string();
  if (rows_.empty() && job_ != nullptr) return;  // looked at in a moment
  if (rows_.empty()) {
    empty_state(c, fmt::format("Nothing to change was found in step {}.", c.step_shown(c.a->complete->step)),
                "Looked for: unneeded variables and work, gradients inside the block, persistent tapes, "
                "repeated and redundant ops, loops, retraces, chains, precision, memory.");
    return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  if (!other.empty()) {
    ImGui::Dummy({1, c.m().px(8)});
    ImGui::Dummy({c.m().px(20), 1});
    ImGui::SameLine();
    const std::string& variant = c.run->request().options.variant;
    if (text_button(c, "advice/try", fmt::format("Try it: {} against {}", variant, other),
                    "runs both, interleaved, and compares what they compute and cost")) {
      c.commands.post(fmt::format("compare {},{}", variant, other));
      c.commands.post("run");
    }
    ImGui::Dummy({1, c.m().px(4)});
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) draw_row(c, i);
  ImGui::PopStyleVar();
}

std::string AdvicePanel::text(const PanelContext&) const {
  std::string text;
  for (const AdviceRow& row : rows_) {
    text += fmt::format("{}\t{}\t{}\t{}\t{:.3f}\t{}\t{}\n", row.kind, row.subject, row.evidence, row.fix,
                        row.saving_us, row.measured ? "measured" : "estimated", row.location);
  }
  return text;
}

}  // namespace tapescope::ui
