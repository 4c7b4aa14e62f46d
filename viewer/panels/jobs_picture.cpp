// One pass over the steps of each rank.
#include "viewer/panels/jobs_picture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "viewer/model/units.h"

namespace tapescope::ui {
namespace {

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

const MetricSeries* loss_of(const Snapshot& snapshot) {
  const MetricSeries* found = nullptr;
  for (const MetricSeries& metric : snapshot.metrics) {
    if (metric.name == "local_loss" || (metric.name == "loss" && found == nullptr)) found = &metric;
  }
  return found;
}

// By step: the norm of all gradients together.
std::map<std::uint64_t, double> norms_of(const Snapshot& snapshot) {
  std::map<std::uint64_t, double> squares;
  for (const GradientRow& row : snapshot.gradients) {
    for (const HealthPoint& point : row.health)
      squares[point.step] += static_cast<double>(point.norm) * static_cast<double>(point.norm);
  }
  for (auto& [step, value] : squares) value = std::sqrt(value);
  return squares;
}

class Filler {
 public:
  Filler(JobPicture& picture, std::size_t row) : picture_(picture), row_(row) {}
  void put(JobColour colour, std::uint64_t step, double value) {
    if (step < picture_.first_step || step > picture_.last_step) return;
    const std::uint64_t span = picture_.last_step - picture_.first_step + 1;
    const std::uint64_t column = (step - picture_.first_step) * picture_.columns / span;
    float& cell = picture_.cells[static_cast<std::size_t>(colour)].values[row_ * picture_.columns + column];
    const auto one = static_cast<float>(value);
    const bool largest = colour == JobColour::time || colour == JobColour::waits;
    cell = std::isnan(cell) || !largest ? one : std::max(cell, one);
  }

 private:
  JobPicture& picture_;
  std::size_t row_;
};

// The bulk of the values after the first step's, which begins cold: one that takes a hundred times as long as
// the others would leave them one colour.
void scale(JobCells& cells, std::size_t columns) {
  std::vector<float> finite;
  for (std::size_t i = 0; i < cells.values.size(); ++i) {
    const bool first = columns > 2 && i % columns == 0;
    if (!first && std::isfinite(cells.values[i])) finite.push_back(cells.values[i]);
  }
  if (finite.empty()) return;
  const auto at = [&](double share) {
    const auto place =
        finite.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(finite.size() - 1));
    std::nth_element(finite.begin(), place, finite.end());
    return *place;
  };
  cells.low = at(0.02);
  cells.high = at(0.98);
}

}  // namespace

const JobColourText& text_of(JobColour colour) {
  static constexpr JobColourText kTexts[] = {{"time", "time of the step"},
                                             {"waits", "time that the rank waits in exchanges"},
                                             {"loss", "loss of the rank"},
                                             {"norm", "norm of all gradients, of the last 64 steps"}};
  return kTexts[static_cast<std::size_t>(colour)];
}

std::string format_job_value(JobColour colour, double value) {
  if (std::isinf(value)) return "not finite";
  return colour == JobColour::time || colour == JobColour::waits ? format_us(value) : format_value(value);
}

std::string head_of(const JobReport& report, bool reads) {
  std::string head = fmt::format("{} of {} ranks", report.ranks.size(), report.size);
  if (reads) return head + ", reading";
  if (!report.missing.empty()) head += fmt::format(", without {}", ranks_text(report.missing));
  return report.findings.empty() ? head + ": none stands out" : head;
}

std::pair<std::uint64_t, std::uint64_t> JobPicture::steps_of(std::size_t column) const {
  const std::uint64_t span = last_step - first_step + 1;
  const auto begin = [&](std::uint64_t c) { return first_step + (c * span + columns - 1) / columns; };
  return {begin(column), begin(column + 1) - 1};
}

JobPicture make_job_picture(std::span<const JobRank> ranks) {
  JobPicture picture;
  picture.report = report_of_job(ranks);
  for (const RankRow& row : picture.report.ranks) {
    const auto is_it = [&](const JobRank& rank) { return rank.place.rank == row.rank; };
    picture.programs.push_back(
        static_cast<std::size_t>(std::find_if(ranks.begin(), ranks.end(), is_it) - ranks.begin()));
  }
  picture.first_step = ~std::uint64_t{0};
  for (const JobRank& rank : ranks) {
    if (rank.snapshot->steps.empty()) continue;
    picture.step_base = rank.snapshot->step_base;
    picture.first_step = std::min(picture.first_step, rank.snapshot->steps[0].step);
    picture.last_step = std::max(picture.last_step, rank.snapshot->steps.back().step);
  }
  if (picture.first_step > picture.last_step) return picture;
  picture.columns = static_cast<std::size_t>(
      std::min<std::uint64_t>(picture.last_step - picture.first_step + 1, JobPicture::kMostColumns));
  for (JobCells& cells : picture.cells) cells.values.assign(picture.programs.size() * picture.columns, kNone);
  for (std::size_t row = 0; row < picture.programs.size(); ++row) {
    const Snapshot& snapshot = *ranks[picture.programs[row]].snapshot;
    Filler filler(picture, row);
    for (std::size_t i = 0; i < snapshot.steps.size(); ++i) {
      const StepSummary& step = snapshot.steps[i];
      filler.put(JobColour::time, step.step, step.step_us);
      if (!step.exchange_unknown) filler.put(JobColour::waits, step.step, step.exchange_us);
    }
    if (const MetricSeries* loss = loss_of(snapshot)) {
      for (std::size_t i = 0; i < loss->points.size(); ++i)
        filler.put(JobColour::loss, loss->points[i].step,
                   std::isfinite(loss->points[i].value) ? loss->points[i].value : INFINITY);
    }
    for (const auto& [step, norm] : norms_of(snapshot)) filler.put(JobColour::norm, step, norm);
  }
  for (JobCells& cells : picture.cells) scale(cells, picture.columns);
  return picture;
}

}  // namespace tapescope::ui
