// What the Jobs panel draws: the ranks' rows, a value for each step of each, and what stands out. Pure.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "viewer/model/job.h"

namespace tapescope::ui {

enum class JobColour : std::uint8_t { time, waits, loss, norm, count_ };
inline constexpr std::size_t kJobColours = static_cast<std::size_t>(JobColour::count_);
struct JobColourText {
  const char* id;    // "time"
  const char* what;  // "time of the step"
};
const JobColourText& text_of(JobColour colour);
// With its unit.
std::string format_job_value(JobColour colour, double value);

// Cells of one colour: rows by columns, row after row; NaN where a rank has no such step or value.
struct JobCells {
  std::vector<float> values;  // infinity where a value is not finite
  float low = 0, high = 0;    // of the finite values: what the scale spans; equal where there are none
};

struct JobPicture {
  JobReport report;
  std::vector<std::size_t> programs;  // of each row of the report: which of the given ranks it is
  std::uint64_t first_step = 0, last_step = 0;
  std::uint64_t step_base = 0;  // Snapshot::step_base
  std::size_t columns = 0;      // each one step, or several where there are more than kMostColumns
  std::array<JobCells, kJobColours> cells;

  static constexpr std::size_t kMostColumns = 1024;
  // Steps of a column, both included.
  std::pair<std::uint64_t, std::uint64_t> steps_of(std::size_t column) const;
  float value(JobColour colour, std::size_t row, std::size_t column) const {
    return cells[static_cast<std::size_t>(colour)].values[row * columns + column];
  }
};

// "4 of 4 ranks: none stands out". `reads`: recordings of others are still being read.
std::string head_of(const JobReport& report, bool reads);

// Of a column of several steps: the longest time and wait, the last loss and norm. A norm is that of all
// gradients together, known of the last 64 steps.
JobPicture make_job_picture(std::span<const JobRank> ranks);

}  // namespace tapescope::ui
